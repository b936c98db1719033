"""Attention masked by a description of the mask: intervals per key, or a CSR pattern."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, next_key
from proa.ops import cast, logical_and, not_equal, repeat_interleave, reshape, transpose
from proa.ops._attention import attend
from proa.ops._attention_masks import interval_mask, pattern_mask

from ._flash import dropout_settings

_BLOCK = 128


def _window(window_size: Any) -> tuple[int, int]:
    if window_size is None:
        return -1, -1
    return (window_size, window_size) if isinstance(window_size, int) else tuple(window_size)


def _per_head(mask: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Gives each query head the mask of its key head."""
    heads, key_heads = query.shape[2], key.shape[2]
    if mask.shape[1] in (1, heads):
        return mask
    if mask.shape[1] != key_heads:
        raise InvalidArgumentError(
            f"`startend_row_indices` is for {mask.shape[1]} heads, `key` has {key_heads}",
            expected="one head, or as many as `key` has",
            fix="give [batch, 1 or key heads, keys, n]",
        )
    return repeat_interleave(mask, heads // key_heads, axis=1)


def _of_blocks(block_mask: Any, query: Tensor, key: Tensor) -> Tensor:
    """Spreads a mask of blocks of 128 queries by 128 keys over their places."""
    num_queries, num_keys = query.shape[1], key.shape[1]
    blocks = [-(-num_queries // _BLOCK), -(-num_keys // _BLOCK)]
    if block_mask.ndim != 4 or block_mask.shape[2:] != blocks:
        raise InvalidArgumentError(
            f"`block_mask` is {describe_array(block_mask._data)}",
            expected=f"[batch, heads, {blocks[0]}, {blocks[1]}], one per 128 x 128 places",
            fix="give 1 for each block that is kept, 0 for others",
        )
    rows: Any = repeat_interleave(not_equal(block_mask, 0), _BLOCK, axis=2)
    rows = rows[:, :, :num_queries]
    places: Any = repeat_interleave(rows, _BLOCK, axis=3)
    return _per_head(places[..., :num_keys], query, key)


@composite
def flashmask_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    startend_row_indices: Tensor | None = None,
    *,
    dropout: float = 0.0,
    causal: bool = False,
    window_size: int | tuple[int, int] | None = None,
    return_softmax_lse: bool = False,
    return_seed_offset: bool = False,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
    softmax_scale: float | None = None,
    block_mask: Tensor | None = None,
) -> Any:
    """Attention in which each key is hidden from one or two intervals of queries.

    Args:
        query: floating tensor [B, T, H, D].
        key: [B, S, K, D], K dividing H.
        value: [B, S, K, D].
        startend_row_indices: integers [B, 1 or K, S, n]. With n = 1 (causal): queries from
            there on do not see the key. n = 2 (causal): those from the first to before the
            second. n = 2: those from the first on, and those before the second. n = 4: those
            in [first, second) and those in [third, fourth).
        dropout: probability of dropping a weight in training.
        causal: query i sees the keys 0 to i only.
        window_size: how many keys before and after its own a query sees, one number or two.
        return_softmax_lse: return the logarithms of the sums, [B, H, T].
        return_seed_offset: return two integers that fix what was dropped.
        fixed_seed_offset: two integers from there.
        rng_name: accepted for Paddle's signature; there is one generator.
        training: whether `dropout` applies.
        name: not used.
        softmax_scale: factor of the scores, 1 / sqrt(D) by default.
        block_mask: [B, heads, T / 128, S / 128] rounded up: 0 hides a block of 128 x 128.

    Returns:
        Output [B, T, H, D], or a list of it and what is returned besides.

    Raises:
        InvalidArgumentError: shapes or `dropout` do not fit.

    References:
        Wang et al., "FlashMask: Efficient and Rich Mask Extension of FlashAttention", 2024.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> q = proa.zeros([1, 3, 1, 1])
        >>> v = proa.to_tensor([1.0, 2.0, 6.0]).reshape([1, 3, 1, 1])
        >>> hidden_from = proa.to_tensor([2, 3, 3], dtype="int32").reshape([1, 1, 3, 1])
        >>> F.flashmask_attention(q, q, v, hidden_from, causal=True).flatten().tolist()
        [1.0, 1.5, 4.0]
    """
    left, right = _window(window_size)
    mask = None
    if startend_row_indices is not None or left >= 0 or right >= 0:
        sizes = (query.shape[1], key.shape[1])
        mask = interval_mask(startend_row_indices, *sizes, causal, left, right)
        mask = _per_head(mask, query, key)
    if block_mask is not None:
        kept = _of_blocks(block_mask, query, key)
        mask = kept if mask is None else logical_and(mask, kept)
    if return_seed_offset and fixed_seed_offset is None:
        fixed_seed_offset = cast(next_key(), "int64")
    result = attend(
        query,
        key,
        value,
        mask,
        causal=causal,
        scale=softmax_scale,
        also="lse" if return_softmax_lse else "",
        **dropout_settings(dropout, training, fixed_seed_offset),
    )
    found = list(result) if return_softmax_lse else [result]
    if return_seed_offset:
        found.append(fixed_seed_offset)
    return found if len(found) > 1 else found[0]


@composite
def sparse_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    sparse_csr_offset: Tensor,
    sparse_csr_columns: Tensor,
    key_padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Attention in which a query sees the keys that a CSR pattern stores for it.

    The pattern becomes a mask: what it saves is not memory. `proa.sparse.nn.functional.attention`
    computes the stored places only.

    Args:
        query: floating tensor [B, H, T, D].
        key: [B, H, T, D].
        value: [B, H, T, D].
        sparse_csr_offset: integers [B, H, T + 1], where each query's keys begin in the columns.
        sparse_csr_columns: integers [B, H, N], the keys.
        key_padding_mask: [B, T], 0 where a key is hidden from all.
        attn_mask: [T, T], 0 where a key is hidden from a query.
        name: not used.

    Returns:
        Tensor [B, H, T, D]; zeros for a query that sees nothing.

    Raises:
        InvalidArgumentError: shapes do not fit.
    """
    mask = pattern_mask(sparse_csr_offset, sparse_csr_columns, key.shape[2])
    if key_padding_mask is not None:
        batch, length = key_padding_mask.shape
        mask = logical_and(mask, reshape(key_padding_mask, [batch, 1, 1, length]) != 0)
    if attn_mask is not None:
        mask = logical_and(mask, attn_mask != 0)
    order = [0, 2, 1, 3]
    q_BTHD, k_BTHD, v_BTHD = (transpose(t, order) for t in (query, key, value))
    return transpose(attend(q_BTHD, k_BTHD, v_BTHD, mask), order)
