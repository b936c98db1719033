"""Activations with what stands around them in a feed-forward block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, op

from ._quantize import maybe_int8

if TYPE_CHECKING:
    from proa.core._types import Array, DType

_PLAIN = {
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "relu": jax.nn.relu,
    "silu": jax.nn.silu,
    "swish": jax.nn.silu,
    "sigmoid": jax.nn.sigmoid,
    "none": lambda x: x,
}
#: Activation of the first half of the last axis, times the second half.
_GATED = {"geglu": "gelu", "swiglu": "silu", "reglu": "relu"}
_DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "default": None}


@op(method=None, public=False)
def bias_act(
    x: Array,
    bias: Array | None,
    dequant_scales: Array | None,
    shift: Array | None,
    smooth: Array | None,
    act_method: str,
    dtype: DType | None,
) -> Array:
    """`(activation(x * dequant_scales + bias) + shift) * smooth`; see `fused_bias_act`."""
    if dtype is not None:
        kind = dtype.numpy
    else:
        kind = x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else jnp.dtype(jnp.float32)
    out = x.astype(jnp.float32 if kind.itemsize < 4 else kind)
    if dequant_scales is not None:
        out = out * dequant_scales
    if bias is not None:
        out = out + bias
    if act_method in _GATED:
        gate, value = jnp.split(out, 2, axis=-1)
        out = _PLAIN[_GATED[act_method]](gate) * value
    else:
        out = _PLAIN[act_method](out)
    if shift is not None:
        out = out + shift
    return (out if smooth is None else out * smooth).astype(kind)


@composite
def fused_bias_act(
    x: Tensor,
    bias: Tensor | None = None,
    dequant_scales: Tensor | None = None,
    shift: Tensor | None = None,
    smooth: Tensor | None = None,
    act_method: str = "gelu",
    compute_dtype: str = "default",
    quant_scale: float = -1,
    quant_round_type: int = 0,
    quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> Tensor:
    """Activation of `x + bias`: `(activation(x * dequant_scales + bias) + shift) * smooth`.

    Args:
        x: floating tensor [..., E], or integers that `dequant_scales` belong to.
        bias: tensor [E].
        dequant_scales: factors [E] of `x`.
        shift: added to the activation, [E] (half of it for a gated one).
        smooth: factor of the activation, of that size.
        act_method: gelu, relu, silu, sigmoid, or one that multiplies the activation of the
            first half of the last axis with the second half: geglu, swiglu, reglu.
        compute_dtype: dtype of the result for integers: fp16, bf16, fp32; that of `x` by default.
        quant_scale: above 0, the result is rounded to int8 after `* quant_scale * max_bound`.
        quant_round_type: 0 rounds ties to even, 1 away from zero.
        quant_max_bound: largest integer.
        quant_min_bound: smallest integer.

    Raises:
        InvalidArgumentError: an activation or a dtype that is not listed.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import fused_bias_act
        >>> fused_bias_act(proa.to_tensor([[-1.0, 2.0]]), act_method="relu").tolist()
        [[0.0, 2.0]]
    """
    if act_method not in _PLAIN and act_method not in _GATED:
        raise InvalidArgumentError(
            f"`act_method` of `fused_bias_act` is {act_method!r}",
            expected=", ".join([*_PLAIN, *_GATED]),
            fix="use one of these, or `nn.functional` after `x + bias`",
        )
    if compute_dtype not in _DTYPES:
        raise InvalidArgumentError(
            f"`compute_dtype` of `fused_bias_act` is {compute_dtype!r}",
            expected=", ".join(_DTYPES),
            fix="use 'default' for the dtype of `x`",
        )
    out = bias_act(x, bias, dequant_scales, shift, smooth, act_method, _DTYPES[compute_dtype])
    return maybe_int8(out, quant_scale, quant_round_type, quant_max_bound, quant_min_bound)


@op(method=None)
def fused_swiglu_weighted_bwd(
    o1: Array, do2_s: Array, unzipped_probs: Array
) -> tuple[Array, Array, Array]:
    """Gradient of `silu(gate) * value * prob`, gate and value being the halves of `o1`.

    Args:
        o1: input of the forward pass, [..., 2 * I].
        do2_s: gradient of its result, [..., I].
        unzipped_probs: factor of each row, [...] or [..., 1].

    Returns:
        Gradient of `o1`, gradient of the factors, and the forward result once more.
    """
    wide = o1.astype(jnp.float32)
    rows = unzipped_probs.reshape(*o1.shape[:-1], 1).astype(jnp.float32)

    def forward(inputs: Array, factor: Array) -> Array:
        gate, value = jnp.split(inputs, 2, axis=-1)
        return jax.nn.silu(gate) * value * factor

    out, pull = jax.vjp(forward, wide, rows)
    of_input, of_factor = pull(do2_s.astype(jnp.float32))
    return (
        of_input.astype(o1.dtype),
        of_factor.reshape(unzipped_probs.shape).astype(unzipped_probs.dtype),
        out.astype(o1.dtype),
    )
