"""Long attention by blocks of queries: memory that grows with the length, not with its square.

A block of queries sees all keys, so each row of the softmax is whole and masks, rows without any
allowed key and soft caps mean what they mean at once. The scores of a block live only while it is
computed; the backward pass computes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax

if TYPE_CHECKING:
    from proa.core._types import Array

#: Scores (elements) from which blocks are used: below, they are small beside the rest of a net.
LONG = 1 << 25
#: Scores of one block: 16 MB of float32. Rows are never fewer than `_FEWEST_ROWS`.
_BLOCK = 1 << 22
_FEWEST_ROWS = 32


def rows_of_block(query: Array, key: Array) -> int | None:
    """Queries of a block, or `None` where attention is better done at once.

    Args:
        query: [B, T, H, D].
        key: [B, S, K, D].
    """
    batch, length, heads, _ = query.shape
    keys = key.shape[1]
    # Unknown extents of a recorded program leave the number of blocks open.
    if not all(isinstance(extent, int) for extent in (batch, length, heads, keys)):
        return None
    if batch * heads * length * keys < LONG:
        return None
    room = _BLOCK // (batch * heads * keys)
    rows = max(_FEWEST_ROWS, 1 << max(room, 1).bit_length() - 1)
    return rows if rows < length else None


def in_blocks(attend_rows: Callable[..., Any], query: Array, mask: Any, rows: int) -> Any:
    """Joins what `attend_rows` gives for each block of queries.

    Args:
        attend_rows: function of the first row (0-d integer), queries [B, rows, H, D] and their
            mask; gives [B, rows, H, E], or a pair of it and [B, H, rows].
        query: [B, T, H, D]; what T leaves over after whole blocks is a shorter one.
        mask: broadcastable to [B, H, T, S], or `None`.
        rows: queries of a block.
    """
    length = query.shape[1]
    count = length // rows
    whole = count * rows
    per_row = getattr(mask, "ndim", 0) >= 2 and mask.shape[-2] == length

    def at(first: int, last: int) -> Any:
        return mask[..., first:last, :] if per_row else mask

    def body(block: tuple[Any, ...]) -> Any:
        first, queries, *own_mask = block
        return attend_rows(first, queries, own_mask[0] if own_mask else mask)

    blocks = [jnp.arange(count) * rows, _split(query[:, :whole], 1, count)]
    if per_row:
        blocks.append(_split(at(0, whole), mask.ndim - 2, count))
    # Inside a loop nothing merges the second computation with the first.
    again = jax.checkpoint(body, prevent_cse=False)  # type: ignore[attr-defined]
    parts = lax.map(again, tuple(blocks))
    rest = None
    if whole < length:
        rest = attend_rows(jnp.asarray(whole), query[:, whole:], at(whole, length))
    if not isinstance(parts, tuple):
        return _join(parts, rest, 1)
    out, sums = rest if rest is not None else (None, None)
    return _join(parts[0], out, 1), _join(parts[1], sums, 2)


def _split(x: Array, axis: int, count: int) -> Array:
    """Blocks of an axis, numbered along a new first axis."""
    size = x.shape[axis] // count
    return jnp.moveaxis(x.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :]), axis, 0)


def _join(parts: Array, rest: Array | None, axis: int) -> Array:
    x = jnp.moveaxis(parts, 0, axis)
    x = x.reshape(*x.shape[:axis], -1, *x.shape[axis + 2 :])
    return x if rest is None else jnp.concatenate([x, rest], axis)
