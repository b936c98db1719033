"""Scaled dot-product attention: the one mechanism behind every attention function.

Axes in names: B batch, T queries, S keys, H query heads, K key heads, D width of a head.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    Mersenne,
    Tensor,
    composite,
    describe_array,
    dispatch,
    op,
    random_input,
    shape_of,
)

from ._attention_blocks import in_blocks, rows_of_block
from ._dropout import keep_mask
from ._manipulate import squeeze, unsqueeze

if TYPE_CHECKING:
    from proa.core._types import Array, Key


def _check_shapes(query: Array, key: Array, value: Array, enable_gqa: bool) -> None:
    fits = query.ndim == key.ndim == value.ndim == 4
    if fits:
        heads, key_heads = query.shape[2], key.shape[2]
        fits = (
            query.shape[3] == key.shape[3]
            and key.shape[:3] == value.shape[:3]
            and query.shape[0] == key.shape[0]
            and (heads == key_heads or (enable_gqa and heads % key_heads == 0))
        )
    if not fits:
        raise InvalidArgumentError(
            f"`scaled_dot_product_attention` got query {describe_array(query)}, "
            f"key {describe_array(key)} and value {describe_array(value)}",
            expected="[batch, length, heads, width], equal widths of query and key, equal "
            "lengths of key and value, query heads a multiple of the key heads",
            fix="transpose to [batch, length, heads, width], or correct the heads",
        )


def _scores_mask(mask: Array | None, causal: bool, scores: Array, first: Any) -> tuple[Any, Any]:
    """Splits what restricts attention into allowed places and values to add.

    The scores are those of the queries from `first` on.
    """
    allowed, added = None, None
    if mask is not None:
        if mask.dtype == jnp.bool_:
            allowed = mask
        else:
            added = mask.astype(scores.dtype)
            allowed = added > -jnp.inf
    if causal:
        rows = first + jnp.arange(scores.shape[-2])[:, None]
        seen = jnp.arange(scores.shape[-1])[None, :] <= rows
        allowed = seen if allowed is None else allowed & seen
    return allowed, added


def masked_softmax(scores: Array, allowed: Any) -> Array:
    """Softmax of the last axis over allowed places; a row without any gives zeros.

    The gradient of such a row is zero too, never NaN.
    """
    if scores.shape[-1] == 0:
        return scores
    if allowed is None:
        shifted = scores - jnp.max(scores, axis=-1, keepdims=True)
        weights = jnp.exp(shifted)
        return weights / jnp.sum(weights, axis=-1, keepdims=True)
    lowest = jnp.finfo(scores.dtype).min
    guarded = jnp.where(allowed, scores, lowest)
    weights = jnp.exp(guarded - jnp.max(guarded, axis=-1, keepdims=True))
    weights = jnp.where(allowed, weights, 0)
    total = jnp.sum(weights, axis=-1, keepdims=True)
    return weights / jnp.where(total > 0, total, 1)


def _log_sum(scores: Array, allowed: Any) -> Array:
    """Logarithm of the sum behind each row of the softmax; -inf where nothing is allowed."""
    if allowed is not None:
        scores = jnp.where(allowed, scores, -jnp.inf)
    return jax.nn.logsumexp(scores, axis=-1)


def _attend(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
    softcap: float | None,
    also: str,
    drop: Any,
) -> Any:
    _check_shapes(query, key, value, enable_gqa)
    settings = (is_causal, scale, softcap, also, drop)
    # Weights that are returned, or dropped by one draw for all, exist as a whole anyway.
    rows = None if drop is not None or also == "weights" else rows_of_block(query, key)
    if rows is None:
        return _attend_rows(0, query, key, value, attn_mask, *settings)
    return in_blocks(
        lambda first, queries, mask: _attend_rows(first, queries, key, value, mask, *settings),
        query,
        attn_mask,
        rows,
    )


def _attend_rows(
    first: Any,
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
    softcap: float | None,
    also: str,
    drop: Any,
) -> Any:
    """Attention of the queries from number `first` on."""
    heads, key_heads, width = query.shape[2], key.shape[2], query.shape[3]
    q_BKGTD = jnp.moveaxis(
        query.reshape(*query.shape[:2], key_heads, heads // key_heads, width), 1, 3
    )
    factor = 1 / math.sqrt(width) if scale is None else scale
    dtype = jnp.float32 if query.dtype in (jnp.float16, jnp.bfloat16) else query.dtype
    scores = jnp.einsum("bkgtd,bskd->bkgts", q_BKGTD, key, preferred_element_type=dtype)
    shape = (scores.shape[0], heads, *scores.shape[3:])
    scores = scores.reshape(shape) * factor
    if softcap:
        scores = softcap * jnp.tanh(scores / softcap)
    allowed, added = _scores_mask(attn_mask, is_causal, scores, first)
    if added is not None:
        # Forbidden places are masked below; adding -inf would poison their gradient.
        scores = scores + jnp.where(allowed, added, 0)
    weights = masked_softmax(scores, allowed).astype(value.dtype)
    if drop is not None:
        random_bits, p = drop
        kept = keep_mask(random_bits, p, weights.shape)
        zero = jnp.zeros((), weights.dtype)
        weights = jnp.where(kept, weights / (1 - p), zero) if p < 1 else weights * zero
    w_BKGTS = weights.reshape(shape[0], key_heads, heads // key_heads, *shape[2:])
    out = jnp.einsum("bkgts,bskd->btkgd", w_BKGTS, value)
    out = out.reshape(*query.shape[:3], value.shape[3])
    if also == "weights":
        return out, weights
    return (out, _log_sum(scores, allowed)) if also else out


@op(method=None, amp="white", public=False)
def attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
    softcap: float | None,
    also: str,
) -> Array:
    """Attention without dropout; see `attend`."""
    return _attend(query, key, value, attn_mask, is_causal, scale, enable_gqa, softcap, also, None)


def _drop_noise(stream: Mersenne, query: Any, key: Any, **rest: Any) -> Any:
    batch, num_queries, heads, _ = shape_of(query)
    return stream.unit((batch, heads, num_queries, shape_of(key)[1]))


@op(method=None, amp="white", public=False, noise=_drop_noise)
def attention_dropout(
    random_bits: Key,
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
    softcap: float | None,
    also: str,
) -> Array:
    """Attention with dropout on the weights; see `attend`."""
    drop = (random_bits, dropout_p)
    return _attend(query, key, value, attn_mask, is_causal, scale, enable_gqa, softcap, also, drop)


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    dropout: float = 0.0,
    causal: bool = False,
    scale: float | None = None,
    grouped: bool = True,
    softcap: float | None = None,
    also: str = "",
    random_bits: Tensor | None = None,
) -> Any:
    """Attention of queries [B, T, H, D] to keys [B, S, K, D] and values [B, S, K, E].

    Args:
        query: the queries.
        key: the keys.
        value: the values.
        mask: broadcastable to [B, H, T, S]: boolean (true where allowed) or floating (added).
        dropout: probability of dropping a weight, in [0, 1].
        causal: query i sees the keys 0 to i only.
        scale: factor of the scores, 1 / sqrt(D) by default.
        grouped: allow fewer key heads than query heads.
        softcap: `c` in `c * tanh(score / c)`; none for 0 or `None`.
        also: `"weights"` (after dropout) or `"lse"` (logarithms of the sums, [B, H, T]) to
            return them too.
        random_bits: key of the dropout; the next of the generator by default.

    Returns:
        Tensor [B, T, H, E], or a pair of it and what `also` names.
    """
    if not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
        raise InvalidArgumentError(
            f"the probability of dropout in attention is {dropout!r}",
            expected="`dropout` (`dropout_p`): a number in [0, 1]",
            fix="use 0.0 for none",
        )
    if not dropout:
        return attention(query, key, value, mask, causal, scale, grouped, softcap, also)
    tensors = (query, key, value) if mask is None else (query, key, value, mask)
    factor = None if scale is None else float(scale)
    attributes = (float(dropout), bool(causal), factor, bool(grouped), softcap, also)
    layout = (True, True, True, True, mask is not None)
    bits = random_bits
    if bits is None:
        bits = random_input(attention_dropout.op, query=query, key=key)
    return dispatch(attention_dropout.op, (bits, *tensors), (layout, attributes))


@composite
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    training: bool = True,
    backend: str | None = None,
    scale: float | None = None,
    enable_gqa: bool = True,
    name: str | None = None,
) -> Tensor:
    """Attention: softmax(query @ key^T * scale + mask) @ value, per head.

    A query that may see no key gets zeros, not NaN.

    Args:
        query: floating tensor [B, T, H, D], or all three without B.
        key: [B, S, K, D].
        value: [B, S, K, E].
        attn_mask: broadcastable to [B, H, T, S]: boolean (true where attention is allowed)
            or floating (added to the scores). As in Paddle, `is_causal` takes its place.
        dropout_p: probability of dropping a weight in training.
        is_causal: query i sees the keys 0 to i only.
        training: whether `dropout_p` applies.
        backend: accepted for Paddle's signature; XLA chooses.
        scale: factor of the scores, 1 / sqrt(D) by default.
        enable_gqa: allow fewer key heads than query heads (K divides H).

    Returns:
        Tensor [B, T, H, E].

    Raises:
        InvalidArgumentError: shapes or `dropout_p` do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> q = proa.ones([1, 2, 1, 4])
        >>> F.scaled_dot_product_attention(q, q, q, is_causal=True).shape
        [1, 2, 1, 4]
    """
    settings: dict[str, Any] = {
        "dropout": dropout_p if training else 0.0,
        "causal": is_causal,
        "scale": scale,
        "grouped": enable_gqa,
    }
    mask = None if is_causal else attn_mask
    if query.ndim == 3:
        query, key, value = (unsqueeze(t, 0) for t in (query, key, value))
        return squeeze(attend(query, key, value, mask, **settings), 0)
    return attend(query, key, value, mask, **settings)
