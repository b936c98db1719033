"""Dropout: random zeros during training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    Mersenne,
    Tensor,
    composite,
    is_drawn,
    op,
    shape_of,
    write_inplace,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Axis, Key

_MODES = ("upscale_in_train", "downscale_in_infer")


def keep_mask(key: Key, p: Any, shape: Any) -> Array:
    """Draws booleans that are true with probability 1 - p."""
    if is_drawn(key):
        return key >= p
    # 32 random bits a value: twice as fast as drawing floats, and exact to 2**-32.
    bits = jax.random.bits(key, shape, jnp.uint32)
    # In float32: a float16 `p` would overflow.
    share = jnp.asarray(p).astype(jnp.float32)
    threshold = jnp.minimum(share * 2.0**32, 2.0**32 - 1).astype(jnp.uint32)
    return bits >= threshold


def _mask_shape(shape: Any, axis: Any) -> Any:
    if axis is None:
        return shape
    kept = [a % len(shape) for a in ((axis,) if isinstance(axis, int) else axis)]
    return tuple(extent if i in kept else 1 for i, extent in enumerate(shape))


def _drop_noise(stream: Mersenne, x: Any, axis: Any, **rest: Any) -> np.ndarray:
    return stream.unit(_mask_shape(shape_of(x), axis))


@op(method=None, public=False, noise=_drop_noise)
def drop(key: Key, x: Array, p: Array, axis: Axis | None, upscale: bool) -> Array:
    """Zeroes elements with probability `p`, one draw for all axes that `axis` leaves out.

    Args:
        key: random bits.
        x: floating tensor.
        p: probability of a zero, 0-d float.
        axis: axes along which draws differ; all by default.
        upscale: divide what is kept by 1 - p.
    """
    mask = keep_mask(key, p, _mask_shape(x.shape, axis))
    zero = jnp.zeros((), x.dtype)
    if not upscale:
        return jnp.where(mask, x, zero)
    # At p = 1 everything is dropped; the factor must stay finite, its gradient too.
    factor = jnp.where(p < 1, 1 / jnp.where(p < 1, 1 - p, 1), 0)
    return jnp.where(mask & (p < 1), x * factor.astype(x.dtype), zero)


def _check_probability(p: Any, name: str) -> None:
    if isinstance(p, Tensor):
        return
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise InvalidArgumentError(
            f"`p` of `{name}` is {p!r}",
            expected="a probability in [0, 1]",
            fix="0.5 drops half of the elements",
        )


@composite
def dropout(
    x: Tensor,
    p: Any = 0.5,
    axis: Any = None,
    training: bool = True,
    inplace: bool = False,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """Sets elements to zero with probability `p` and scales so that the mean stays.

    Args:
        x: floating tensor.
        p: probability of a zero, a number or 0-d tensor in [0, 1].
        axis: axis or axes along which draws differ; along the others they are shared.
        training: without it nothing is dropped.
        inplace: write the result to `x`, and return that.
        mode: `'upscale_in_train'` divides by 1 - p in training; `'downscale_in_infer'`
            multiplies by 1 - p at inference instead.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: `p`, `mode` or `axis` is not one of the above.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.dropout(proa.ones([3]), 0.5, training=False).tolist()
        [1.0, 1.0, 1.0]
    """
    _check_probability(p, "dropout")
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"`mode` of `dropout` is {mode!r}",
            expected=" or ".join(repr(m) for m in _MODES),
            fix="leave the default",
        )
    axes = [axis] if isinstance(axis, int) else axis
    if axes is not None and not all(-x.ndim <= a < x.ndim for a in axes):
        raise InvalidArgumentError(
            f"`axis` of `dropout` is {axis!r} on a tensor with {x.ndim} axes",
            expected=f"axes in [{-x.ndim}, {x.ndim})",
            fix="name axes along which draws differ",
        )
    upscale = mode == _MODES[0]
    if not training:
        return x if upscale else x * (1 - p)
    if not isinstance(p, Tensor) and p == 0:
        return x
    dropped = drop(x, p, axes, upscale)
    return write_inplace(x, dropped) if inplace else dropped


def _check_axes(
    x: Tensor, allowed: tuple[int, ...], data_format: str, last: str, name: str
) -> bool:
    if x.ndim not in allowed:
        raise InvalidArgumentError(
            f"`x` of `{name}` has shape {x.shape}",
            expected=f"{' or '.join(str(n) for n in allowed)} axes",
            fix="add the batch axis, or use dropout with `axis`",
        )
    first = last[0] + last[-1] + last[1:-1]
    if data_format not in (first, last):
        raise InvalidArgumentError(
            f"`data_format` of `{name}` is {data_format!r}",
            expected=f"{first!r} or {last!r}",
            fix="name the axes of x in the order they have",
        )
    return data_format == last


@composite
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of sequences [N, C, L] (or [C, L]).

    Args:
        input: floating tensor.
        p: probability of dropping a channel.
        training: without it nothing is dropped.
        inplace: accepted for Paddle's signature.

    Raises:
        InvalidArgumentError: not two or three axes, or `p` is no probability.
    """
    _check_axes(input, (2, 3), "NCL", "NLC", "dropout1d")
    return dropout(input, p, [0] if input.ndim == 2 else [0, 1], training)


