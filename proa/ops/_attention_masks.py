"""Where a query may look: masks made from sequence lengths, row intervals and CSR patterns.

Each gives booleans that `attend` takes, true where attention is allowed. Axes in names: B batch,
T queries, S keys, H heads, N stored places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, describe_array, op

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def token_places(starts: Array, lengths: Array, count: Any) -> tuple[Array, Array, Array]:
    """Which sequence each packed token is of, its position there, and whether it is of any."""
    index = jnp.arange(count)
    # Of several sequences that start at one token, all but the last are empty.
    sequence = jnp.searchsorted(starts, index, side="right") - 1
    position = index - starts[sequence]
    return sequence, position, position < lengths[sequence]


def windowed(rows: Array, columns: Array, left: int, right: int) -> Any:
    """Whether columns are at most `left` before and `right` after rows; negative: no limit."""
    allowed = jnp.ones(jnp.broadcast_shapes(rows.shape, columns.shape), bool)
    if left >= 0:
        allowed &= columns >= rows - left
    if right >= 0:
        allowed &= columns <= rows + right
    return allowed


@op(method=None, public=False, differentiable=False)
def packed_mask(
    query_starts: Index,
    query_lengths: Index,
    key_starts: Index,
    key_lengths: Index,
    num_queries: int,
    num_keys: int,
    left: int,
    right: int,
) -> Array:
    """Allows attention inside each of several sequences that lie in one row.

    Query i of T and key j of S of a sequence are compared from their ends: key S - 1 stands
    beside query T - 1.

    Args:
        query_starts: [B], first token of each sequence, ascending.
        query_lengths: [B].
        key_starts: [B].
        key_lengths: [B].
        num_queries: size of the first axis.
        num_keys: size of the second axis.
        left: how many keys before its own place a query sees; negative for all.
        right: how many after it; negative for all, 0 for causal attention.

    Returns:
        bool tensor [num_queries, num_keys].
    """
    of_query, query_at, has_query = token_places(query_starts, query_lengths, num_queries)
    of_key, key_at, has_key = token_places(key_starts, key_lengths, num_keys)
    shift = (key_lengths - query_lengths)[of_query]
    allowed = windowed((query_at + shift)[:, None], key_at[None, :], left, right)
    allowed &= of_query[:, None] == of_key[None, :]
    return allowed & has_query[:, None] & has_key[None, :]


@op(method=None, public=False, differentiable=False)
def padded_mask(
    query_lengths: Index, key_lengths: Index, num_queries: int, num_keys: int, right: int
) -> Array:
    """Allows attention among the first tokens of padded sequences.

    Args:
        query_lengths: [B].
        key_lengths: [B].
        num_queries: padded length T.
        num_keys: padded length S.
        right: query i sees the keys up to i + right; negative for all.

    Returns:
        bool tensor [B, 1, T, S].
    """
    rows, columns = jnp.arange(num_queries)[:, None], jnp.arange(num_keys)[None, :]
    allowed = windowed(rows, columns, -1, right)[None]
    allowed &= rows < query_lengths.reshape(-1, 1, 1)
    return (allowed & (columns < key_lengths.reshape(-1, 1, 1)))[:, None]


def _check_bounds(bounds: Array, num_keys: int, causal: bool) -> None:
    counts = (1, 2) if causal else (2, 4)
    if bounds.ndim != 4 or bounds.shape[2] != num_keys or bounds.shape[3] not in counts:
        raise InvalidArgumentError(
            f"`startend_row_indices` is {describe_array(bounds)}, `causal` {causal}",
            expected=f"[batch, heads, {num_keys}, {counts[0]} or {counts[1]}]",
            fix="give the start (and end) of the forbidden rows of each key",
        )


@op(method=None, public=False, differentiable=False)
def interval_mask(
    bounds: Index | None, num_queries: int, num_keys: int, causal: bool, left: int, right: int
) -> Array:
    """Forbids one or two intervals of rows for each key, as FlashMask describes masks.

    Args:
        bounds: [B, H, S, 1, 2 or 4], first row and end row of what is forbidden. Causal: the
            start alone, or start and end, below the diagonal. Otherwise: start below and end
            above it, or start and end of both.
        num_queries: number of rows T.
        num_keys: number of columns S.
        causal: whether query i sees the keys 0 to i only.
        left: see `packed_mask`.
        right: see `packed_mask`.

    Returns:
        bool tensor [B, H, T, S].

    References:
        Wang et al., "FlashMask: Efficient and Rich Mask Extension of FlashAttention", 2024.
    """
    rows, columns = jnp.arange(num_queries)[:, None], jnp.arange(num_keys)[None, :]
    allowed = windowed(rows, columns, left, 0 if causal else right)[None, None]
    if bounds is None:
        return allowed
    _check_bounds(bounds, num_keys, causal)
    count = bounds.shape[3]
    edge = [bounds[:, :, None, :, i] for i in range(count)]
    if count == (2 if causal else 4):
        allowed = allowed & ~((rows >= edge[0]) & (rows < edge[1]))
    else:
        allowed = allowed & (rows < edge[0])
    if not causal:
        forbidden = rows < edge[1] if count == 2 else (rows >= edge[2]) & (rows < edge[3])
        allowed = allowed & ~forbidden
    return allowed


@op(method=None, public=False, differentiable=False)
def pattern_mask(offsets: Index, columns: Index, num_keys: int) -> Array:
    """Allows the places that a CSR pattern stores.

    Args:
        offsets: [B, H, T + 1], where the places of each row begin in `columns`.
        columns: [B, H, N], the keys of the places.
        num_keys: number of columns S.

    Returns:
        bool tensor [B, H, T, S].
    """
    batch, heads, num_stored = columns.shape
    num_rows = offsets.shape[2] - 1
    place = jnp.arange(num_stored)
    row = jnp.sum(place[:, None] >= offsets[:, :, None, 1:], axis=-1)
    b, h = jnp.arange(batch)[:, None, None], jnp.arange(heads)[None, :, None]
    # Places after the last row's end are no row, and dropped.
    empty = jnp.zeros((batch, heads, num_rows, num_keys), bool)
    return empty.at[b, h, row, columns].set(True, mode="drop")
