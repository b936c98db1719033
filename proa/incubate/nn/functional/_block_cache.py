"""Attention whose keys and values lie in blocks of a shared cache.

Axes in names: N tokens of all sequences, B sequences, P blocks of a sequence, S places of a
block, H query heads, K key heads, D width of a head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import Tensor, UnsupportedError, composite, op, write_inplace
from proa.ops import add, reshape
from proa.ops._attention import attend
from proa.ops._attention_masks import token_places

from ._cache import dequantized, quantized_output
from ._rotary import rotated

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _positions(ends: Array, decoded: Array, count: Any) -> tuple[Array, Array, Array]:
    """Sequence and position of each token, and whether it is of any sequence."""
    ends = ends.reshape(-1)
    sequence, index, has = token_places(ends[:-1], ends[1:] - ends[:-1], count)
    return sequence, index + decoded.reshape(-1)[sequence], has


def _turned(x_NHD: Array, rope: Array, sequence: Array, position: Array, adjacent: bool) -> Array:
    """Rotary embedding by tables [2, B, S, 1, D / 2]."""
    rows = rope.reshape(2, rope.shape[1], -1, rope.shape[-1])
    rows = rows[:, sequence % rows.shape[1], jnp.clip(position, 0, rows.shape[2] - 1)]
    spread = jnp.repeat(rows, 2, -1) if adjacent else jnp.concatenate([rows, rows], -1)
    cos, sin = (spread[i][:, None].astype(x_NHD.dtype) for i in (0, 1))
    return rotated(x_NHD, cos, sin, adjacent)


@op(method=None, public=False)
def blocks_written(
    qkv: Array,
    key_cache: Array,
    value_cache: Array,
    ends: Index,
    decoded: Index,
    tables: Index,
    rope: Array | None,
    adjacent: bool,
) -> tuple[Array, Array, Array]:
    """Puts each token's key and value into its block.

    Returns:
        Queries [N, H, D], and both caches [blocks, K, S, D].
    """
    key_heads, size, width = key_cache.shape[1:]
    parts = qkv.reshape(qkv.shape[0], -1, width)
    query, key = parts[:, : -2 * key_heads], parts[:, -2 * key_heads : -key_heads]
    value = parts[:, -key_heads:]
    sequence, position, has = _positions(ends, decoded, qkv.shape[0])
    if rope is not None:
        query, key = (_turned(t, rope, sequence, position, adjacent) for t in (query, key))
    block = tables[sequence, jnp.clip(position // size, 0, tables.shape[1] - 1)]
    # A block that is none takes nothing.
    block = jnp.where(has & (block >= 0), block, key_cache.shape[0])
    place = position % size
    caches = [
        cache.at[block, :, place].set(new.astype(cache.dtype), mode="drop")
        for cache, new in ((key_cache, key), (value_cache, value))
    ]
    return query, caches[0], caches[1]


@op(method=None, public=False)
def blocks_read(cache: Array, tables: Index) -> Array:
    """The places of all sequences one after the other, [1, B * P * S, K, D]."""
    picked = cache[jnp.clip(tables, 0, cache.shape[0] - 1)]
    places = jnp.swapaxes(picked, 2, 3)
    return places.reshape(1, -1, *places.shape[3:])


@op(method=None, public=False)
def blocks_mask(
    ends: Index,
    decoded: Index,
    mask: Array | None,
    step_mask: Array | None,
    count: int,
    num_places: int,
) -> Array:
    """What is added to the scores of each token over all places, [1, 1, N, B * P * S].

    A token sees its own sequence up to itself; with `mask` a sequence that is read in sees
    what the mask lets it.
    """
    sequence, position, has = _positions(ends, decoded, count)
    lengths = ends.reshape(-1)[1:] - ends.reshape(-1)[:-1] + decoded.reshape(-1)
    place = jnp.arange(num_places)
    seen = place <= position[:, None]
    added = jnp.zeros((count, num_places), jnp.float32)
    reading = (decoded.reshape(-1)[sequence] == 0)[:, None]
    if mask is not None:
        rows = mask[:, 0, :, :num_places].astype(jnp.float32)
        rows = jnp.pad(rows, ((0, 0), (0, 0), (0, num_places - rows.shape[2])))
        row = rows[sequence % rows.shape[0], jnp.clip(position, 0, rows.shape[1] - 1)]
        added = jnp.where(reading, row, added)
        seen = jnp.where(reading, place < lengths[sequence][:, None], seen)
    if step_mask is not None:
        rows = step_mask[:, 0, 0, :num_places].astype(jnp.float32)
        rows = jnp.pad(rows, ((0, 0), (0, num_places - rows.shape[1])))
        added = jnp.where(reading, added, rows[sequence % rows.shape[0]])
    added = jnp.where(seen & has[:, None], added, -jnp.inf)
    own = sequence[:, None] == jnp.arange(decoded.size)
    spread = jnp.where(own[:, :, None], added[:, None], -jnp.inf)
    return spread.reshape(1, 1, count, -1)


@composite
def block_multihead_attention(
    qkv: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    seq_lens_encoder: Tensor,
    seq_lens_decoder: Tensor,
    seq_lens_this_time: Tensor,
    padding_offsets: Tensor,
    cum_offsets: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    block_tables: Tensor,
    pre_key_cache: Tensor | None = None,
    pre_value_cache: Tensor | None = None,
    cache_k_quant_scales: Tensor | None = None,
    cache_v_quant_scales: Tensor | None = None,
    cache_k_dequant_scales: Tensor | None = None,
    cache_v_dequant_scales: Tensor | None = None,
    qkv_out_scale: Tensor | None = None,
    qkv_bias: Tensor | None = None,
    out_shift: Tensor | None = None,
    out_smooth: Tensor | None = None,
    max_enc_len_this_time: Tensor | None = None,
    max_dec_len_this_time: Tensor | None = None,
    rope_emb: Tensor | None = None,
    mask: Tensor | None = None,
    tgt_mask: Tensor | None = None,
    max_seq_len: int = -1,
    block_size: int = 64,
    use_neox_style: bool = False,
    use_dynamic_cachekv_quant: bool = False,
    quant_round_type: int = 1,
    quant_max_bound: float = 127.0,
    quant_min_bound: float = -127.0,
    out_scale: float = -1,
    compute_dtype: str = "default",
    rope_theta: float = 10000.0,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Attention of sequences that are read in or continued, with keys and values in blocks.

    Args:
        qkv: tokens of all sequences, [N, (H + 2 * K) * D].
        key_cache: [blocks, K, S, D]; written in place.
        value_cache: likewise.
        seq_lens_encoder: [B, 1], lengths of sequences that are read in; accepted only, since
            `seq_lens_decoder` says the same.
        seq_lens_decoder: [B, 1], tokens that each sequence has in the cache already.
        seq_lens_this_time: accepted for Paddle's signature, as the two after it.
        padding_offsets: accepted.
        cum_offsets: accepted.
        cu_seqlens_q: [B + 1], where each sequence's tokens begin in `qkv`.
        cu_seqlens_k: accepted.
        block_tables: [B, P], the blocks of each sequence; -1 for none.
        pre_key_cache: must be `None`, as all arguments for quantised caches.
        pre_value_cache: must be `None`.
        cache_k_quant_scales: must be `None`.
        cache_v_quant_scales: must be `None`.
        cache_k_dequant_scales: must be `None`.
        cache_v_dequant_scales: must be `None`.
        qkv_out_scale: factors of an integer `qkv`.
        qkv_bias: added to `qkv`.
        out_shift: added to the result, [H * D].
        out_smooth: factor of the result, [H * D].
        max_enc_len_this_time: accepted for Paddle's signature.
        max_dec_len_this_time: accepted.
        rope_emb: cosines and sines, [2, B, S, 1, D / 2].
        mask: added to the scores of sequences that are read in, [B, 1, S, S]; without it they
            see what stands before.
        tgt_mask: added to the scores of continued ones, [B, 1, 1, S].
        max_seq_len: accepted for Paddle's signature.
        block_size: accepted; the cache has it.
        use_neox_style: channels i and i + D / 2 turn together; else neighbours.
        use_dynamic_cachekv_quant: must be False.
        quant_round_type: 0 rounds ties to even, 1 away from zero.
        quant_max_bound: largest integer.
        quant_min_bound: smallest integer.
        out_scale: above 0, the result is rounded to int8 after `* out_scale * max_bound`.
        compute_dtype: dtype for an integer `qkv`: fp16, bf16 or fp32.
        rope_theta: accepted for Paddle's signature; the tables are given.

    Returns:
        Output [N, H * D], `qkv`, and both caches.

    Raises:
        UnsupportedError: quantised caches, or keys before the cache.
    """
    refused = {
        "pre_key_cache": pre_key_cache,
        "pre_value_cache": pre_value_cache,
        "cache_k_quant_scales": cache_k_quant_scales,
        "cache_v_quant_scales": cache_v_quant_scales,
        "cache_k_dequant_scales": cache_k_dequant_scales,
        "cache_v_dequant_scales": cache_v_dequant_scales,
        "use_dynamic_cachekv_quant": use_dynamic_cachekv_quant or None,
    }
    given = [name for name, value in refused.items() if value is not None]
    if given:
        raise UnsupportedError(
            f"`block_multihead_attention` got {', '.join(given)}",
            expected="caches of floating numbers, without keys that stand before them",
            fix="leave them out; put a common beginning into the blocks",
        )
    tokens: Any = dequantized(qkv, qkv_out_scale, compute_dtype)
    tokens = tokens if qkv_bias is None else add(tokens, reshape(qkv_bias, [-1]))
    where = (cu_seqlens_q, seq_lens_decoder)
    query, keys, values = blocks_written(
        tokens, key_cache, value_cache, *where, block_tables, rope_emb, not use_neox_style
    )
    write_inplace(key_cache, keys)
    write_inplace(value_cache, values)
    num_places = block_tables.shape[1] * key_cache.shape[2]
    seen = blocks_mask(*where, mask, tgt_mask, qkv.shape[0], num_places)
    read = (blocks_read(key_cache, block_tables), blocks_read(value_cache, block_tables))
    out = attend(reshape(query, [1, *query.shape]), *read, seen)
    out = reshape(out, [qkv.shape[0], -1])
    bounds = (out_scale, quant_round_type, quant_max_bound, quant_min_bound)
    return quantized_output(out, out_shift, out_smooth, *bounds), qkv, key_cache, value_cache