@composite
def dropout2d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Drops whole channels of images.

    Args:
        x: floating tensor [N, C, H, W] or [N, H, W, C].
        p: probability of dropping a channel.
        training: without it nothing is dropped.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: not four axes, or `p` is no probability.
    """
    last = _check_axes(x, (4,), data_format, "NHWC", "dropout2d")
    return dropout(x, p, [0, 3] if last else [0, 1], training)


@composite
def dropout3d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Drops whole channels of volumes.

    Args:
        x: floating tensor [N, C, D, H, W] or [N, D, H, W, C].
        p: probability of dropping a channel.
        training: without it nothing is dropped.
        data_format: `'NCDHW'` or `'NDHWC'`.

    Raises:
        InvalidArgumentError: not five axes, or `p` is no probability.
    """
    last = _check_axes(x, (5,), data_format, "NDHWC", "dropout3d")
    return dropout(x, p, [0, 4] if last else [0, 1], training)


_SELU_FLOOR = -1.0507009873554805 * 1.6732632423543772


def _alpha_noise(stream: Mersenne, x: Any, whole_maps: bool, **rest: Any) -> np.ndarray:
    return stream.unit(_map_shape(shape_of(x)) if whole_maps else shape_of(x))


def _map_shape(shape: Any) -> Any:
    return (*shape[:2], *(1 for _ in shape[2:]))


@op(method=None, public=False, noise=_alpha_noise)
def alpha_drop(key: Key, x: Array, p: float, whole_maps: bool) -> Array:
    """Dropout that keeps the mean and variance of SELU activations.

    Args:
        key: random bits.
        x: floating tensor.
        p: probability of a drop, below 1.
        whole_maps: one draw per batch entry and channel.
    """
    keep = 1 - p
    scale = 1 / math.sqrt(keep * (1 + p * _SELU_FLOOR**2))
    shift = -scale * p * _SELU_FLOOR
    mask = keep_mask(key, p, _map_shape(x.shape) if whole_maps else x.shape)
    return jnp.where(mask, x, jnp.asarray(_SELU_FLOOR, x.dtype)) * scale + shift


@composite
def alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    """Dropout for SELU networks: dropped elements take SELU's floor, then mean and variance
    are restored.

    Args:
        x: floating tensor.
        p: probability of a drop, in [0, 1].
        training: without it nothing is dropped.

    Raises:
        InvalidArgumentError: `p` is no probability.
    """
    return _alpha(x, p, training, False, "alpha_dropout")


@composite
def feature_alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    """`alpha_dropout` of whole channels.

    Args:
        x: floating tensor [N, C, ...].
        p: probability of dropping a channel, in [0, 1].
        training: without it nothing is dropped.

    Raises:
        InvalidArgumentError: `p` is no probability.
    """
    return _alpha(x, p, training, True, "feature_alpha_dropout")


def _alpha(x: Tensor, p: float, training: bool, whole_maps: bool, name: str) -> Tensor:
    _check_probability(p, name)
    if not training or p == 0:
        return x
    if p == 1:
        return drop(x, 1.0, None, True)
    return alpha_drop(x, p, whole_maps)
