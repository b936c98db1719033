"""Float8 numbers (e4m3) with a factor per block of 128, and products of them.

A factor is what a block is multiplied with to get the numbers back: its largest magnitude over
448, the largest number of e4m3. Axes in names: M rows, N columns, K what is summed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, UnsupportedError, composite, op, write_out
from proa.ops import add, cast, matmul, reshape, stack, transpose

if TYPE_CHECKING:
    from proa.core._types import Array, DType

BLOCK = 128
_LARGEST = 448.0


def _padded(x: Array, rows: int, columns: int) -> Array:
    return jnp.pad(x, ((0, -x.shape[0] % rows), (0, -x.shape[1] % columns)))


def _spread(scale: Array, shape: Any, rows: int) -> Array:
    """Factors [ceil(M / rows), ceil(N / 128)] for each element of [M, N]."""
    full = jnp.repeat(jnp.repeat(scale, rows, axis=0), BLOCK, axis=1)
    return full[: shape[0], : shape[1]]


def _quantized(x: Array, rows: int, epsilon: float, pow2: bool) -> tuple[Array, Array]:
    if x.ndim != 2:
        raise InvalidArgumentError(
            f"a tensor of {x.ndim} axes is to be made float8 by blocks",
            expected="a matrix [M, N]",
            fix="reshape it to two axes",
        )
    wide = _padded(x.astype(jnp.float32), rows, BLOCK)
    blocks = wide.reshape(wide.shape[0] // rows, rows, wide.shape[1] // BLOCK, BLOCK)
    largest = jnp.maximum(jnp.max(jnp.abs(blocks), axis=(1, 3)), epsilon)
    scale = jnp.where(largest > 0, largest / _LARGEST, 1.0)
    if pow2:
        mantissa, exponent = jnp.frexp(scale)
        # 2^k with the least k that is enough: frexp gives 0.5 * 2^e for a power of two.
        scale = jnp.ldexp(jnp.ones_like(scale), jnp.where(mantissa == 0.5, exponent - 1, exponent))
    out = x.astype(jnp.float32) / _spread(scale, x.shape, rows)
    return jnp.clip(out, -_LARGEST, _LARGEST).astype(jnp.float8_e4m3fn), scale


@op(method=None, public=False, differentiable=False)
def quantize_blocks(x: Array, rows: int, epsilon: float, pow2: bool) -> tuple[Array, Array]:
    """Float8 numbers of a matrix and the factors of its blocks of `rows` by 128.

    Args:
        x: [M, N].
        rows: rows of a block, 1 or 128.
        epsilon: least magnitude a block is taken to have.
        pow2: round factors up to powers of two.

    Returns:
        float8_e4m3fn [M, N], and float32 [ceil(M / rows), ceil(N / 128)].
    """
    return _quantized(x, rows, epsilon, pow2)


@op(method=None, public=False, differentiable=False)
def pack_exponents(scale: Array) -> Array:
    """Exponents of powers of two, biased by 127, four to an int32, the first lowest."""
    exponent = (jnp.frexp(scale)[1] - 1 + 127).astype(jnp.uint32)
    exponent = jnp.pad(exponent, ((0, 0), (0, -exponent.shape[1] % 4)))
    parts = exponent.reshape(exponent.shape[0], -1, 4) << jnp.arange(0, 32, 8, dtype=jnp.uint32)
    return jax.lax.bitcast_convert_type(jnp.sum(parts, axis=-1, dtype=jnp.uint32), jnp.int32)


def _unpacked(scale: Array, num_blocks: int) -> Array:
    words = jax.lax.bitcast_convert_type(scale, jnp.uint32)
    exponent = (words[..., None] >> jnp.arange(0, 32, 8, dtype=jnp.uint32)) & 0xFF
    exponent = exponent.reshape(scale.shape[0], -1)[:, :num_blocks].astype(jnp.int32)
    return jnp.ldexp(jnp.ones(exponent.shape, jnp.float32), exponent - 127)


@op(method=None, public=False, differentiable=False)
def dequantize_blocks(x: Array, scale: Array, dtype: DType) -> Array:
    """Numbers of a float8 matrix, by factors of 1 x 128 or 128 x 128 blocks.

    Args:
        x: float8 [M, N].
        scale: float32 factors, [M, N / 128], [M / 128, N / 128] or one of them transposed, or
            int32 with four exponents each, [M, N / 512].
        dtype: dtype of the result.
    """
    num_rows, num_blocks = x.shape[0], -(-x.shape[1] // BLOCK)
    if scale.dtype == jnp.int32:
        scale = _unpacked(scale, num_blocks)
    row_blocks = -(-num_rows // BLOCK)
    shapes: dict[Any, tuple[int, bool]] = {
        (num_rows, num_blocks): (1, False),
        (num_blocks, num_rows): (1, True),
        (row_blocks, num_blocks): (BLOCK, False),
        (num_blocks, row_blocks): (BLOCK, True),
    }
    found = shapes.get(tuple(scale.shape)) if scale.ndim == 2 else None
    # Later entries of the table win, where shapes agree; the first is the common one.
    if tuple(scale.shape) == (num_rows, num_blocks):
        found = (1, False)
    if found is None:
        raise InvalidArgumentError(
            f"factors of shape {list(scale.shape)} for a matrix {list(x.shape)}",
            expected=f"[{num_rows}, {num_blocks}] or [{row_blocks}, {num_blocks}]",
            fix="pass the factors that the quantisation returned",
        )
    rows, is_transposed = found
    factors = _spread(scale.T if is_transposed else scale, x.shape, rows)
    return (x.astype(jnp.float32) * factors).astype(dtype.numpy)


@composite
def fp8_quant_blockwise(
    x: Tensor,
    epsilon: float = 0.0,
    input_transpose: bool = False,
    output_scale_transpose: bool = True,
    return_transpose_only: bool = False,
    using_pow2_scale: bool = True,
    using_ue8m0_scale: bool = False,
    quant_method: str = "1x128",
    output_type: str = "e4m3",
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Makes a matrix float8, with a factor per block.

    Args:
        x: floating tensor [M, N].
        epsilon: least magnitude a block is taken to have.
        input_transpose: quantise the transposed matrix too.
        output_scale_transpose: accepted for Paddle's signature: it orders memory, which XLA does.
        return_transpose_only: with `input_transpose`, return the transposed results alone.
        using_pow2_scale: round factors up to powers of two.
        using_ue8m0_scale: return factors as int32, with four exponents each.
        quant_method: `"1x128"` or `"128x128"`, the size of a block.
        output_type: `"e4m3"`.
        name: not used.

    Returns:
        float8_e4m3fn [M, N] and its factors [M, ceil(N / 128)] (or [ceil(M / 128), ...]); then
        the same of the transposed matrix, where asked for.

    Raises:
        InvalidArgumentError: another method or type, or no matrix.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import fp8_quant_blockwise
        >>> out, scale = fp8_quant_blockwise(proa.full([2, 256], 448.0))
        >>> out.dtype, scale.tolist()
        (paddle.float8_e4m3fn, [[1.0, 1.0], [1.0, 1.0]])
    """
    if quant_method not in ("1x128", "128x128") or output_type != "e4m3":
        raise InvalidArgumentError(
            f"`quant_method` is {quant_method!r}, `output_type` {output_type!r}",
            expected="'1x128' or '128x128', and 'e4m3'",
            fix="use one of these",
        )
    rows = 1 if quant_method == "1x128" else BLOCK
    pow2 = using_pow2_scale or using_ue8m0_scale

    def made(matrix: Any) -> tuple[Any, Any]:
        out, scale = quantize_blocks(matrix, rows, epsilon, pow2)
        return out, pack_exponents(scale) if using_ue8m0_scale else scale

    if not input_transpose:
        return made(x)
    turned = made(transpose(x, [1, 0]))
    return turned if return_transpose_only else (*made(x), *turned)


