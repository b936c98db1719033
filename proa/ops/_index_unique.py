"""Distinct values and counts. Shapes that depend on values are computed on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    as_dtype,
    attach_method,
    composite,
    op,
)

from ._axes import normal_axis

if TYPE_CHECKING:
    from proa.core._types import Array


@op(name="unique", dynamic_shape=True, differentiable=False, public=False)
def _unique(x: Array, axis: int | None, ordered: bool):
    array = np.asarray(x)
    place = None if axis is None else normal_axis(axis, array.ndim)
    # Each NaN is a value of its own, as NaN equals nothing.
    values, first, inverse, counts = np.unique(
        array,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=place,
        equal_nan=False,
    )
    return tuple(jnp.asarray(a) for a in (values, first, inverse.reshape(-1), counts))


def _chosen(outputs: Any, wanted: tuple[bool, ...], dtype: Any) -> Any:
    kept = [outputs[0]]
    kept += [o.astype(dtype) for o, flag in zip(outputs[1:], wanted, strict=True) if flag]
    return kept[0] if len(kept) == 1 else tuple(kept)


def _index_dtype(dtype: Any) -> Any:
    wanted = as_dtype(dtype)
    if wanted.name not in ("int32", "int64"):
        raise InvalidArgumentError(
            f"`dtype` is {wanted.name}", expected="int32 or int64", fix="it is the indices' dtype"
        )
    return wanted


@composite
def unique(
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    sorted: bool = True,
    name: str | None = None,
) -> Any:
    """The distinct values of a tensor, in ascending order; each NaN counts as distinct.

    Args:
        x: the tensor.
        return_index: also give where each value occurs first.
        return_inverse: also give, per element, the place of its value in the result.
        return_counts: also give how often each value occurs.
        axis: compare slices along an axis; `None` compares elements.
        dtype: dtype of the indices, int32 or int64.
        sorted: kept for Paddle's signature; the result is always sorted.

    Returns:
        The values, or a tuple of what was asked for. Shapes depend on the values.

    Examples:
        >>> import proa
        >>> values, counts = proa.unique(proa.to_tensor([2, 1, 2]), return_counts=True)
        >>> values.tolist(), counts.tolist()
        ([1, 2], [1, 2])
    """
    wanted = _index_dtype(dtype)
    outputs = _unique(x, axis, sorted)
    return _chosen(outputs, (return_index, return_inverse, return_counts), wanted)


@op(name="unique_consecutive", dynamic_shape=True, differentiable=False, public=False)
def _unique_consecutive(x: Array, axis: int | None):
    array = np.asarray(x)
    if axis is None:
        array, place = array.reshape(-1), 0
    else:
        place = normal_axis(axis, array.ndim)
    rows = np.moveaxis(array, place, 0)
    differs = np.any(rows[1:] != rows[:-1], axis=tuple(range(1, rows.ndim)))
    starts = np.flatnonzero(np.concatenate([[True] * min(len(rows), 1), differs]))
    inverse = np.zeros(len(rows), np.int64)
    inverse[1:] = np.cumsum(differs)
    counts = np.diff(np.append(starts, len(rows)))
    values = np.moveaxis(rows[starts], 0, place)
    return tuple(jnp.asarray(a) for a in (values, inverse, counts))


@composite
def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """Drops elements that equal the one before them.

    Args:
        x: the tensor.
        return_inverse: also give, per element, the place of its value in the result.
        return_counts: also give the length of each run.
        axis: compare slices along an axis; `None` compares elements.
        dtype: dtype of the indices, int32 or int64.

    Returns:
        The values, or a tuple of what was asked for. Shapes depend on the values.
    """
    wanted = _index_dtype(dtype)
    return _chosen(_unique_consecutive(x, axis), (return_inverse, return_counts), wanted)


@op(name="bincount", dynamic_shape=True, differentiable=False)
def bincount(x: Array, weights: Array | None = None, minlength: int = 0):
    """How often each non-negative integer occurs, or the sum of its weights.

    Args:
        x: integer vector without negative entries.
        weights: a weight per entry.
        minlength: least extent of the result.

    Returns:
        A vector: int64 counts, or sums (float32 for float32 weights, otherwise float64).

    Raises:
        OutOfRangeError: a negative entry.
        InvalidArgumentError: not an integer vector, or weights of another shape.

    Examples:
        >>> import proa
        >>> proa.bincount(proa.to_tensor([1, 2, 1])).tolist()
        [0, 2, 1]
    """
    values = np.asarray(x)
    if values.ndim != 1 or (values.dtype.kind not in "iu" and values.size):
        raise InvalidArgumentError(
            f"bincount of a {values.dtype} tensor of shape {list(values.shape)}",
            expected="an integer vector",
            fix="flatten it, and cast it to int64",
        )
    if values.size and values.min() < 0:
        raise OutOfRangeError(
            f"`x` of `bincount` holds {values.min()}",
            expected="integers >= 0",
            fix="shift the values, or drop negative ones first",
        )
    if weights is None:
        return jnp.asarray(np.bincount(values.astype(np.int64), minlength=minlength))
    if weights.shape != x.shape:
        raise InvalidArgumentError(
            f"`weights` has shape {list(weights.shape)} for {values.size} entries",
            expected="one weight per entry",
            fix="reshape the weights",
        )
    sums = np.bincount(values.astype(np.int64), np.asarray(weights, np.float64), minlength)
    return jnp.asarray(sums.astype(np.float32 if weights.dtype == jnp.float32 else np.float64))


def _range(x: Any, low: float, high: float) -> tuple[Any, Any]:
    """Bounds of a histogram in the dtype to compute in; equal ones are moved apart."""
    if high < low:
        raise InvalidArgumentError(
            f"`min` is {low} and `max` is {high}", expected="min <= max", fix="exchange the two"
        )
    dtype = x.dtype
    if low == high == 0 and x.size:
        first, last = x.min(), x.max()
    else:
        first, last = jnp.asarray(low, dtype), jnp.asarray(high, dtype)
    same = (first == last).astype(dtype)
    return first - same, last + same


def _wide(x: Any) -> Any:
    return x.astype(jnp.float64 if x.dtype in (jnp.float64, jnp.int64) else jnp.float32)


@op(name="histogram", differentiable=False)
def histogram(
    input: Array,
    bins: int = 100,
    min: float = 0.0,
    max: float = 0.0,
    weight: Array | None = None,
    density: bool = False,
):
    """Counts elements in equal intervals; elements outside are not counted.

    Args:
        input: the tensor.
        bins: number of intervals.
        min: lower bound; with `max` also 0 the range of the elements is taken.
        max: upper bound, included in the last interval.
        weight: a weight per element, to sum instead of counting.
        density: divide by the total and the interval's width.

    Returns:
        A vector of `bins` entries: int64 counts; float32 with weights or density.

    Raises:
        InvalidArgumentError: `max` below `min`, or fewer than one interval.
    """
    if bins < 1:
        raise InvalidArgumentError(
            f"`bins` is {bins}", expected="at least 1", fix="give a positive number"
        )
    x = _wide(input.reshape(-1))
    low, high = _range(x, min, max)
    place = jnp.floor((x - low) * bins / (high - low)).astype(jnp.int64)
    place = jnp.where(x == high, bins - 1, place)
    inside = (x >= low) & (x <= high)
    ones = jnp.ones(x.shape, jnp.int64) if weight is None else weight.reshape(-1)
    counts = jnp.zeros((bins,), ones.dtype).at[place].add(jnp.where(inside, ones, 0), mode="drop")
    if not density:
        return counts
    width = (high - low) / bins
    return (counts / (counts.sum() * width)).astype(jnp.float32)


@op(differentiable=False)
def histogram_bin_edges(input: Array, bins: int = 100, min: float = 0.0, max: float = 0.0):
    """The bounds of the intervals that `histogram` counts in.

    Args:
        input: the tensor.
        bins: number of intervals.
        min: lower bound; with `max` also 0 the range of the elements is taken.
        max: upper bound.

    Returns:
        A float32 vector of `bins + 1` entries.
    """
    low, high = _range(_wide(input.reshape(-1)), min, max)
    return jnp.linspace(low, high, bins + 1).astype(jnp.float32)


attach_method("unique", unique)
attach_method("unique_consecutive", unique_consecutive)
