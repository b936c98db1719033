"""Attention in each of several sequences that are joined along one axis, without padding."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, Tensor, UnsupportedError, composite, describe_array
from proa.ops import arange, concat, minimum, reshape, squeeze, unsqueeze
from proa.ops._attention import attend
from proa.ops._attention_masks import packed_mask

from ._flash import dropout_settings, unpack


def _spans(cumulative: Tensor, used: Any, padded: int | None) -> tuple[Any, Any]:
    """First token and length of each sequence, from cumulative lengths `[0, n0, n0 + n1, ...]`."""
    ends: Any = reshape(cumulative, [-1])
    starts, lengths = ends[:-1], ends[1:] - ends[:-1]
    if padded is not None:
        order: Any = arange(starts.shape[0], dtype=ends.dtype)
        starts = order * padded
    return starts, lengths if used is None else minimum(lengths, used.astype(lengths.dtype))


def _attend_packed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_spans: tuple[Any, Any],
    key_spans: tuple[Any, Any],
    window: tuple[int, int],
    **settings: Any,
) -> Any:
    if query.ndim != 3 or key.ndim != 3 or value.ndim != 3:
        shapes = ", ".join(describe_array(t._data) for t in (query, key, value))
        raise InvalidArgumentError(
            f"query, key and value are {shapes}",
            expected="[tokens, heads, width] each, the sequences one after the other",
            fix="join the sequences along the first axis",
        )
    mask = packed_mask(*query_spans, *key_spans, query.shape[0], key.shape[0], *window)
    q_BTHD, k_BTHD, v_BTHD = (unsqueeze(t, 0) for t in (query, key, value))
    result = attend(q_BTHD, k_BTHD, v_BTHD, mask, **settings)
    if settings.get("also"):
        return squeeze(result[0], 0), squeeze(result[1], 0)
    return squeeze(result, 0), None


@composite
def flash_attn_unpadded(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    scale: float,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Attention inside each of several sequences that lie one after the other.

    The scores are those of one row with what is outside a query's sequence masked, so memory
    grows with the square of the number of tokens.

    Args:
        query: [tokens, H, D].
        key: [key tokens, K, D], K dividing H.
        value: [key tokens, K, D].
        cu_seqlens_q: [B + 1], where the sequences of queries begin, and the end of the last.
        cu_seqlens_k: [B + 1], the same for keys and values.
        max_seqlen_q: accepted for Paddle's signature; the lengths are known.
        max_seqlen_k: accepted likewise.
        scale: factor of the scores.
        dropout: probability of dropping a weight in training.
        causal: a query sees the keys up to its own place, counted from the end of a sequence.
        return_softmax: return the weights as well.
        fixed_seed_offset: two integers that fix what is dropped.
        rng_name: accepted for Paddle's signature; there is one generator.
        training: whether `dropout` applies.
        name: not used.

    Returns:
        Output [tokens, H, D], zeros after the last sequence, and the weights
        [H, tokens, key tokens] or `None`.

    Raises:
        InvalidArgumentError: shapes or `dropout` do not fit.
    """
    return _attend_packed(
        query,
        key,
        value,
        _spans(cu_seqlens_q, None, None),
        _spans(cu_seqlens_k, None, None),
        (-1, 0 if causal else -1),
        scale=scale,
        also="weights" if return_softmax else "",
        **dropout_settings(dropout, training, fixed_seed_offset),
    )


