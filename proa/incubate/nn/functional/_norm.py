"""Normalisations that add a bias and a residual first, and return the sum too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, Tensor, composite, op
from proa.ops import empty

from ._quantize import maybe_int8

if TYPE_CHECKING:
    from proa.core._types import Array


def _wide(x: Array) -> Array:
    return x.astype(jnp.float32) if x.dtype.itemsize < 4 else x


def _summed(x: Array, bias: Array | None, residual: Array | None, alpha: float) -> Array:
    total = _wide(x)
    if bias is not None:
        total = total + bias.astype(total.dtype)
    return total if residual is None else total + alpha * residual.astype(total.dtype)


def _affine(x: Array, weight: Array | None, bias: Array | None, begin: int) -> Array:
    shape = x.shape[begin:]
    if weight is not None:
        x = x * weight.reshape(shape).astype(x.dtype)
    return x if bias is None else x + bias.reshape(shape).astype(x.dtype)


def _check_axis(x: Any, begin: int, name: str) -> int:
    if not -x.ndim <= begin < x.ndim or x.ndim == 0:
        raise InvalidArgumentError(
            f"`begin_norm_axis` of `{name}` is {begin}, `x` has {x.ndim} axes",
            expected=f"an axis from {-x.ndim} to {x.ndim - 1}",
            fix="name the first axis to normalise over",
        )
    return begin % x.ndim


@op(method=None, amp="black", public=False)
def rms_norm_of_sum(
    x: Array,
    weight: Array | None,
    norm_bias: Array | None,
    bias: Array | None,
    residual: Array | None,
    epsilon: float,
    begin: int,
) -> tuple[Array, Array, Array]:
    """Normalises `x + bias + residual` by its root mean square.

    Returns:
        The result, the sum, and one over the root mean square of each row.
    """
    total = _summed(x, bias, residual, 1.0)
    axes = tuple(range(begin, x.ndim))
    inverse = lax.rsqrt(jnp.mean(lax.square(total), axis=axes, keepdims=True) + epsilon)
    out = _affine(total * inverse, weight, norm_bias, begin)
    return out.astype(x.dtype), total.astype(x.dtype), inverse.reshape(-1)


@op(method=None, amp="black", public=False)
def layer_norm_of_sum(
    x: Array,
    weight: Array | None,
    norm_bias: Array | None,
    bias: Array | None,
    residual: Array | None,
    epsilon: float,
    alpha: float,
    begin: int,
) -> tuple[Array, Array, Array, Array]:
    """Normalises `x + bias + alpha * residual` to mean 0 and variance 1.

    Returns:
        The result, the sum, and the mean and one over the deviation of each row.
    """
    total = _summed(x, bias, residual, alpha)
    axes = tuple(range(begin, x.ndim))
    mean = jnp.mean(total, axis=axes, keepdims=True)
    centred = total - mean
    inverse = lax.rsqrt(jnp.mean(lax.square(centred), axis=axes, keepdims=True) + epsilon)
    out = _affine(centred * inverse, weight, norm_bias, begin)
    return out.astype(x.dtype), total.astype(x.dtype), mean.reshape(-1), inverse.reshape(-1)


@composite
def fused_rms_norm(
    x: Tensor,
    norm_weight: Tensor,
    norm_bias: Tensor | None,
    epsilon: float,
    begin_norm_axis: int = 1,
    bias: Tensor | None = None,
    residual: Tensor | None = None,
    quant_scale: float = -1,
    quant_round_type: float = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> tuple[Tensor, Tensor]:
    """Normalises `x + bias + residual` by its root mean square, times weight, plus bias.

    Args:
        x: floating tensor.
        norm_weight: scale, with as many elements as the normalised axes.
        norm_bias: shift of that size, or `None`.
        epsilon: added to the mean square.
        begin_norm_axis: the first of the axes to normalise over.
        bias: added to `x` first, of the last axis' size.
        residual: added to `x` first, of the shape of `x`.
        quant_scale: above 0, the result is rounded to int8 after `* quant_scale * max_bound`.
        quant_round_type: 0 rounds ties to even, 1 away from zero.
        quant_max_bound: largest integer.
        quant_min_bound: smallest integer.

    Returns:
        The result, and the sum (empty without `residual`).

    Raises:
        InvalidArgumentError: `begin_norm_axis` is no axis.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import fused_rms_norm
        >>> fused_rms_norm(proa.ones([1, 2]), proa.to_tensor([1.0, 2.0]), None, 0.0)[0].tolist()
        [[1.0, 2.0]]
    """
    begin = _check_axis(x, begin_norm_axis, "fused_rms_norm")
    out, total, _ = rms_norm_of_sum(x, norm_weight, norm_bias, bias, residual, epsilon, begin)
    bounds = (int(quant_round_type), quant_max_bound, quant_min_bound)
    out = maybe_int8(out, quant_scale, *bounds)
    return out, empty([0], x.dtype) if residual is None else total


@composite
def fused_layer_norm(
    x: Tensor,
    norm_weight: Tensor | None,
    norm_bias: Tensor | None,
    epsilon: float,
    residual_alpha: float = 1.0,
    begin_norm_axis: int = 1,
    bias: Tensor | None = None,
    residual: Tensor | None = None,
    quant_scale: float = -1,
    quant_round_type: float = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Layer normalisation of `x + bias + residual_alpha * residual`.

    Args:
        x: floating tensor.
        norm_weight: scale, with as many elements as the normalised axes. Without scale and
            shift the sum is not normalised.
        norm_bias: shift of that size, or `None`.
        epsilon: added to the variance.
        residual_alpha: factor of the residual.
        begin_norm_axis: the first of the axes to normalise over.
        bias: added to `x` first, of the last axis' size.
        residual: added to `x` first, of the shape of `x`.
        quant_scale: above 0, the result is rounded to int8 after `* quant_scale * max_bound`.
        quant_round_type: 0 rounds ties to even, 1 away from zero.
        quant_max_bound: largest integer.
        quant_min_bound: smallest integer.

    Returns:
        The result, the sum (empty without `residual`), and the mean and one over the standard
        deviation of each row.

    Raises:
        InvalidArgumentError: `begin_norm_axis` is no axis.
    """
    begin = _check_axis(x, begin_norm_axis, "fused_layer_norm")
    out, total, mean, inverse = layer_norm_of_sum(
        x, norm_weight, norm_bias, bias, residual, epsilon, residual_alpha, begin
    )
    if norm_weight is None and norm_bias is None:
        out = total
    bounds = (int(quant_round_type), quant_max_bound, quant_min_bound)
    out = maybe_int8(out, quant_scale, *bounds)
    return out, empty([0], x.dtype) if residual is None else total, mean, inverse


