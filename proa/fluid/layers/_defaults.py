"""Functions of Paddle 1 that differ from today's in defaults, order or results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import ops
from proa.core import Tensor
from proa.nn import functional as F


def argmax(x: Tensor, axis: int = 0) -> Tensor:
    """Where the largest element of an axis is.

    Args:
        x: the tensor.
        axis: the axis; the first one by default.
    """
    return ops.argmax(x, axis)


def argmin(x: Tensor, axis: int = 0) -> Tensor:
    """Where the smallest element of an axis is.

    Args:
        x: the tensor.
        axis: the axis; the first one by default.
    """
    return ops.argmin(x, axis)


def argsort(
    input: Tensor, axis: int = -1, descending: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Sorted elements, and where they were.

    Args:
        input: the tensor.
        axis: the axis.
        descending: whether the largest come first.
        name: not used.
    """
    places = ops.argsort(input, axis, descending)
    return ops.take_along_axis(input, places, axis), places


def expand(x: Tensor, expand_times: Sequence[int], name: str | None = None) -> Tensor:
    """Repeats a tensor along its axes: today's `tile`.

    Args:
        x: the tensor.
        expand_times: how often, for each axis.
        name: not used.
    """
    return ops.tile(x, expand_times)


def flatten(x: Tensor, axis: int = 1, name: str | None = None) -> Tensor:
    """Reads a tensor as a matrix.

    Args:
        x: the tensor.
        axis: the first axis of its columns.
        name: not used.
    """
    rows = 1
    for extent in x.shape[:axis]:
        rows *= extent
    return ops.reshape(x, [rows, -1])


def gaussian_random(
    shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32"
) -> Tensor:
    """Normally distributed numbers.

    Args:
        shape: integers.
        mean: their mean.
        std: their standard deviation.
        seed: not used: draws come from the one stream.
        dtype: dtype.
    """
    return ops.scale(ops.standard_normal(shape, dtype), std, mean)


def hard_sigmoid(
    x: Tensor, slope: float = 0.2, offset: float = 0.5, name: str | None = None
) -> Tensor:
    """`slope * x + offset`, between 0 and 1.

    Args:
        x: the tensor.
        slope: slope.
        offset: value at 0.
        name: not used.
    """
    return F.hardsigmoid(x, slope, offset)


def l2_normalize(x: Tensor, axis: int, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """`x / sqrt(max(sum(x**2), epsilon))` over an axis.

    Args:
        x: the tensor.
        axis: the axis.
        epsilon: smallest sum that counts.
        name: not used.
    """
    total = ops.sum(ops.square(x), axis, keepdim=True)
    return ops.multiply(x, ops.rsqrt(ops.clip(total, min=epsilon)))


def leaky_relu(x: Tensor, alpha: float = 0.02, name: str | None = None) -> Tensor:
    """`x` above 0, `alpha * x` below.

    Args:
        x: the tensor.
        alpha: slope below 0; 0.02 by default, today's is 0.01.
        name: not used.
    """
    return F.leaky_relu(x, alpha)


def pad(
    x: Tensor, paddings: Sequence[int], pad_value: float = 0.0, name: str | None = None
) -> Tensor:
    """Pads all axes with a number.

    Args:
        x: the tensor.
        paddings: (before, after) for each axis, from the first one on.
        pad_value: the number.
        name: not used.
    """
    return F.pad(x, list(paddings), "constant", pad_value)


def split(
    input: Tensor, num_or_sections: Any, dim: int = -1, name: str | None = None
) -> list[Tensor]:
    """Cuts a tensor into parts along an axis.

    Args:
        input: the tensor.
        num_or_sections: number of parts, or their sizes.
        dim: the axis; the last one by default.
        name: not used.
    """
    return ops.split(input, num_or_sections, dim)


def squeeze(input: Tensor, axes: Sequence[int], name: str | None = None) -> Tensor:
    """Drops axes of extent 1.

    Args:
        input: the tensor.
        axes: the axes; an empty list drops all of them.
        name: not used.
    """
    return ops.squeeze(input, list(axes) if axes else None)


def unsqueeze(input: Tensor, axes: Sequence[int], name: str | None = None) -> Tensor:
    """Inserts axes of extent 1.

    Args:
        input: the tensor.
        axes: where they are in the result.
        name: not used.
    """
    return ops.unsqueeze(input, axes)


def sum(x: Tensor | Sequence[Tensor]) -> Tensor:
    """Sum of several tensors, elementwise: today's `add_n`.

    Args:
        x: tensors.
    """
    return ops.add_n(x)
