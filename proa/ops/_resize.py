"""Resizing of images, sequences and volumes.

Each axis is resized by itself. Short axes use a product with a matrix of weights, which is
fast forward and backward; long ones gather their few neighbours.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from proa.core import InvalidArgumentError, Tensor, composite, is_dimension, op

from ._pool_adaptive import adaptive_average
from ._windows import (
    is_channel_last,
    is_constant,
    require_constant,
    spatial_sizes,
    with_spatial,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Shape

#: Mode -> number of spatial axes it works on.
_MODES = {
    "nearest": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
    "area": (1, 2, 3),
}
_FORMATS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
#: Up to this extent a matrix product beats gathering neighbours.
_MATRIX_EXTENT = 256
_CUBIC = -0.75
_CUBIC_SMOOTHED = -0.5


def _sources(size: int, target: int, ratio: float, corners: bool, align_mode: int) -> np.ndarray:
    """Where each output element lies on the input's axis, in input elements."""
    index = np.arange(target, dtype=np.float64)
    if corners:
        return index * ((size - 1) / (target - 1) if target > 1 else 0.0)
    return index * ratio if align_mode == 1 else (index + 0.5) * ratio - 0.5


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def neighbours(
    size: int, target: int, ratio: float, cubic: bool, corners: bool, align_mode: int
) -> tuple[np.ndarray, np.ndarray]:
    """Indices and weights [target, taps] of the input elements behind each output element."""
    source = _sources(size, target, ratio, corners, 0 if cubic else align_mode)
    if not cubic:
        source = np.clip(source, 0, size - 1)
    first = np.floor(source)
    share = (source - first)[:, None]
    if cubic:
        offsets = np.arange(-1, 3)
        weights = _cubic(share - offsets, _CUBIC)
    else:
        offsets = np.arange(0, 2)
        weights = np.concatenate([1 - share, share], axis=1)
    index = np.clip(first[:, None].astype(np.int64) + offsets, 0, size - 1)
    return index, weights


def _smoothed_matrix(size: int, target: int, ratio: float, cubic: bool) -> np.ndarray:
    """Weights [target, size] that average over all input elements when shrinking."""
    scale = max(ratio, 1.0)
    centre = (np.arange(target)[:, None] + 0.5) * ratio - 0.5
    distance = (np.arange(size)[None, :] - centre) / scale
    if cubic:
        weights = _cubic(distance, _CUBIC_SMOOTHED)
    else:
        weights = np.maximum(1 - np.abs(distance), 0)
    return weights / weights.sum(axis=1, keepdims=True)


def _apply_matrix(x: Array, axis: int, matrix: np.ndarray) -> Array:
    y = lax.dot_general(x, jnp.asarray(matrix, x.dtype), (((axis,), (1,)), ((), ())))
    return jnp.moveaxis(y, -1, axis)


def _resize_axis(
    x: Array, axis: int, target: int, ratio: float, cubic: bool, options: tuple[Any, ...]
) -> Array:
    corners, align_mode, smooth = options
    size = x.shape[axis]
    if smooth:
        return _apply_matrix(x, axis, _smoothed_matrix(size, target, ratio, cubic))
    index, weights = neighbours(size, target, ratio, cubic, corners, align_mode)
    if size <= _MATRIX_EXTENT:
        matrix = np.zeros((target, size))
        np.add.at(matrix, (np.arange(target)[:, None], index), weights)
        return _apply_matrix(x, axis, matrix)
    shape = [1] * x.ndim
    shape[axis] = target
    parts = [
        jnp.take(x, index[:, tap], axis=axis) * jnp.asarray(weights[:, tap].reshape(shape), x.dtype)
        for tap in range(index.shape[1])
    ]
    return sum(parts[1:], parts[0])


def _nearest_axis(x: Array, axis: int, target: Any, ratio: float) -> Array:
    size = x.shape[axis]
    factor = round(1 / ratio) if ratio <= 1 else 0
    if factor and ratio * factor == 1 and target == size * factor:
        # Whole multiples repeat by broadcasting: the gradient is a plain sum.
        wide = jnp.expand_dims(x, axis + 1)
        shape = (*x.shape[: axis + 1], factor, *x.shape[axis + 1 :])
        return jnp.broadcast_to(wide, shape).reshape(
            *x.shape[:axis], size * factor, *x.shape[axis + 1 :]
        )
    index = np.minimum(np.floor(np.arange(target) * ratio), size - 1).astype(np.int64)
    return jnp.take(x, index, axis=axis)


@op(method=None, amp="black", public=False)
def resize(
    x: Array,
    sizes: Shape,
    ratios: Any,
    mode: str,
    align_corners: bool,
    align_mode: int,
    data_format: str,
    antialias: bool,
) -> Array:
    """Resizes the spatial axes; see `interpolate`.

    Args:
        x: floating tensor.
        sizes: wanted extents.
        ratios: input elements per output element, per axis; `None` for that of the sizes.
        mode: see `interpolate`.
        align_corners: see `interpolate`.
        align_mode: see `interpolate`.
        data_format: where the channels are.
        antialias: see `interpolate`.
    """
    last = is_channel_last(data_format, x.ndim - 2, "interpolate")
    if not all(map(is_constant, (*spatial_sizes(x, last), *sizes))):
        # A Program is being made: it asks for the shape, and runs with sizes that are known.
        return jnp.zeros(
            with_spatial(tuple(sizes), last, x.shape[0], x.shape[-1 if last else 1]), x.dtype
        )
    if mode == "area":
        return adaptive_average(x, sizes, data_format, f"adaptive_avg_pool{x.ndim - 2}d")
    first = 1 if last else 2
    if any(ratio is None for ratio in ratios):
        extents = spatial_sizes(x, last)
        ratios = [extent / target for extent, target in zip(extents, sizes, strict=True)]
    if mode == "nearest":
        for i, (target, ratio) in enumerate(zip(sizes, ratios, strict=True)):
            x = _nearest_axis(x, first + i, target, ratio)
        return x
    wide = x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x
    options = (align_corners, align_mode, antialias)
    for i, (target, ratio) in enumerate(zip(sizes, ratios, strict=True)):
        wide = _resize_axis(wide, first + i, target, ratio, mode == "bicubic", options)
    return wide.astype(x.dtype)


