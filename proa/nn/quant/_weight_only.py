"""Linear maps whose weights are integers of 8 or 4 bits.

Axes in names: I width of the input, O width of the output, G size of a group along I.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, UnsupportedError, composite, describe_array, op
from proa.ops._fake_quantize import away_from_zero

if TYPE_CHECKING:
    from proa.core._types import Array, DType

_BITS = {"weight_only_int8": 8, "weight_only_int4": 4, "llm.int8": 8, "int8": 8, "int4": 4}


def _bits(algo: str, name: str) -> int:
    if algo in ("w4a8", "w4afp8"):
        raise UnsupportedError(
            f"`algo` of `{name}` is {algo!r}",
            expected="weight_only_int8, weight_only_int4 or llm.int8",
            fix="that order of bits is for one kind of GPU kernel: use 'weight_only_int4'",
        )
    if algo not in _BITS:
        raise InvalidArgumentError(
            f"`algo` of `{name}` is {algo!r}",
            expected="weight_only_int8, weight_only_int4 or llm.int8",
            fix="use one of these",
        )
    return _BITS[algo]


def _check_group(size: int, name: str) -> None:
    if size not in (-1, 64, 128):
        raise InvalidArgumentError(
            f"`group_size` of `{name}` is {size}",
            expected="-1 (one scale per output), 64 or 128",
            fix="use one of these",
        )


def _spread(scale: Array, width: int, group: int) -> Array:
    """Scales [O] or [I / G, O] for each element of [O, I]."""
    if group == -1:
        return scale.reshape(-1, 1)
    return jnp.repeat(scale.T, group, axis=1)[:, :width]


@op(method=None, public=False, differentiable=False)
def quantize_weight(x: Array, bits: int, group: int, dtype: DType) -> tuple[Array, Array]:
    """Integers [O, I] (two in a byte for 4 bits, [O / 2, I]) and scales of a weight [I, O]."""
    wide = x.astype(jnp.float32).T
    width = wide.shape[1]
    largest = 2 ** (bits - 1) - 1
    if group == -1:
        scale = jnp.max(jnp.abs(wide), axis=1) / largest
    else:
        padded = jnp.pad(wide, ((0, 0), (0, -width % group)))
        groups = padded.reshape(wide.shape[0], -1, group)
        scale = jnp.max(jnp.abs(groups), axis=2).T / largest
    factors = _spread(scale, width, group)
    steps = away_from_zero(wide / jnp.where(factors > 0, factors, 1))
    integers = jnp.clip(steps, -largest, largest).astype(jnp.int8)
    if bits == 4:
        low, high = integers[::2].astype(jnp.uint8) & 15, integers[1::2].astype(jnp.uint8) & 15
        integers = (low | (high << 4)).astype(jnp.int8)
    return integers, scale.astype(dtype.numpy)


def _integers(packed: Array, bits: int) -> Array:
    """What `quantize_weight` packed: [O, I]."""
    if bits == 8:
        return packed
    low = (packed << 4).astype(jnp.int8) >> 4
    return jnp.stack([low, packed >> 4], axis=1).reshape(-1, packed.shape[1])


def _floating(packed: Array, scale: Array, bits: int, group: int, dtype: Any) -> Array:
    integers = _integers(packed, bits)
    factors = _spread(scale.astype(jnp.float32), integers.shape[1], group)
    return (integers.astype(jnp.float32) * factors).astype(dtype)


@op(method=None, public=False)
def dequantize_weight(x: Array, scale: Array, bits: int, group: int, dtype: DType) -> Array:
    """The weight [I, O] that integers [O, I] and scales stand for."""
    return _floating(x, scale, bits, group, dtype.numpy).T


@op(method=None, amp="white", public=False)
def linear_of_integers(
    x: Array, weight: Array, scale: Array, bias: Array | None, bits: int, group: int
) -> Array:
    """`x @ weight + bias` with a weight of integers; see `weight_only_linear`."""
    out = jnp.matmul(x, _floating(weight, scale, bits, group, x.dtype).T)
    return out if bias is None else out + bias.astype(out.dtype)


@op(method=None, amp="white", public=False)
def linear_in_integers(
    x: Array, weight: Array, scale: Array, bias: Array | None, threshold: float
) -> Array:
    """Product of integers, but for inputs that are too large; see `llm_int8_linear`."""
    wide = x.astype(jnp.float32)
    columns = tuple(range(wide.ndim - 1))
    is_large = jnp.max(jnp.abs(wide), axis=columns, initial=0) > threshold
    small = jnp.where(is_large, 0, wide)
    row = jnp.max(jnp.abs(small), axis=-1, keepdims=True) / 127
    steps = away_from_zero(small / jnp.where(row > 0, row, 1)).astype(jnp.int8)
    exact = jnp.matmul(steps, weight.T, preferred_element_type=jnp.int32)
    out = exact.astype(jnp.float32) * row * scale.astype(jnp.float32)
    large = jnp.where(is_large, wide, 0)
    out = out + jnp.matmul(large, _floating(weight, scale, 8, -1, jnp.float32).T)
    return (out if bias is None else out + bias).astype(x.dtype)


def _check_matrix(x: Any, name: str) -> None:
    if x.ndim != 2:
        raise InvalidArgumentError(
            f"the weight of `{name}` is {describe_array(x._data)}",
            expected="two axes",
            fix="reshape it to a matrix",
        )


@composite
def weight_quantize(
    x: Tensor, algo: str = "weight_only_int8", arch: int | None = None, group_size: int = -1
) -> tuple[Tensor, Tensor]:
    """Makes integers of the weight of a linear map: `round(weight / scale)`.

    Args:
        x: floating tensor [I, O].
        algo: `"weight_only_int8"`, `"weight_only_int4"` or `"llm.int8"`.
        arch: accepted for Paddle's signature: the order of the integers is always the plain one.
        group_size: scales for 64 or 128 inputs each; -1 for one scale per output.

    Returns:
        int8 integers [O, I], or [O / 2, I] for 4 bits, the even output in the low half of a
        byte; and scales [O] or [ceil(I / G), O], in the dtype of `x` (float32 for llm.int8).

    Raises:
        InvalidArgumentError: another algorithm or group, or an odd O for 4 bits.
        UnsupportedError: an algorithm of one GPU kernel.

    Differs: Paddle 3.3.1 permutes the integers for its GPU kernels, except for llm.int8.

    Examples:
        >>> import proa
        >>> from proa.nn.quant import weight_dequantize, weight_quantize
        >>> weight = proa.to_tensor([[1.0, -12.7], [0.5, 6.35]])
        >>> integers, scale = weight_quantize(weight)
        >>> integers.tolist()
        [[127, 64], [-127, 64]]
    """
    bits = _bits(algo, "weight_quantize")
    _check_matrix(x, "weight_quantize")
    _check_group(group_size, "weight_quantize")
    if bits == 4 and x.shape[1] % 2:
        raise InvalidArgumentError(
            f"4 bits for a weight {describe_array(x._data)}",
            expected="an even number of outputs: two share a byte",
            fix="pad the weight by one output, or use 8 bits",
        )
    dtype = "float32" if algo == "llm.int8" else x.dtype
    return quantize_weight(x, bits, group_size, dtype)


@composite
def weight_dequantize(
    x: Tensor,
    scale: Tensor,
    algo: str = "weight_only_int8",
    out_dtype: Any = "float16",
    group_size: int = -1,
) -> Tensor:
    """The weight that integers and scales of `weight_quantize` stand for.

    Args:
        x: int8 tensor [O, I], or [O / 2, I] for 4 bits.
        scale: [O] or [ceil(I / G), O].
        algo: see `weight_quantize`.
        out_dtype: dtype of the result where the scale is float32; else the scale's.
        group_size: see `weight_quantize`.

    Returns:
        Tensor [I, O].

    Raises:
        InvalidArgumentError: another algorithm or group.
    """
    bits = _bits(algo, "weight_dequantize")
    _check_matrix(x, "weight_dequantize")
    _check_group(group_size, "weight_dequantize")
    dtype = out_dtype if scale.dtype == "float32" else scale.dtype
    return dequantize_weight(x, scale, bits, group_size, dtype)


def _need_scale(scale: Any, name: str) -> Any:
    if scale is None:
        raise InvalidArgumentError(
            f"`weight_scale` of `{name}` is None",
            expected="the scales of the weight",
            fix="pass the second result of `weight_quantize`",
        )
    return scale


@composite
def weight_only_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    weight_dtype: str = "int8",
    arch: int | None = None,
    group_size: int = -1,
) -> Tensor:
    """`x @ weight + bias` with a weight of integers.

    Args:
        x: floating tensor [..., I].
        weight: int8 tensor of `weight_quantize`, [O, I] or [O / 2, I].
        bias: tensor [O].
        weight_scale: its scales.
        weight_dtype: `"int8"` or `"int4"`.
        arch: accepted for Paddle's signature.
        group_size: see `weight_quantize`.

    Returns:
        Tensor [..., O] of the dtype of `x`.

    Raises:
        InvalidArgumentError: no scales, another dtype or group.
    """
    if weight_dtype not in ("int8", "int4"):
        raise InvalidArgumentError(
            f"`weight_dtype` of `weight_only_linear` is {weight_dtype!r}",
            expected="'int8' or 'int4'",
            fix="use that of the weight",
        )
    _check_matrix(weight, "weight_only_linear")
    _check_group(group_size, "weight_only_linear")
    scale = _need_scale(weight_scale, "weight_only_linear")
    return linear_of_integers(x, weight, scale, bias, _BITS[weight_dtype], group_size)


@composite
def llm_int8_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    threshold: float = 6.0,
) -> Tensor:
    """Linear map by a product of integers; inputs with an outlier are multiplied as they are.

    Each row of `x` without its outlying inputs becomes integers of 8 bits.

    Args:
        x: floating tensor [..., I].
        weight: int8 tensor [O, I].
        bias: tensor [O].
        weight_scale: scales [O].
        threshold: an input that is larger in any row is an outlier.

    Returns:
        Tensor [..., O] of the dtype of `x`.

    Raises:
        InvalidArgumentError: no scales, or no matrix.

    References:
        Dettmers et al., "LLM.int8(): 8-bit Matrix Multiplication for Transformers", 2022.
    """
    _check_matrix(weight, "llm_int8_linear")
    scale = _need_scale(weight_scale, "llm_int8_linear")
    return linear_in_integers(x, weight, scale, bias, float(threshold))
