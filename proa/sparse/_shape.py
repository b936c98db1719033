"""Sparse tensors in other shapes, reduced, cut out, or at other tensors' places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa import ops
from proa.core import (
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    as_dtype,
    attach_method,
    composite,
    respelled,
    to_tensor,
)

from ._tensor import (
    SparseTensor,
    coordinates,
    like_form,
    make,
    make_coo,
    need_sparse,
    with_values,
)


def summed_at(places: np.ndarray, values: Tensor, dims: Any) -> SparseTensor:
    """A COO tensor in which values at one place are summed up, and places are sorted."""
    sparse_dims = tuple(int(d) for d in dims[: len(places)])
    flat: Any = np.ravel_multi_index(tuple(places), sparse_dims) if places.size else places[0]
    unique, inverse = np.unique(flat, return_inverse=True)
    if len(unique) != len(flat) or (np.diff(flat) < 0).any():
        place = to_tensor(inverse.reshape(-1, 1))
        values = ops.scatter_nd(place, values, [len(unique), *values.shape[1:]])
    made = np.stack(np.unravel_index(unique, sparse_dims)) if places.size else places
    return make_coo(made, values, dims, True)


@composite
def coalesce(x: Tensor, name: str | None = None) -> SparseTensor:
    """A COO tensor with its places sorted and values at one place summed up.

    Args:
        x: sparse tensor in COO form.
        name: not used.

    Raises:
        InvalidTypeError: `x` is dense.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[1, 0, 1]], [1.0, 2.0, 3.0], [2])
        >>> proa.sparse.coalesce(x).values().tolist()
        [2.0, 4.0]
    """
    given = need_sparse(x, "x", "coalesce")
    if given._coalesced or given._form == "csr":
        return given
    return summed_at(coordinates(given), given.values(), given._dims)


@composite
def transpose(x: Tensor, perm: Sequence[int], name: str | None = None) -> SparseTensor:
    """The tensor with its axes in another order.

    Args:
        x: sparse tensor without dense axes.
        perm: the axes of `x` in their new order.
        name: not used.

    Raises:
        InvalidArgumentError: `perm` is no order of the axes, or moves a dense axis.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> proa.sparse.transpose(x, [1, 0]).shape
        [3, 2]
    """
    given = need_sparse(x, "x", "transpose")
    order = [int(p) + given.ndim * (int(p) < 0) for p in perm]
    sparse = given.sparse_dim()
    if sorted(order) != list(range(given.ndim)) or order[sparse:] != list(
        range(sparse, given.ndim)
    ):
        raise InvalidArgumentError(
            f"`perm` is {list(perm)} for {given.ndim} axes, {sparse} of them sparse",
            expected="each sparse axis once, then the dense axes as they are",
            fix="correct `perm`",
        )
    dims = [given._dims[p] for p in order]
    moved = make_coo(coordinates(given)[order[:sparse]], given.values(), dims)
    return like_form(moved, given._form)


@respelled
@composite
def reshape(x: Tensor, shape: Sequence[int], name: str | None = None) -> SparseTensor:
    """The tensor in another shape with as many elements.

    Args:
        x: sparse tensor without dense axes.
        shape: the new extents; one may be -1, and 0 keeps the extent of `x`.
        name: not used.

    Raises:
        InvalidArgumentError: another number of elements, or dense axes.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> proa.sparse.reshape(x, [3, -1]).to_dense().tolist()
        [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """
    given = need_sparse(x, "x", "reshape")
    dims = [given._dims[i] if int(d) == 0 else int(d) for i, d in enumerate(shape)]
    known = int(np.prod([d for d in dims if d != -1]))
    if dims.count(-1) == 1 and known and given.size % known == 0:
        dims[dims.index(-1)] = given.size // known
    if given.dense_dim() or -1 in dims or int(np.prod(dims)) != given.size:
        raise InvalidArgumentError(
            f"`shape` is {list(shape)} for {given.shape} with {given.dense_dim()} dense axes",
            expected=f"extents of {given.size} elements, and a tensor without dense axes",
            fix="correct `shape`, or reshape the values",
        )
    flat = np.ravel_multi_index(tuple(coordinates(given)), given._dims)
    places = np.stack(np.unravel_index(flat, dims))
    made = make_coo(places, given.values(), dims, given._coalesced)
    return like_form(made, given._form)


def _axes(x: SparseTensor, axis: Any) -> list[int]:
    wanted = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    found = []
    for given in wanted:
        if not -x.ndim <= given < x.ndim:
            raise OutOfRangeError(
                f"`axis` {given} of a sparse tensor of shape {x.shape}",
                expected=f"an axis in [{-x.ndim}, {x.ndim})",
                fix="correct `axis`",
            )
        found.append(given % x.ndim)
    return found


@composite
def sum(
    x: Tensor, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None
) -> SparseTensor:
    """Sum over axes.

    Args:
        x: sparse tensor.
        axis: an axis or several; `None` for all.
        dtype: dtype of the result; `None` for that of `x` (int64 for bool and int32).
        keepdim: keep the axes with extent one. A CSR tensor keeps them always.
        name: not used.

    Returns:
        Sparse tensor in the form of `x`; of shape [1] for a sum of all.

    Raises:
        OutOfRangeError: no such axis.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> proa.sparse.sum(x, axis=0).to_dense().tolist()
        [2.0, 0.0, 1.0]
    """
    given = need_sparse(x, "x", "sum")
    axes, sparse = _axes(given, axis), given.sparse_dim()
    keeps = keepdim or given._form == "csr"
    values = given.values()
    inner = [a - sparse + 1 for a in axes if a >= sparse]
    wanted = as_dtype(dtype).name if dtype is not None else None
    if wanted is None and given.dtype.name in ("bool", "int32"):
        wanted = "int64"
    values = values if wanted is None else values.astype(wanted)  # type: ignore[attr-defined]
    if inner:
        values = ops.sum(values, axis=inner, keepdim=keeps)
    places = coordinates(given)
    kept = [a for a in range(sparse) if a not in axes]
    if keeps:
        rows = [np.zeros_like(places[a]) if a in axes else places[a] for a in range(sparse)]
        dims = [1 if a in axes else given._dims[a] for a in range(sparse)]
    else:
        rows = [places[a] for a in kept] or [np.zeros_like(places[0])]
        dims = [given._dims[a] for a in kept] or [1]
    made = summed_at(np.stack(rows), values, [*dims, *values.shape[1:]])
    return like_form(made, given._form)


@composite
def slice(
    x: Tensor,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    name: str | None = None,
) -> SparseTensor:
    """A block of a sparse tensor.

    Args:
        x: sparse tensor without dense axes.
        axes: the axes that are cut.
        starts: first place along each of them; negative ones count from the end.
        ends: place after the last along each of them.
        name: not used.

    Raises:
        OutOfRangeError: no such axis.
        InvalidArgumentError: lists of different lengths.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> proa.sparse.slice(x, [1], [1], [3]).to_dense().tolist()
        [[0.0, 1.0], [0.0, 0.0]]
    """
    given = need_sparse(x, "x", "slice")
    wanted = _axes(given, list(axes))
    if not len(wanted) == len(starts) == len(ends) or any(a >= given.sparse_dim() for a in wanted):
        raise InvalidArgumentError(
            f"{len(wanted)} axes, {len(starts)} starts, {len(ends)} ends",
            expected="as many starts and ends as axes, and sparse axes only",
            fix="complete the lists",
        )
    places, dims = coordinates(given).copy(), list(given._dims)
    inside = np.ones(places.shape[1], bool)
    for axis, start, end in zip(wanted, starts, ends, strict=True):
        first, last, _ = np.s_[int(start) : int(end)].indices(dims[axis])
        inside &= (places[axis] >= first) & (places[axis] < last)
        places[axis] -= first
        dims[axis] = max(last - first, 0)
    values = given.values()[to_tensor(np.flatnonzero(inside))]  # type: ignore[index]
    made = make_coo(places[:, inside], values, dims, given._coalesced)
    return like_form(made, given._form)


@composite
def cast(
    x: Tensor, index_dtype: Any = None, value_dtype: Any = None, name: str | None = None
) -> SparseTensor:
    """The tensor with other dtypes.

    Args:
        x: sparse tensor.
        index_dtype: dtype of the places; `None` leaves it.
        value_dtype: dtype of the values; `None` leaves it.
        name: not used.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
        >>> proa.sparse.cast(x, "int32", "float64").indices().dtype.name
        'int32'
    """
    given = need_sparse(x, "x", "cast")
    values, places = given.values(), given._places
    if value_dtype is not None:
        values = values.astype(value_dtype)  # type: ignore[attr-defined]
    if index_dtype is not None:
        places = tuple(p.astype(index_dtype) for p in places)  # type: ignore[attr-defined]
    return make(given._form, places, values, given._dims, given._coalesced)


@composite
def mask_as(x: Tensor, mask: Tensor, name: str | None = None) -> SparseTensor:
    """The elements of a dense tensor at the places of a sparse one.

    Args:
        x: dense tensor.
        mask: sparse tensor of the same shape; its values do not matter.
        name: not used.

    Raises:
        InvalidTypeError: `mask` is dense.
        InvalidArgumentError: shapes that differ.

    Examples:
        >>> import proa
        >>> mask = proa.sparse.sparse_coo_tensor([[0, 2]], [1.0, 1.0], [3])
        >>> proa.sparse.mask_as(proa.to_tensor([5.0, 6.0, 7.0]), mask).values().tolist()
        [5.0, 7.0]
    """
    given = need_sparse(mask, "mask", "mask_as")
    if list(x.shape) != list(given.shape):
        raise InvalidArgumentError(
            f"`x` of shape {x.shape} and `mask` of shape {given.shape}",
            expected="equal shapes",
            fix="reshape one of them",
        )
    places = to_tensor(np.ascontiguousarray(coordinates(given).T))
    return with_values(given, ops.gather_nd(x, places))


@composite
def is_same_shape(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors, sparse or dense, have the same shape.

    Args:
        x: a tensor.
        y: a tensor.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
        >>> proa.sparse.is_same_shape(x, proa.ones([3]))
        True
    """
    return list(x.shape) == list(y.shape)


attach_method("is_same_shape", is_same_shape, owner=SparseTensor)
attach_method("coalesce", coalesce, owner=SparseTensor)
