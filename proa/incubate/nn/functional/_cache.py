"""One step of attention from a cache, for generation.

Axes in names: B batch, H query heads, K key heads, L length of the cache, D width of a head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, UnsupportedError, composite, describe_array, op
from proa.ops import add, cast, full, multiply, reshape, transpose
from proa.ops import max as largest
from proa.ops._attention import attend

from ._quantize import maybe_int8
from ._rotary import turned_parts
from ._transformer import cache_written, step_mask

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@op(method=None, public=False)
def turn_step(x: Array, tables: Array, position: Index, adjacent: bool, parts: int) -> Array:
    """Rotary embedding of one token [B, 1, H, D] by the tables' row of its position.

    The tables are cosines and sines, [2, B, ..., D] with one row or one per position.
    """
    width = tables.shape[-1]
    rows = tables.reshape(2, x.shape[0], -1, width)
    at = jnp.clip(position.reshape(1, -1, 1, 1), 0, rows.shape[2] - 1)
    rows = jnp.take_along_axis(rows, jnp.broadcast_to(at, (2, x.shape[0], 1, width)), axis=2)
    cos, sin = rows[0][:, :, None].astype(x.dtype), rows[1][:, :, None].astype(x.dtype)
    return turned_parts(x, cos, sin, adjacent, parts)


def quantized_output(
    out: Any, shift: Any, smooth: Any, scale: float, round_type: int, high: float, low: float
) -> Any:
    """`(out + shift) * smooth`, as int8 where a scale is given."""
    out = out if shift is None else add(out, shift)
    out = out if smooth is None else multiply(out, smooth)
    return maybe_int8(out, scale, round_type, high, low)


def dequantized(x: Any, scale: Any, compute_dtype: str) -> Any:
    """Integers times their factors, in the dtype the model computes in."""
    if scale is None:
        return x
    kind = {"fp16": "float16", "bf16": "bfloat16"}.get(compute_dtype, "float32")
    return cast(multiply(cast(x, "float32"), reshape(scale, [-1])), kind)


def _check_step(cache: Any, src_mask: Any, sequence_lengths: Any, beam_cache_offset: Any) -> None:
    if beam_cache_offset is not None:
        raise UnsupportedError(
            "`masked_multihead_attention` got `beam_cache_offset`",
            expected="None: the beams' caches are not shared here",
            fix="reorder the cache with `gather` after each step",
        )
    if cache is None or cache.ndim != 5 or (src_mask is None and sequence_lengths is None):
        shown = None if cache is None else describe_array(cache._data)
        raise InvalidArgumentError(
            f"`masked_multihead_attention` got the cache {shown}",
            expected="a cache [2, B, K, L, D], and `src_mask` or `sequence_lengths`",
            fix="make an empty cache with proa.zeros, and say where the token stands",
        )


@composite
def masked_multihead_attention(
    x: Tensor,
    cache_kv: Tensor | None = None,
    bias: Tensor | None = None,
    src_mask: Tensor | None = None,
    cum_offsets: Tensor | None = None,
    sequence_lengths: Tensor | None = None,
    rotary_tensor: Tensor | None = None,
    beam_cache_offset: Tensor | None = None,
    qkv_out_scale: Tensor | None = None,
    out_shift: Tensor | None = None,
    out_smooth: Tensor | None = None,
    seq_len: int = 1,
    rotary_emb_dims: int = 0,
    use_neox_rotary_style: bool = False,
    compute_dtype: str = "default",
    out_scale: float = -1,
    quant_round_type: int = 1,
    quant_max_bound: float = 127.0,
    quant_min_bound: float = -127.0,
) -> tuple[Tensor, Tensor]:
    """Attention of one token per sequence to those in a cache and itself.

    Args:
        x: queries, keys and values, [B, (H + 2 * K) * D].
        cache_kv: keys and values so far, [2, B, K, L, D]; the token is written into it.
        bias: added to `x`, [3, H, D].
        src_mask: added to the scores, [B, 1, 1, T]; without `sequence_lengths` the token's
            position is T - 1.
        cum_offsets: accepted for Paddle's signature.
        sequence_lengths: position of the token of each sequence, [B, 1].
        rotary_tensor: cosines and sines, [2, B, S, 1, D] or [2, B, 1, S, D], or of one
            position.
        beam_cache_offset: must be `None`.
        qkv_out_scale: factors of an integer `x`, [3, H, D].
        out_shift: added to the result, [H * D].
        out_smooth: factor of the result, [H * D].
        seq_len: accepted for Paddle's signature.
        rotary_emb_dims: 1 to turn the whole width by `rotary_tensor`, 2 to turn halves of it.
        use_neox_rotary_style: channels i and i + D / 2 turn together; else neighbours.
        compute_dtype: dtype for an integer `x`: fp16, bf16 or fp32.
        out_scale: above 0, the result is rounded to int8 after `* out_scale * max_bound`.
        quant_round_type: 0 rounds ties to even, 1 away from zero.
        quant_max_bound: largest integer.
        quant_min_bound: smallest integer.

    Returns:
        Tensor [B, H * D], and the cache.

    Raises:
        UnsupportedError: `beam_cache_offset` is given.
        InvalidArgumentError: no cache, no position, or shapes that do not fit.
    """
    cache: Any = cache_kv
    _check_step(cache, src_mask, sequence_lengths, beam_cache_offset)
    batch, key_heads, length, width = cache.shape[1:]
    x = dequantized(x, qkv_out_scale, compute_dtype)
    flat = x if bias is None else add(x, reshape(bias, [-1]))
    parts: Any = reshape(flat, [batch, 1, -1, width])
    split = parts.shape[2] - 2 * key_heads
    query, key, value = parts[:, :, :split], parts[:, :, split:-key_heads], parts[:, :, -key_heads:]
    if sequence_lengths is not None:
        position: Any = reshape(cast(sequence_lengths, "int32"), [-1])
    else:
        position = full([batch], src_mask.shape[-1] - 1, "int32")  # type: ignore[union-attr]
    if rotary_tensor is not None and rotary_emb_dims:
        turn = (rotary_tensor, position, not use_neox_rotary_style, rotary_emb_dims)
        query, key = turn_step(query, *turn), turn_step(key, *turn)
    written = [cache_written(cache[i], new, position) for i, new in enumerate((key, value))]
    for i in (0, 1):
        cache[i] = written[i]
    mask = step_mask(src_mask, position, length)
    key, value = (transpose(part, [0, 2, 1, 3]) for part in written)
    out = reshape(attend(query, key, value, mask), [batch, -1])
    bounds = (out_scale, quant_round_type, quant_max_bound, quant_min_bound)
    return quantized_output(out, out_shift, out_smooth, *bounds), cache


@composite
def blha_get_max_len(
    seq_lens_encoder: Tensor, seq_lens_decoder: Tensor, batch_size: Tensor
) -> tuple[Tensor, Tensor]:
    """Longest sequence of either stage, for `block_multihead_attention`.

    Args:
        seq_lens_encoder: lengths of the sequences that are read in, [B].
        seq_lens_decoder: lengths of those that are being continued, [B].
        batch_size: accepted for Paddle's signature.

    Returns:
        Two tensors [1].
    """
    found = (largest(seq_lens_encoder), largest(seq_lens_decoder))
    return reshape(found[0], [1]), reshape(found[1], [1])
