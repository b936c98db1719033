"""Reductions of rows that share a segment number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    Tensor,
    composite,
    concrete,
    op,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Index

REDUCTIONS = ("sum", "mean", "min", "max")


def _column(values: Any, like: Any) -> Any:
    """A vector over rows, with axes of length one after it as `like` has them."""
    return values.reshape(values.shape + (1,) * (like.ndim - 1))


def reduce_rows(rows: Any, target: Any, count: int, how: str) -> Any:
    """Rows combined by the number in `target`; a number that nothing has gives zeros.

    Args:
        rows: array of shape [E, ...].
        target: integers of shape [E].
        count: rows of the result.
        how: one of `REDUCTIONS`.
    """
    if how in ("sum", "mean") and rows.dtype in (jnp.float16, jnp.bfloat16):
        # A sum of ones in half precision stops at 2048 or 256.
        return reduce_rows(rows.astype(jnp.float32), target, count, how).astype(rows.dtype)
    empty = jnp.zeros((count, *rows.shape[1:]), rows.dtype)
    if how == "sum":
        return empty.at[target].add(rows)
    present = jnp.zeros(count, jnp.int32).at[target].add(1)
    if how == "mean":
        total = empty.at[target].add(rows)
        divisor = _column(jnp.maximum(present, 1).astype(rows.dtype), rows)
        is_float = jnp.issubdtype(rows.dtype, jnp.inexact)
        return total / divisor if is_float else total // divisor
    is_float = jnp.issubdtype(rows.dtype, jnp.inexact)
    limits: Any = jnp.finfo(rows.dtype) if is_float else jnp.iinfo(rows.dtype)
    # Infinities, not the largest finite number, so that rows of infinities keep theirs.
    low, high = (-jnp.inf, jnp.inf) if is_float else (limits.min, limits.max)
    start = jnp.full_like(empty, high if how == "min" else low)
    fixed = jax.lax.stop_gradient(rows)
    best = getattr(start.at[target], how)(fixed)
    best = jnp.where(_column(present > 0, rows), best, jnp.zeros_like(best))
    if not is_float:
        return best
    # A scattered extreme has no derivative of its own: each winner passes it on.
    wins = (fixed == best[target]) & jnp.isfinite(fixed)
    step = jnp.where(wins, rows, 0) - jnp.where(wins, fixed, 0)
    return best + empty.at[target].add(step)


def check_count(target: Any, count: int, name: str) -> None:
    """Refuses numbers outside [0, count) where they can be read on the host."""
    values = np.asarray(target)
    if values.size and (values.min() < 0 or values.max() >= count):
        place = int(np.argmax((values < 0) | (values >= count)))
        raise OutOfRangeError(
            f"`{name}` holds {int(values[place])} at [{place}]",
            expected=f"numbers of rows in [0, {count})",
            fix="correct the numbers, or the number of rows",
        )


def _check_segment(data: Any, segment_ids: Any, count: int, how: str) -> None:
    values = np.asarray(segment_ids)
    check_count(values, count, "segment_ids")
    falls = np.flatnonzero(np.diff(values) < 0)
    if falls.size:
        place = int(falls[0])
        raise InvalidArgumentError(
            f"`segment_ids` falls from {values[place]} to {values[place + 1]} at [{place + 1}]",
            expected="numbers that never fall",
            fix="sort the rows by segment, or use send_u_recv, which takes any order",
        )


@op(name="geometric_segment", method=None, public=False, check=_check_segment)
def _segment(data: Array, segment_ids: Index, count: int, how: str):
    """Rows of `data` combined by segment."""
    return reduce_rows(data, segment_ids, count, how)


def host_vector(t: Tensor, name: str, function: str) -> np.ndarray:
    """The values of an integer vector that decide a shape.

    Raises:
        InvalidTypeError: no integers.
        InvalidArgumentError: no vector.
        ProgramError: the function is being recorded.
    """
    values = np.asarray(concrete(t, function))
    if values.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"`{name}` of `{function}` is a {values.dtype} tensor",
            expected="an integer tensor",
            fix="cast it to int64",
        )
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidArgumentError(
            f"`{name}` of `{function}` has shape {list(values.shape)}",
            expected="a vector",
            fix="reshape it to one axis",
        )
    return values


def _by_segment(data: Tensor, segment_ids: Tensor, how: str) -> Tensor:
    ids = host_vector(segment_ids, "segment_ids", f"segment_{how}")
    if not data.ndim or data.shape[0] != len(ids):
        raise InvalidArgumentError(
            f"`data` of shape {data.shape} and {len(ids)} `segment_ids`",
            expected="one segment number per row of `data`",
            fix="give both the same first extent",
        )
    count = int(ids.max()) + 1 if ids.size else 0
    return _segment(data, segment_ids.reshape([-1]), count, how)  # type: ignore[attr-defined]


@composite
def segment_sum(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Sums the rows of each segment: `out[i] = sum of data[j] with segment_ids[j] == i`.

    Args:
        data: tensor of shape [n, ...].
        segment_ids: int32 or int64 vector of shape [n], never falling.
        name: not used.

    Returns:
        Tensor of shape [last segment + 1, ...]; zeros for a segment without rows.

    Raises:
        InvalidArgumentError: segment numbers that fall, or not one per row.
        OutOfRangeError: a negative segment number.

    Examples:
        >>> import proa
        >>> data = proa.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> proa.geometric.segment_sum(data, proa.to_tensor([0, 0, 1])).tolist()
        [[4.0, 6.0], [5.0, 6.0]]
    """
    return _by_segment(data, segment_ids, "sum")


