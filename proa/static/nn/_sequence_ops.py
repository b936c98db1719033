"""Ops on rows that offsets divide into sequences: sequence i is rows offsets[i] .. offsets[i+1]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import op

if TYPE_CHECKING:
    from proa.core._types import Array, Index

POOLS = ("sum", "average", "sqrt", "max", "first", "last")


def _numbers(offsets: Any, rows: Any) -> Any:
    """The sequence of each row, [rows]."""
    return jnp.searchsorted(offsets[1:], jnp.arange(rows, dtype=offsets.dtype), side="right")


def _column(values: Any, like: Any) -> Any:
    return values.reshape(values.shape + (1,) * (like.ndim - 1))


def _take(x: Any, places: Any) -> Any:
    """Rows of x; a row of zeros stands behind them, since nothing can be taken from no rows."""
    return jnp.concatenate([x, jnp.zeros((1, *x.shape[1:]), x.dtype)])[places]


@op(public=False)
def sequence_rows_pool(x: Array, offsets: Index, pad_value: Array, kind: str) -> Array:
    """One row for each sequence.

    Args:
        x: [rows, ...].
        offsets: [sequences + 1].
        pad_value: fills the rows of empty sequences.
        kind: one of `POOLS`.
    """
    count = offsets.shape[0] - 1
    lengths = offsets[1:] - offsets[:-1]
    if kind in ("first", "last"):
        place = offsets[:-1] if kind == "first" else offsets[1:] - 1
        found = _take(x, jnp.maximum(place, 0))
    elif kind == "max":
        start = jnp.full((count, *x.shape[1:]), _lowest(x.dtype), x.dtype)
        found = start.at[_numbers(offsets, x.shape[0])].max(x)
    else:
        wide = jnp.promote_types(x.dtype, jnp.float32) if x.dtype.itemsize < 4 else x.dtype
        start = jnp.zeros((count, *x.shape[1:]), wide)
        found = start.at[_numbers(offsets, x.shape[0])].add(x.astype(wide))
        many = _column(jnp.maximum(lengths, 1), x).astype(wide)
        if kind != "sum":
            found = found / (many if kind == "average" else jnp.sqrt(many))
        found = found.astype(x.dtype)
    return jnp.where(_column(lengths > 0, x), found, pad_value.astype(x.dtype))


def _lowest(dtype: Any) -> Any:
    return -jnp.inf if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).min


@op(public=False)
def sequence_rows_softmax(x: Array, offsets: Index) -> Array:
    """Softmax over the rows of each sequence.

    Args:
        x: [rows, ...].
        offsets: [sequences + 1].
    """
    numbers = _numbers(offsets, x.shape[0])
    # One more than there are sequences, so that it is never empty.
    shape = (offsets.shape[0], *x.shape[1:])
    most = jnp.full(shape, -jnp.inf, x.dtype).at[numbers].max(x)
    powers = jnp.exp(x - most[numbers])
    return powers / jnp.zeros(shape, x.dtype).at[numbers].add(powers)[numbers]


@op(public=False)
def sequence_rows_window(x: Array, offsets: Index, start: int, length: int) -> Array:
    """Rows around each row, zeros beyond its sequence: [rows, length, ...].

    Args:
        x: [rows, ...].
        offsets: [sequences + 1].
        start: distance to the first row of a window.
        length: rows of a window.
    """
    rows = x.shape[0]
    here = jnp.arange(rows, dtype=offsets.dtype)
    numbers = _numbers(offsets, rows)
    first, end = offsets[numbers], offsets[numbers + 1]
    parts = []
    for shift in range(start, start + length):
        # A row that another index clamps to is one of another sequence, and masked.
        inside = (here + shift >= first) & (here + shift < end)
        parts.append(jnp.where(_column(inside, x), jnp.roll(x, -shift, axis=0), 0))
    return jnp.stack(parts, axis=1)


@op(public=False)
def sequence_rows_repeat(x: Array, offsets: Index, like: Array) -> Array:
    """Row i of x for each row of sequence i.

    Args:
        x: [sequences, ...].
        offsets: [sequences + 1].
        like: an array with as many rows as the sequences have.
    """
    return _take(x, _numbers(offsets, like.shape[0]))