@composite
def fast_ln(
    x: Tensor, scale: Tensor, bias: Tensor, epsilon: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """Layer normalisation of the last axis, with the statistics it used.

    Args:
        x: floating tensor.
        scale: scale of the last axis' size.
        bias: shift of that size.
        epsilon: added to the variance.

    Returns:
        The result, and the mean and one over the standard deviation of each row.
    """
    begin = _check_axis(x, -1, "fast_ln")
    out, _, mean, inverse = layer_norm_of_sum(x, scale, bias, None, None, epsilon, 1.0, begin)
    return out, mean, inverse


@composite
def fast_rms_norm(x: Tensor, scale: Tensor, epsilon: float = 1e-5) -> tuple[Tensor, Tensor]:
    """Division of the last axis by its root mean square, with the statistic it used.

    Args:
        x: floating tensor.
        scale: scale of the last axis' size.
        epsilon: added to the mean square.

    Returns:
        The result, and one over the root mean square of each row.
    """
    begin = _check_axis(x, -1, "fast_rms_norm")
    out, _, inverse = rms_norm_of_sum(x, scale, None, None, None, epsilon, begin)
    return out, inverse


@composite
def fused_rms_norm_ext(
    x: Tensor, scale: Tensor, epsilon: float = 1e-5, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`fast_rms_norm` under its other name, with the argument `name`.

    Args:
        x: floating tensor.
        scale: scale of the last axis' size.
        epsilon: added to the mean square.
        name: not used.
    """
    return fast_rms_norm(x, scale, epsilon)