@composite
def segment_mean(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Means of the rows of each segment.

    Args:
        data: tensor of shape [n, ...].
        segment_ids: int32 or int64 vector of shape [n], never falling.
        name: not used.

    Returns:
        Tensor of shape [last segment + 1, ...]; zeros for a segment without rows.

    Raises:
        InvalidArgumentError: segment numbers that fall, or not one per row.
        OutOfRangeError: a negative segment number.

    Examples:
        >>> import proa
        >>> data = proa.to_tensor([1.0, 3.0, 5.0])
        >>> proa.geometric.segment_mean(data, proa.to_tensor([0, 0, 2])).tolist()
        [2.0, 0.0, 5.0]
    """
    return _by_segment(data, segment_ids, "mean")


@composite
def segment_min(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Smallest values of the rows of each segment; equal ones each get the full gradient.

    Args:
        data: tensor of shape [n, ...].
        segment_ids: int32 or int64 vector of shape [n], never falling.
        name: not used.

    Returns:
        Tensor of shape [last segment + 1, ...]; zeros for a segment without rows.

    Raises:
        InvalidArgumentError: segment numbers that fall, or not one per row.
        OutOfRangeError: a negative segment number.

    Examples:
        >>> import proa
        >>> data = proa.to_tensor([1.0, 3.0, 5.0])
        >>> proa.geometric.segment_min(data, proa.to_tensor([0, 0, 1])).tolist()
        [1.0, 5.0]
    """
    return _by_segment(data, segment_ids, "min")


@composite
def segment_max(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Largest values of the rows of each segment; equal ones each get the full gradient.

    Args:
        data: tensor of shape [n, ...].
        segment_ids: int32 or int64 vector of shape [n], never falling.
        name: not used.

    Returns:
        Tensor of shape [last segment + 1, ...]; zeros for a segment without rows.

    Raises:
        InvalidArgumentError: segment numbers that fall, or not one per row.
        OutOfRangeError: a negative segment number.

    Examples:
        >>> import proa
        >>> data = proa.to_tensor([1.0, 3.0, 5.0])
        >>> proa.geometric.segment_max(data, proa.to_tensor([0, 0, 1])).tolist()
        [3.0, 5.0]
    """
    return _by_segment(data, segment_ids, "max")
