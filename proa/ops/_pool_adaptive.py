"""Pools defined by their output: adaptive averages and maxima, and power means.

Adaptive window i of n over an extent s covers floor(i*s/n) to ceil((i+1)*s/n).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from proa.core import InvalidArgumentError, op

from ._pool import Windows, max_positions, max_windows, plan_windows, sum_windows
from ._promote import widened
from ._windows import check_rank, is_channel_last, require_constant, spatial_sizes

if TYPE_CHECKING:
    from proa.core._types import Array, Ints


def _targets(output_size: Any, sizes: tuple[Any, ...], name: str) -> tuple[int, ...]:
    values = output_size if isinstance(output_size, tuple) else (output_size,) * len(sizes)
    if len(values) == 1:
        values = values * len(sizes)
    valid = all(v is None or (isinstance(v, int) and v >= 1) for v in values)
    if len(values) != len(sizes) or not valid:
        raise InvalidArgumentError(
            f"`output_size` of `{name}` is {output_size!r}",
            expected=f"a positive integer, or {len(sizes)} of them (None keeps an extent)",
            fix="give one output size per spatial axis",
        )
    return tuple(size if v is None else v for v, size in zip(values, sizes, strict=True))


def _bounds(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    index = np.arange(count)
    return index * size // count, -(-(index + 1) * size // count)


def adaptive_average(x: Array, output_size: Any, data_format: str, name: str) -> Array:
    rank = int(name[-2])
    last = is_channel_last(data_format, rank, name)
    check_rank(x, rank, name)
    sizes = spatial_sizes(x, last)
    targets = _targets(output_size, sizes, name)
    first = 1 if last else 2
    if all(t == 1 for t in targets):
        # Global pooling, also for a size that is not known yet.
        return jnp.mean(x, axis=tuple(range(first, first + rank)), keepdims=True)
    require_constant("the input's spatial size", name, *sizes)
    wide = x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x
    for i, (size, count) in enumerate(zip(sizes, targets, strict=True)):
        wide = _average_along(wide, first + i, size, count)
    return wide.astype(x.dtype)


def _average_along(x: Array, axis: int, size: int, count: int) -> Array:
    if size == count:
        return x
    if size % count == 0:
        shape = (*x.shape[:axis], count, size // count, *x.shape[axis + 1 :])
        return jnp.mean(x.reshape(shape), axis=axis + 1)
    # Windows of unequal length: a product with a small matrix of weights.
    begin, end = _bounds(size, count)
    places = np.arange(size)[:, None]
    weights = ((places >= begin) & (places < end)) / (end - begin)
    y = lax.dot_general(x, jnp.asarray(weights, x.dtype), (((axis,), (0,)), ((), ())))
    return jnp.moveaxis(y, -1, axis)


@op(method=None)
def adaptive_avg_pool1d(x: Array, output_size: Ints) -> Array:
    """Averages a sequence down to a given length.

    Args:
        x: floating tensor [N, C, L].
        output_size: the wanted length.

    Raises:
        InvalidArgumentError: `output_size` is not positive.
    """
    return adaptive_average(x, output_size, "NCL", "adaptive_avg_pool1d")


@op(method=None)
def adaptive_avg_pool2d(x: Array, output_size: Any, data_format: str = "NCHW") -> Array:
    """Averages an image down to a given size.

    Args:
        x: floating tensor [N, C, H, W] (or [N, H, W, C]).
        output_size: an integer, or height and width; `None` keeps an extent.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: `output_size` or the shape does not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.adaptive_avg_pool2d(proa.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 1).item()
        2.5
    """
    return adaptive_average(x, output_size, data_format, "adaptive_avg_pool2d")


@op(method=None)
def adaptive_avg_pool3d(x: Array, output_size: Any, data_format: str = "NCDHW") -> Array:
    """Averages a volume down to a given size.

    Args:
        x: floating tensor [N, C, D, H, W] (or [N, D, H, W, C]).
        output_size: an integer, or one per spatial axis; `None` keeps an extent.
        data_format: `'NCDHW'` or `'NDHWC'`.

    Raises:
        InvalidArgumentError: `output_size` or the shape does not fit.
    """
    return adaptive_average(x, output_size, data_format, "adaptive_avg_pool3d")


def _gather_windows(x: Array, positions: Array | None, axis: int, count: int) -> Any:
    """One axis of an adaptive maximum: the largest of each window, and its position."""
    begin, end = _bounds(x.shape[axis], count)
    longest = int((end - begin).max())
    # Short windows repeat their first element, which changes neither maximum nor position.
    offsets = np.arange(longest)[None, :]
    index = np.where(
        begin[:, None] + offsets < end[:, None], begin[:, None] + offsets, begin[:, None]
    )
    shape = (*x.shape[:axis], count, longest, *x.shape[axis + 1 :])
    windows = jnp.take(x, index.reshape(-1), axis=axis).reshape(shape)
    winner = jnp.argmax(windows, axis=axis + 1, keepdims=True)
    best = jnp.take_along_axis(windows, winner, axis=axis + 1).squeeze(axis + 1)
    if positions is None:
        return best, None
    places = jnp.take(positions, index.reshape(-1), axis=axis).reshape(shape)
    return best, jnp.take_along_axis(places, winner, axis=axis + 1).squeeze(axis + 1)


def _global_maximum(x: Array) -> tuple[Array, Array]:
    """The largest of each channel and its flat position, for any, even unknown, size."""
    flat = x.reshape(*x.shape[:2], math.prod(x.shape[2:]))
    place = jnp.argmax(flat, axis=2, keepdims=True)
    shape = (*x.shape[:2], *(1 for _ in x.shape[2:]))
    best = jnp.take_along_axis(flat, place, axis=2, mode="clip")
    return best.reshape(shape), place.astype(jnp.int32).reshape(shape)


def _maximum(x: Array, output_size: Any, return_mask: bool, name: str) -> Any:
    rank = int(name[-2])
    check_rank(x, rank, name)
    sizes = x.shape[2:]
    targets = _targets(output_size, sizes, name)
    if all(target == 1 for target in targets):
        best, place = _global_maximum(x)
        return (best, place) if return_mask else best
    require_constant("the input's spatial size", name, *sizes)
    if all(size % target == 0 for size, target in zip(sizes, targets, strict=True)):
        kernel = tuple(size // target for size, target in zip(sizes, targets, strict=True))
        plan = Windows(kernel, kernel, ((0, 0),) * rank, targets, False)
        best = max_windows(x, plan)
        return (best, max_positions(x, plan)) if return_mask else best
    positions = None
    if return_mask:
        flat = jnp.arange(int(np.prod(sizes)), dtype=jnp.int32).reshape(sizes)
        positions = jnp.broadcast_to(flat, x.shape)
    for axis in reversed(range(2, 2 + rank)):
        x, positions = _gather_windows(x, positions, axis, targets[axis - 2])
    return (x, positions) if return_mask else x


@op(method=None)
def adaptive_max_pool1d(x: Array, output_size: Ints, return_mask: bool = False) -> Any:
    """Largest values of a sequence, in a given number of windows.

    Args:
        x: tensor [N, C, L].
        output_size: the wanted length.
        return_mask: return the winners' positions (int32) too.

    Raises:
        InvalidArgumentError: `output_size` is not positive.
    """
    return _maximum(x, output_size, return_mask, "adaptive_max_pool1d")


@op(method=None)
def adaptive_max_pool2d(x: Array, output_size: Any, return_mask: bool = False) -> Any:
    """Largest values of an image, in a given number of windows.

    Args:
        x: tensor [N, C, H, W].
        output_size: an integer, or height and width; `None` keeps an extent.
        return_mask: return the winners' flat positions in H x W (int32) too.

    Raises:
        InvalidArgumentError: `output_size` or the shape does not fit.
    """
    return _maximum(x, output_size, return_mask, "adaptive_max_pool2d")


@op(method=None)
def adaptive_max_pool3d(x: Array, output_size: Any, return_mask: bool = False) -> Any:
    """Largest values of a volume, in a given number of windows.

    Args:
        x: tensor [N, C, D, H, W].
        output_size: an integer, or one per spatial axis; `None` keeps an extent.
        return_mask: return the winners' flat positions in D x H x W (int32) too.

    Raises:
        InvalidArgumentError: `output_size` or the shape does not fit.
    """
    return _maximum(x, output_size, return_mask, "adaptive_max_pool3d")


def _power(
    x: Array, power: float, kernel: Any, stride: Any, padding: Any, ceil: bool, form: str, name: str
) -> Array:
    plan = plan_windows(x, kernel, stride, padding, ceil, form, name)
    if power == float("inf"):
        return max_windows(x, plan)
    if power == 0:
        raise InvalidArgumentError(
            f"`norm_type` of `{name}` is 0", expected="a non-zero number", fix="use 1, 2 or inf"
        )
    total = sum_windows(widened(x) ** power, plan)
    if power == 1:
        return total.astype(x.dtype)
    # The root has no finite slope at 0; a window of zeros gets gradient 0.
    empty = total == 0
    root = jnp.where(empty, 1, total) ** (1 / power)
    return jnp.where(empty, jnp.zeros((), x.dtype), root.astype(x.dtype))


@op(method=None)
def lp_pool1d(
    x: Array,
    norm_type: float,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    data_format: str = "NCL",
) -> Array:
    """Power sum of each window of a sequence: (sum of x^p)^(1/p).

    Args:
        x: floating tensor [N, C, L].
        norm_type: the power p; infinity gives the maximum.
        kernel_size: length of the window.
        stride: step of the window; its length by default.
        padding: zeros, as in `conv1d`.
        ceil_mode: count an incomplete last window that begins inside the input.
        data_format: `'NCL'` or `'NLC'`.

    Raises:
        InvalidArgumentError: kernel, stride, padding or power do not fit.
    """
    return _power(x, norm_type, kernel_size, stride, padding, ceil_mode, data_format, "lp_pool1d")


@op(method=None)
def lp_pool2d(
    x: Array,
    norm_type: float,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
) -> Array:
    """Power sum of each window of an image: (sum of x^p)^(1/p).

    Args:
        x: floating tensor [N, C, H, W] (or [N, H, W, C]).
        norm_type: the power p; infinity gives the maximum.
        kernel_size: the window: an integer, or height and width.
        stride: step of the window; its size by default.
        padding: zeros, as in `conv2d`.
        ceil_mode: count an incomplete last window that begins inside the input.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: kernel, stride, padding or power do not fit.
    """
    return _power(x, norm_type, kernel_size, stride, padding, ceil_mode, data_format, "lp_pool2d")
