"""Clipping, and the affine map of one tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op, write_inplace

from ._promote import is_complex, promote, refuse_complex

if TYPE_CHECKING:
    from proa.core._types import Array


@op(inplace=True, out=True)
def clip(x: Array, min: Array | None = None, max: Array | None = None):
    """Limits values to [min, max]; NaN stays NaN.

    Where `x` equals a bound the gradient is 1, as in Paddle.

    Args:
        x: real tensor; an integer tensor with a floating bound gives float32.
        min: lower bound, a number or a tensor that broadcasts; `None` for none.
        max: upper bound; wins where `min > max`.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.clip(proa.to_tensor([-2.0, 0.5, 3.0]), 0.0, 1.0).tolist()
        [0.0, 0.5, 1.0]
    """
    refuse_complex("clip", x)
    bounds = [b for b in (min, max) if b is not None]
    x, *bounds = promote(x, *bounds)
    if min is not None:
        low = bounds.pop(0)
        x = jnp.where(x < low, low, x)
    if max is not None:
        high = bounds.pop(0)
        x = jnp.where(x > high, high, x)
    return x


@op(name="scale", method=None, public=False)
def _affine(x: Array, scale: Array, bias: Array, bias_after_scale: bool):
    if not is_complex(x):
        refuse_complex("scale", scale, bias)
    scale, bias = scale.astype(x.dtype), bias.astype(x.dtype)
    return x * scale + bias if bias_after_scale else (x + bias) * scale


@op(name="scale_activation", method=None, public=False)
def _activation(x: Array, act: str):
    return _ACTIVATIONS[act](x)


_ACTIVATIONS = {
    "exp": jnp.exp,
    "relu": jax.nn.relu,
    "sigmoid": jax.nn.sigmoid,
    "softplus": jax.nn.softplus,
    "softsign": jax.nn.soft_sign,
    "tanh": jnp.tanh,
}


@composite
def scale(
    x: Any,
    scale: Any = 1.0,
    bias: Any = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`scale * x + bias`, in the dtype of `x`.

    Args:
        x: numeric tensor.
        scale: factor, a number or a 0-d tensor; cast to the dtype of `x`.
        bias: what to add, cast likewise.
        bias_after_scale: `False` gives `scale * (x + bias)`.
        act: activation of the result: exp, relu, sigmoid, softplus, softsign, tanh.
        name: not used.

    Raises:
        InvalidArgumentError: an unknown `act`.

    Examples:
        >>> import proa
        >>> proa.scale(proa.to_tensor([1.0, 2.0]), scale=2.0, bias=1.0).tolist()
        [3.0, 5.0]
    """
    if act is not None and act not in _ACTIVATIONS:
        raise InvalidArgumentError(
            f"`act` of `scale` is {act!r}",
            expected="None or one of " + ", ".join(_ACTIVATIONS),
            fix="leave it out and call the activation yourself",
        )
    result = _affine(x, scale, bias, bias_after_scale)
    return result if act is None else _activation(result, act)


@composite
def scale_(
    x: Tensor,
    scale: Any = 1.0,
    bias: Any = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """In-place form of `scale`: overwrites `x` and returns it."""
    return write_inplace(x, _scale(x, scale, bias, bias_after_scale, act))


_scale = scale
clip_ = clip.inplace
# Paddle's other name for the same function.
clamp, clamp_ = clip, clip_

attach_method("clamp", clamp)
attach_method("clamp_", clamp_)
attach_method("scale", scale)
attach_method("scale_", scale_)