@composite
def fused_act_dequant(x: Tensor, x_scale: Tensor) -> Tensor:
    """Numbers of a float8 matrix, in bfloat16.

    Args:
        x: float8 tensor [M, N].
        x_scale: its factors, float32 [M, ceil(N / 128)], or int32 [M, ceil(N / 512)] with four
            exponents each.
    """
    return dequantize_blocks(x, x_scale, "bfloat16")


@op(method=None, public=False, differentiable=False)
def weighted_swiglu(x: Array, prob: Array | None, pow2: bool) -> tuple[Array, Array]:
    """`silu(gate) * value * prob` as float8; see `fused_weighted_swiglu_act_quant`."""
    rows = x.reshape(-1, x.shape[-1]).astype(jnp.float32)
    gate, value = jnp.split(rows, 2, axis=-1)
    out = jax.nn.silu(gate) * value
    if prob is not None:
        out = out * prob.reshape(-1, 1).astype(jnp.float32)
    return _quantized(out, 1, 0.0, pow2)


@composite
def fused_weighted_swiglu_act_quant(
    x: Tensor, prob: Tensor | None = None, using_pow2_scaling: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`silu(gate) * value * prob` of the halves of the last axis, made float8.

    Args:
        x: floating tensor [..., 2 * I].
        prob: factor of each row, [...].
        using_pow2_scaling: round the blocks' factors up to powers of two.
        name: not used.

    Returns:
        float8_e4m3fn [rows, I], and factors [rows, ceil(I / 128)] to multiply with.
    """
    return weighted_swiglu(x, prob, using_pow2_scaling)


@composite
def fused_stack_transpose_quant(x: Sequence[Any], transpose: bool = True) -> tuple[Any, Any]:
    """Matrices under each other, each transposed, made float8 by blocks of 128 x 128.

    Args:
        x: list of matrices [M, K].
        transpose: leave it out with `False`.

    Returns:
        float8_e4m3fn [n * K, M] (or [n * M, K]), and the factors of its blocks.
    """
    stacked: Any = stack(list(x))
    order = [0, 2, 1] if transpose else [0, 1, 2]
    turned = _transposed(stacked, order)
    return quantize_blocks(reshape(turned, [-1, turned.shape[-1]]), BLOCK, 0.0, False)


# `transpose` is an argument's name above.
_transposed = transpose


@composite
def fused_transpose_split_quant(
    x: Tensor, input_scales: Tensor | None, tokens_per_expert: Any, pow_2_scales: bool = False
) -> tuple[list[Tensor], list[Tensor]]:
    """Tokens of each expert, transposed and made float8 by blocks of 128 tokens.

    Args:
        x: floating tensor [M, K], or float8 with `input_scales`.
        input_scales: factors of a float8 `x`.
        tokens_per_expert: how many of the rows belong to each expert; M together.
        pow_2_scales: round the blocks' factors up to powers of two.

    Returns:
        List of float8_e4m3fn [K, tokens], and list of factors [tokens / 128, K].

    Raises:
        InvalidArgumentError: counts that do not make M.
    """
    counts = [int(count) for count in tokens_per_expert]
    if sum(counts) != x.shape[0]:
        raise InvalidArgumentError(
            f"`tokens_per_expert` is {counts}, `x` has {x.shape[0]} rows",
            expected="counts that make the number of rows together",
            fix="count the rows of each expert, padding included",
        )
    matrix: Any = x if input_scales is None else dequantize_blocks(x, input_scales, "float32")
    outs, scales, start = [], [], 0
    for count in counts:
        part = transpose(matrix[start : start + count], [1, 0])
        out, scale = quantize_blocks(part, 1, 0.0, pow_2_scales)
        outs.append(out)
        scales.append(transpose(scale, [1, 0]))
        start += count
    return outs, scales


def fused_transpose_wlch_split_quant(
    x: Any, tokens_per_expert: Any, pow_2_scales: bool = False
) -> Any:
    """Not available: Paddle documents no meaning of this function, and has it on GPUs only.

    Args:
        x: not used.
        tokens_per_expert: not used.
        pow_2_scales: not used.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        "`fused_transpose_wlch_split_quant` is a kernel for one GPU layout",
        expected="a matrix [tokens, width] for `fused_transpose_split_quant`",
        fix="reshape the tokens to a matrix and call `fused_transpose_split_quant`",
    )


