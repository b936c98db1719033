"""Sorting, and what follows from an order. NaN counts as the largest value; ties keep order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    Tensor,
    attach_method,
    composite,
    is_dimension,
    is_inexact,
    op,
)

from ._axes import common_dtype, normal_axis

if TYPE_CHECKING:
    from proa.core._types import Array


def _order(x: Any, axis: int, descending: bool) -> Any:
    """Stable order along an axis; reversing both ways keeps ties in order."""
    if not descending:
        return jnp.argsort(x, axis=axis, stable=True).astype(jnp.int64)
    backwards = jnp.flip(jnp.argsort(jnp.flip(x, axis), axis=axis, stable=True), axis)
    return x.shape[axis] - 1 - backwards.astype(jnp.int64)


@op
def sort(x: Array, axis: int = -1, descending: bool = False, stable: bool = False):
    """Sorts along an axis; NaN counts as the largest value.

    Args:
        x: the tensor.
        axis: the axis.
        descending: from the largest to the smallest.
        stable: kept for Paddle's signature; the order is always stable.

    Examples:
        >>> import proa
        >>> proa.sort(proa.to_tensor([3, 1, 2]), descending=True).tolist()
        [3, 2, 1]
    """
    if not x.ndim:
        return x
    place = normal_axis(axis, x.ndim)
    ordered = jnp.sort(x, axis=place, stable=True)
    return jnp.flip(ordered, place) if descending else ordered


@op(differentiable=False)
def argsort(x: Array, axis: int = -1, descending: bool = False, stable: bool = False):
    """The indices that sort along an axis; NaN counts as the largest value.

    Args:
        x: the tensor.
        axis: the axis.
        descending: from the largest to the smallest.
        stable: kept for Paddle's signature; ties always keep their order.

    Returns:
        An int64 tensor of the shape of `x`.

    Examples:
        >>> import proa
        >>> proa.argsort(proa.to_tensor([3, 1, 2])).tolist()
        [1, 2, 0]
    """
    if not x.ndim:
        return jnp.zeros((), jnp.int64)
    return _order(x, normal_axis(axis, x.ndim), descending)


@composite
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """Sorts along the first axis.

    Args:
        input: the tensor.
        out: a tensor to write the result to.
    """
    ordered = sort(input, 0)
    return ordered if out is None else out.copy_(ordered)


def _check_rank(k: int, extent: Any, name: str) -> None:
    if k < 1 or (not is_dimension(extent) and k > extent):
        raise InvalidArgumentError(
            f"`k` of `{name}` is {k} for an axis of extent {extent}",
            expected=f"1 <= k <= {extent}",
            fix="choose a smaller k, or another axis",
        )


@op(out=True)
def topk(x: Array, k: int, axis: int | None = None, largest: bool = True, sorted: bool = True):
    """The k largest (or smallest) elements along an axis, and their indices.

    NaN counts as the largest value. Among equal elements the earlier one comes first.

    Args:
        x: the tensor.
        k: how many.
        axis: the axis; the last by default.
        largest: whether the largest are wanted.
        sorted: kept for Paddle's signature; the result is always sorted.

    Returns:
        Values, and int64 indices, both with extent k of the axis.

    Raises:
        InvalidArgumentError: k is not in [1, extent].

    Examples:
        >>> import proa
        >>> values, indices = proa.topk(proa.to_tensor([3.0, 1.0, 2.0]), 2)
        >>> values.tolist(), indices.tolist()
        ([3.0, 2.0], [0, 2])
    """
    if not x.ndim:
        _check_rank(k, 1, "topk")
        return x, jnp.zeros((), jnp.int64)
    place = normal_axis(-1 if axis is None else axis, x.ndim)
    _check_rank(k, x.shape[place], "topk")
    if largest and k * 8 <= (x.shape[place] if not is_dimension(x.shape[place]) else 0):
        _, found = jax.lax.top_k(jnp.moveaxis(jax.lax.stop_gradient(x), place, -1), k)
        index = jnp.moveaxis(found, -1, place).astype(jnp.int64)
    else:
        index = jax.lax.slice_in_dim(_order(x, place, largest), 0, k, axis=place)
    return jnp.take_along_axis(x, index, place), index


@op
def kthvalue(x: Array, k: int, axis: int | None = None, keepdim: bool = False):
    """The k-th smallest element along an axis, and its index.

    Args:
        x: the tensor.
        k: rank, from 1.
        axis: the axis; the last by default.
        keepdim: keep the axis with extent 1.

    Returns:
        Values, and int64 indices.

    Raises:
        InvalidArgumentError: k is not in [1, extent].
    """
    if not x.ndim:
        _check_rank(k, 1, "kthvalue")
        return x, jnp.zeros((), jnp.int64)
    place = normal_axis(-1 if axis is None else axis, x.ndim)
    _check_rank(k, x.shape[place], "kthvalue")
    index = jax.lax.slice_in_dim(_order(x, place, False), k - 1, k, axis=place)
    return _picked(x, index, place, keepdim)


def _picked(x: Any, index: Any, place: int, keepdim: bool) -> tuple[Any, Any]:
    value = jnp.take_along_axis(x, index, place)
    return (value, index) if keepdim else (value.squeeze(place), index.squeeze(place))


@op
def mode(x: Array, axis: int = -1, keepdim: bool = False):
    """The most frequent element along an axis, and the index of its last occurrence.

    Among equally frequent elements the smallest is taken.

    Args:
        x: the tensor.
        axis: the axis.
        keepdim: keep the axis with extent 1.

    Returns:
        Values, and int64 indices.
    """
    if not x.ndim:
        return x, jnp.zeros((), jnp.int64)
    place = normal_axis(axis, x.ndim)
    moved = jnp.moveaxis(jax.lax.stop_gradient(x), place, -1)
    ordered = jnp.sort(moved, axis=-1)
    places = jnp.broadcast_to(jnp.arange(ordered.shape[-1]), ordered.shape)
    starts = jnp.concatenate(
        [jnp.ones_like(ordered[..., :1], bool), ordered[..., 1:] != ordered[..., :-1]], -1
    )
    # The length of the run that an element ends: the first longest run wins.
    first = jax.lax.cummax(jnp.where(starts, places, 0), axis=ordered.ndim - 1)
    longest = jnp.argmax(places - first, axis=-1, keepdims=True)
    value = jnp.take_along_axis(ordered, longest, -1)
    same = (moved == value) | ((moved != moved) & (value != value))
    index = jnp.max(jnp.where(same, places, -1), axis=-1, keepdims=True)
    return _picked(x, jnp.moveaxis(index, -1, place).astype(jnp.int64), place, keepdim)


def _search(ordered: Any, values: Any, right: bool) -> Any:
    dtype = common_dtype(ordered, values)
    side = "right" if right else "left"
    ordered, values = ordered.astype(dtype), values.astype(dtype)
    if ordered.ndim == 1:
        return jnp.searchsorted(ordered, values, side=side)
    rows = jax.lax.collapse(ordered, 0, ordered.ndim - 1)
    wanted = jax.lax.collapse(values, 0, values.ndim - 1)
    found = jax.vmap(lambda a, v: jnp.searchsorted(a, v, side=side))(rows, wanted)
    return found.reshape(values.shape)


@op(name="searchsorted", differentiable=False, out=True, public=False)
def _searchsorted(ordered: Array, values: Array, sorter: Array | None, right: bool, narrow: bool):
    if sorter is not None:
        ordered = jnp.take_along_axis(ordered, sorter, -1)
    if ordered.ndim != 1 and ordered.shape[:-1] != values.shape[:-1]:
        raise InvalidArgumentError(
            f"searchsorted of sequences {list(ordered.shape)} and values {list(values.shape)}",
            expected="one sequence, or equal shapes except the last axis",
            fix="reshape or expand one of them",
        )
    found = _search(ordered, values, right)
    if is_inexact(ordered.dtype) or is_inexact(values.dtype):
        found = jnp.where(jnp.isnan(values), ordered.shape[-1], found)
    return found.astype(jnp.int32 if narrow else jnp.int64)


@composite
def searchsorted(
    sorted_sequence: Tensor,
    values: Any,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
    side: str | None = None,
    out: Any = None,
    sorter: Any = None,
) -> Tensor:
    """Where values would have to be inserted to keep a sequence sorted.

    Args:
        sorted_sequence: ascending along the last axis: one vector, or one per row of values.
        values: tensor or number.
        out_int32: give int32 instead of int64.
        right: insert after equal elements instead of before.
        side: `"left"` or `"right"`, the same as `right`.
        out: a tensor to write the result to.
        sorter: indices that sort the sequence, when it is not sorted itself.

    Raises:
        InvalidArgumentError: shapes that do not fit, or `side` and `right` contradict.

    Examples:
        >>> import proa
        >>> proa.searchsorted(proa.to_tensor([1, 3, 5]), proa.to_tensor([3, 4])).tolist()
        [1, 2]
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        raise InvalidArgumentError(
            f"`side` is {side!r} and `right` is {right}",
            expected="'left' or 'right', without a contradiction",
            fix="give one of the two",
        )
    after = right or side == "right"
    return _searchsorted(sorted_sequence, values, sorter, after, out_int32, out=out)


@composite
def bucketize(
    x: Any,
    sorted_sequence: Tensor,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
    *,
    out: Any = None,
) -> Tensor:
    """The bucket each element falls into, for ascending bounds between buckets.

    Args:
        x: tensor or number.
        sorted_sequence: ascending vector of bounds.
        out_int32: give int32 instead of int64.
        right: a value equal to a bound belongs to the bucket after it.
        out: a tensor to write the result to.

    Raises:
        InvalidArgumentError: the bounds are not a vector.
    """
    if sorted_sequence.ndim != 1:
        raise InvalidArgumentError(
            f"`sorted_sequence` has shape {sorted_sequence.shape}",
            expected="a vector",
            fix="use searchsorted for one sequence per row",
        )
    return searchsorted(sorted_sequence, x, out_int32, right, out=out)


attach_method("msort", msort)
attach_method("bucketize", bucketize)
