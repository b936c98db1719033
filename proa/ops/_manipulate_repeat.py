"""Ops that repeat, reverse or rotate elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    Tensor,
    attach_method,
    composite,
    concrete,
    is_dimension,
    op,
)

from ._axes import normal_axes, normal_axis
from ._manipulate import variadic

if TYPE_CHECKING:
    from proa.core._types import Array, Axis, Index, Ints, Shape


def broadcast(x: Any, shape: tuple[Any, ...], name: str) -> Any:
    """Broadcasts with -1 meaning the extent of `x`.

    Raises:
        InvalidArgumentError: `x` does not broadcast to the shape.
    """
    added = len(shape) - x.ndim
    filled = [
        x.shape[i - added] if i >= added and not is_dimension(d) and d == -1 else d
        for i, d in enumerate(shape)
    ]
    try:
        return jnp.broadcast_to(x, tuple(filled))
    except (ValueError, TypeError) as error:
        raise InvalidArgumentError(
            f"`{name}` of a tensor of shape {list(x.shape)} to {list(shape)}",
            expected="extents that are equal, or 1 in the tensor; -1 keeps an extent",
            fix="insert axes of extent 1 with unsqueeze, or correct the shape",
        ) from error


@variadic
@op(method=None)
def expand(x: Array, shape: Shape):
    """Repeats axes of extent 1, and adds axes in front, until the tensor has a shape.

    Args:
        x: the tensor.
        shape: extents of the result; -1 keeps the extent of `x`.

    Raises:
        InvalidArgumentError: an extent of `x` is neither 1 nor the wanted one.

    Examples:
        >>> import proa
        >>> proa.expand(proa.to_tensor([[1], [2]]), [-1, 3]).tolist()
        [[1, 1, 1], [2, 2, 2]]
    """
    return broadcast(x, shape, "expand")


@op
def broadcast_to(x: Array, shape: Shape):
    """Repeats axes of extent 1, and adds axes in front, until the tensor has a shape.

    Args:
        x: the tensor.
        shape: extents of the result; -1 keeps the extent of `x`.

    Raises:
        InvalidArgumentError: an extent of `x` is neither 1 nor the wanted one.
    """
    return broadcast(x, shape, "broadcast_to")


@op(out=True)
def expand_as(x: Array, y: Array):
    """Broadcasts a tensor to the shape of another one.

    Args:
        x: the tensor.
        y: the tensor whose shape is taken.
    """
    return broadcast(x, y.shape, "expand_as")


@op(name="broadcast_tensors", public=False)
def _broadcast_tensors(input: Sequence[Array]):
    try:
        return tuple(jnp.broadcast_arrays(*input))
    except ValueError as error:
        raise _no_common_shape([a.shape for a in input]) from error


def _no_common_shape(shapes: Sequence[Any]) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"shapes {[list(s) for s in shapes]} have no common shape",
        expected="extents that, counted from the last axis, are equal or 1",
        fix="insert axes of extent 1, or correct the shapes",
    )


@composite
def broadcast_tensors(input: Sequence[Tensor], name: str | None = None) -> list[Tensor]:
    """Broadcasts tensors to their common shape.

    Args:
        input: the tensors.

    Returns:
        A list of Tensors of one shape.

    Raises:
        InvalidArgumentError: there is no common shape.
    """
    return list(_broadcast_tensors(list(input)))


@composite
def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Returns the shape that two shapes broadcast to.

    Args:
        x_shape: a shape.
        y_shape: another shape.

    Raises:
        InvalidArgumentError: there is no common shape.

    Examples:
        >>> import proa
        >>> proa.broadcast_shape([2, 1, 3], [4, 3])
        [2, 4, 3]
    """
    try:
        return list(jnp.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError as error:
        raise _no_common_shape([x_shape, y_shape]) from error


@composite
def broadcast_shapes(*shapes: Sequence[int]) -> list[int]:
    """Returns the shape that several shapes broadcast to.

    Args:
        shapes: the shapes.
    """
    try:
        return list(jnp.broadcast_shapes(*[tuple(s) for s in shapes]))
    except ValueError as error:
        raise _no_common_shape(shapes) from error


@variadic
@op(method=None)
def tile(x: Array, repeat_times: Shape):
    """Repeats a tensor along its axes.

    Args:
        x: the tensor.
        repeat_times: repetitions of each axis, aligned at the last one; further entries
            add axes in front.

    Examples:
        >>> import proa
        >>> proa.tile(proa.to_tensor([1, 2]), [2, 2]).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return jnp.tile(x, repeat_times)


@composite
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Repeats a tensor along its axes (`tile`).

    Args:
        input: the tensor.
        repeats: repetitions, in a list or one by one.
    """
    given = repeats[0] if len(repeats) == 1 else repeats
    return tile(input, given)


@op(name="repeat_interleave", public=False)
def _repeat_interleave(
    x: Array, repeats: Index | None, times: int | None, total: int | None, axis: int | None
):
    if axis is None:
        x, axis = jnp.reshape(x, (-1,)), 0
    place = normal_axis(axis, x.ndim)
    if repeats is None:
        return jnp.repeat(x, times or 0, axis=place)
    return jnp.repeat(x, repeats, axis=place, total_repeat_length=total)


@composite
def repeat_interleave(
    x: Tensor,
    repeats: Any,
    axis: int | None = None,
    name: str | None = None,
    output_size: int | None = None,
) -> Tensor:
    """Repeats each element (or slice along an axis) before the next one comes.

    Args:
        x: the tensor.
        repeats: an integer, or an integer tensor with one entry per element of the axis.
        axis: the axis; `None` flattens first.
        output_size: extent of the result along the axis; needed to record a call whose
            `repeats` are computed.

    Raises:
        InvalidArgumentError: `repeats` has another length than the axis, or a negative entry.

    Examples:
        >>> import proa
        >>> proa.repeat_interleave(proa.to_tensor([5, 6]), proa.to_tensor([1, 2])).tolist()
        [5, 6, 6]
    """
    if isinstance(repeats, int):
        return _repeat_interleave(x, None, repeats, None, axis)
    given = repeats if isinstance(repeats, Tensor) else Tensor(repeats)
    extent = x.size if axis is None else x.shape[normal_axis(axis, x.ndim)]
    if given.ndim > 1 or given.size not in (1, extent):
        raise InvalidArgumentError(
            f"`repeats` has shape {given.shape} for an axis of extent {extent}",
            expected="one entry per element of the axis",
            fix="give an integer to repeat each element as often",
        )
    total = output_size
    if total is None:
        counts = np.asarray(concrete(given, "repeat_interleave without `output_size`"))
        if counts.size and counts.min() < 0:
            raise InvalidArgumentError(
                f"`repeats` holds {counts.min()}", expected="counts >= 0", fix="clip them at 0"
            )
        total = int(counts.sum()) * (extent if counts.size == 1 else 1)
    return _repeat_interleave(x, given, None, total, axis)


@op(method=None)
def flip(x: Array, axis: Axis):
    """Reverses the order of elements along axes.

    Args:
        x: the tensor.
        axis: axis or axes.

    Examples:
        >>> import proa
        >>> proa.flip(proa.to_tensor([1, 2, 3]), 0).tolist()
        [3, 2, 1]
    """
    return jnp.flip(x, normal_axes(axis, x.ndim))


reverse = flip


@op(out=True)
def roll(x: Array, shifts: Ints, axis: Axis | None = None):
    """Moves elements along axes; those that leave at one end enter at the other.

    Args:
        x: the tensor.
        shifts: how far, per axis.
        axis: axis or axes; `None` rolls the flattened tensor and restores its shape.

    Raises:
        InvalidArgumentError: another number of shifts than axes.
    """
    if axis is None:
        return jnp.roll(x, sum(shifts) if isinstance(shifts, tuple) else shifts)
    axes = tuple(normal_axis(a, x.ndim) for a in (axis if isinstance(axis, tuple) else (axis,)))
    given = shifts if isinstance(shifts, tuple) else (shifts,)
    if len(given) != len(axes):
        raise InvalidArgumentError(
            f"{len(given)} shifts for {len(axes)} axes",
            expected="one shift per axis",
            fix="give `shifts` and `axis` the same length",
        )
    return jnp.roll(x, given, axes)


@op
def rot90(x: Array, k: int = 1, axes: Ints = (0, 1)):
    """Rotates by multiples of 90 degrees in the plane of two axes.

    Args:
        x: the tensor.
        k: number of quarter turns, from the first axis towards the second; may be negative.
        axes: the two axes.

    Raises:
        InvalidArgumentError: not two different axes.
    """
    plane = normal_axes(axes, x.ndim, "axes")
    if len(plane) != 2:
        raise InvalidArgumentError(
            f"`axes` is {list(plane)}", expected="two axes", fix="name the plane of rotation"
        )
    return jnp.rot90(x, k, plane)


for _name, _method in {
    "expand": expand,
    "repeat": repeat,
    "tile": tile,
    "flip": variadic(flip),
    "reverse": reverse,
    "repeat_interleave": repeat_interleave,
    "broadcast_tensors": broadcast_tensors,
    "broadcast_shape": broadcast_shape,
    "broadcast_shapes": broadcast_shapes,
}.items():
    attach_method(_name, _method)