@composite
def fp8_gemm_blockwise(
    a: Tensor,
    a_decode_scale: Tensor,
    b: Tensor,
    b_decode_scale: Tensor,
    out_dtype: Any,
    out: Tensor | None = None,
    bias: Tensor | None = None,
    accumulate: bool = False,
    use_split_accumulator: bool = True,
    is_a_1d_scaled: bool = True,
    is_b_1d_scaled: bool = True,
) -> Tensor:
    """Product `a @ b^T` of float8 matrices, in float32 and then in `out_dtype`.

    Args:
        a: float8 [M, K].
        a_decode_scale: its factors, of blocks of 1 x 128 or 128 x 128; also transposed.
        b: float8 [N, K].
        b_decode_scale: its factors.
        out_dtype: dtype of the result.
        out: tensor [M, N] that takes the result.
        bias: added, [N].
        accumulate: add the product to what `out` holds.
        use_split_accumulator: accepted for Paddle's signature; sums are in float32.
        is_a_1d_scaled: accepted; the shape of the factors says it.
        is_b_1d_scaled: accepted.

    Raises:
        InvalidArgumentError: shapes that do not fit.
    """
    product = matmul(
        dequantize_blocks(a, a_decode_scale, "float32"),
        dequantize_blocks(b, b_decode_scale, "float32"),
        transpose_y=True,
    )
    product = product if bias is None else add(product, cast(bias, "float32"))
    if accumulate and out is not None:
        product = add(product, cast(out, "float32"))
    result = cast(product, out_dtype)
    return result if out is None else write_out(out, result)