@composite
def flash_attn_varlen_qkvpacked(
    qkv: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    scale: float,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    varlen_padded: bool = True,
    training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None]:
    """`flash_attn_unpadded` of queries, keys and values that are one tensor.

    Args:
        qkv: [tokens, G + 2, K, D]: G * K query heads, K key heads, K value heads.
        cu_seqlens_q: [B + 1], cumulative lengths of the sequences, from 0.
        cu_seqlens_k: [B + 1], the same for keys and values.
        max_seqlen_q: with `varlen_padded` how many tokens each sequence takes, with padding.
        max_seqlen_k: the same for keys.
        scale: factor of the scores.
        dropout: probability of dropping a weight in training.
        causal: a query sees the keys up to its own place, counted from the end of a sequence.
        return_softmax: return the weights as well.
        fixed_seed_offset: two integers that fix what is dropped.
        rng_name: accepted for Paddle's signature; there is one generator.
        varlen_padded: whether each sequence is padded to `max_seqlen_q` tokens.
        training: whether `dropout` applies.
        name: not used.

    Returns:
        Output [tokens, G * K, D], zeros at padding, and the weights or `None`.

    Raises:
        InvalidArgumentError: shapes or `dropout` do not fit.
    """
    pad_query, pad_key = (max_seqlen_q, max_seqlen_k) if varlen_padded else (None, None)
    return _attend_packed(
        *unpack(qkv),
        _spans(cu_seqlens_q, None, pad_query),
        _spans(cu_seqlens_k, None, pad_key),
        (-1, 0 if causal else -1),
        scale=scale,
        also="weights" if return_softmax else "",
        **dropout_settings(dropout, training, fixed_seed_offset),
    )


@composite
def flash_attention_v3_varlen(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    seqused_q: Tensor | None = None,
    seqused_k: Tensor | None = None,
    softmax_scale: float | None = None,
    causal: bool = False,
    qv: Tensor | None = None,
    q_descale: Tensor | None = None,
    k_descale: Tensor | None = None,
    v_descale: Tensor | None = None,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    num_splits: int = 1,
    pack_gqa: bool | None = None,
    sm_margin: int = 0,
) -> tuple[Tensor, Tensor]:
    """`flash_attn_unpadded` with a window, a soft limit of the scores and values as keys.

    Args:
        query: [tokens, H, D].
        key: [key tokens, K, D], K dividing H.
        value: [key tokens, K, E].
        cu_seqlens_q: [B + 1], where the sequences of queries begin, and the end of the last.
        cu_seqlens_k: [B + 1], the same for keys and values.
        max_seqlen_q: accepted for Paddle's signature; the lengths are known.
        max_seqlen_k: accepted likewise.
        seqused_q: [B], how many queries of each sequence take part; all by default.
        seqused_k: [B], the same for keys.
        softmax_scale: factor of the scores, one over the root of the widths that are compared.
        causal: a query sees the keys up to its own place, counted from the end of a sequence.
        qv: [tokens, H, E], compared with the values, which adds to the scores.
        q_descale: factor of float8 queries; must be `None`.
        k_descale: as `q_descale`.
        v_descale: as `q_descale`.
        window_size: how many keys before and after its place a query sees; -1 for all.
        softcap: `c` in `c * tanh(score / c)`; 0 for none.
        num_splits: accepted for Paddle's signature; XLA splits the work.
        pack_gqa: accepted likewise.
        sm_margin: accepted likewise.

    Returns:
        Output [tokens, H, E] and the logarithms of the sums behind the weights, [H, tokens].

    Raises:
        UnsupportedError: factors of float8 tensors.
        InvalidArgumentError: shapes do not fit.
    """
    if q_descale is not None or k_descale is not None or v_descale is not None:
        raise UnsupportedError(
            "`flash_attention_v3_varlen` got factors of float8 tensors",
            expected="floating tensors that need no factor: no `*_descale`",
            fix="multiply by the factors first, in bfloat16 or float32",
        )
    if qv is not None:
        query, key = concat([query, qv], -1), concat([key, value], -1)
    left, right = window_size
    return _attend_packed(
        query,
        key,
        value,
        _spans(cu_seqlens_q, seqused_q, None),
        _spans(cu_seqlens_k, seqused_k, None),
        (left, 0 if causal else right),
        scale=softmax_scale,
        softcap=float(softcap) or None,
        also="lse",
    )


#: The other name of the same function.
flash_attn_varlen_func = flash_attention_v3_varlen