def _numbers(value: Any, rank: int, name: str) -> list[Any]:
    values = value.tolist() if hasattr(value, "tolist") else value
    values = list(values) if isinstance(values, list | tuple) else [values]
    values = [v.item() if hasattr(v, "item") else v for v in values]
    values = values * rank if len(values) == 1 else values
    valid = len(values) == rank and all(map(_is_positive, values))
    if not valid:
        raise InvalidArgumentError(
            f"`{name}` of `interpolate` is {value!r}"[:200],
            expected=f"a positive number, or {rank} of them",
            fix="give one value per spatial axis",
        )
    return values


def _is_positive(value: Any) -> bool:
    return is_dimension(value) or (isinstance(value, int | float) and value > 0)


def _check_mode(x: Tensor, mode: str, align_corners: bool, align_mode: int) -> int:
    rank = x.ndim - 2
    if rank not in _MODES.get(mode, ()):
        fitting = ", ".join(repr(m) for m, ranks in _MODES.items() if rank in ranks)
        raise InvalidArgumentError(
            f"`mode` of `interpolate` is {mode!r} for a tensor of shape {x.shape}",
            expected=f"for {x.ndim} axes one of: {fitting or 'none (3 to 5 axes are needed)'}",
            fix="choose a mode for the number of axes, or add the batch axis",
        )
    if align_corners and mode in ("nearest", "area"):
        raise InvalidArgumentError(
            f"`interpolate` got align_corners=True and mode={mode!r}",
            expected="a linear or cubic mode",
            fix="leave align_corners at False",
        )
    if align_mode not in (0, 1):
        raise InvalidArgumentError(
            f"`align_mode` of `interpolate` is {align_mode}", expected="0 or 1", fix="use 0"
        )
    return rank


@composite
def interpolate(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes the spatial axes of sequences, images or volumes.

    Output element i lies at (i + 0.5) * ratio - 0.5 on the input's axis, ratio = input size /
    output size; `'nearest'` takes element floor(i * ratio).

    Args:
        x: floating tensor with a batch, a channel and one to three spatial axes.
        size: wanted extents, an integer or one per spatial axis.
        scale_factor: output size / input size, instead of `size`; sizes are rounded down.
        mode: `'nearest'`, `'linear'` (one spatial axis), `'bilinear'` or `'bicubic'` (two),
            `'trilinear'` (three), or `'area'` (averages).
        align_corners: let the first and last elements of both coincide.
        align_mode: 1 places output element i of the linear modes at i * ratio.
        data_format: `'NCW'`, `'NCHW'`, `'NCDHW'` or the same with the channels last.
        recompute_scale_factor: use the rounded sizes' ratio, not that of `scale_factor`.
        antialias: average over all elements when shrinking (bilinear and bicubic).

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        InvalidArgumentError: mode, sizes or format do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> x = proa.to_tensor([[[0.0, 1.0]]])
        >>> F.interpolate(x, scale_factor=2).tolist()
        [[[0.0, 0.0, 1.0, 1.0]]]

    Differs: a linear mode with output size 1 takes the centre (Paddle 3.3.1 the corner).
    """
    mode = mode.lower()
    rank = _check_mode(x, mode, align_corners, align_mode)
    form = data_format or _FORMATS[rank]
    extents = spatial_sizes(x, is_channel_last(form, rank, "interpolate"))
    if (size is None) == (scale_factor is None):
        raise InvalidArgumentError(
            f"`interpolate` got size={size!r} and scale_factor={scale_factor!r}",
            expected="exactly one of the two",
            fix="leave the other None",
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise InvalidArgumentError(
            f"`interpolate` got antialias=True and mode={mode!r}",
            expected="'bilinear' or 'bicubic'",
            fix="leave antialias at False",
        )
    if size is not None:
        sizes = [v if is_dimension(v) else int(v) for v in _numbers(size, rank, "size")]
        ratios = [_ratio(e, s) for e, s in zip(extents, sizes, strict=True)]
    else:
        factors = _numbers(scale_factor, rank, "scale_factor")
        sizes = [_scaled(e, f) for e, f in zip(extents, factors, strict=True)]
        ratios = [1 / f for f in factors]
        if recompute_scale_factor:
            ratios = [_ratio(e, s) for e, s in zip(extents, sizes, strict=True)]
    return resize(x, sizes, ratios, mode, align_corners, align_mode, form, antialias)


def _ratio(extent: Any, size: Any) -> float | None:
    """Input elements per output element; unknown sizes are divided when they are known."""
    return extent / size if is_constant(extent) and is_constant(size) else None


def _scaled(extent: Any, factor: float) -> Any:
    if is_constant(extent):
        return max(math.floor(extent * factor), 1)
    exact = Fraction(factor).limit_denominator(64)
    if factor != exact:
        require_constant("the input's spatial size", "interpolate", extent)
    return extent * exact.numerator // exact.denominator


@composite
def upsample(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The same as `interpolate`.

    Args:
        x: floating tensor.
        size: see `interpolate`.
        scale_factor: see `interpolate`.
        mode: see `interpolate`.
        align_corners: see `interpolate`.
        align_mode: see `interpolate`.
        data_format: see `interpolate`.

    Raises:
        InvalidArgumentError: see `interpolate`.
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)
