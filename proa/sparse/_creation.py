"""Sparse tensors from places and values, from dense tensors, and from each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    Tensor,
    composite,
    concrete,
    to_tensor,
)
from proa.ops import assign, gather_nd

from ._tensor import SparseTensor, as_coo, as_csr, make, make_coo


def _integers(given: Any, name: str) -> np.ndarray:
    array = np.asarray(concrete(given, name) if isinstance(given, Tensor) else given)
    if not array.size:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"`{name}` has dtype {array.dtype}", expected="integers", fix="cast it to int64"
        )
    return array


def _values(given: Any, dtype: Any, place: Any, stop_gradient: bool) -> Tensor:
    if not isinstance(given, Tensor):
        return to_tensor(given, dtype=dtype, place=place, stop_gradient=stop_gradient)
    if stop_gradient or given.stop_gradient:
        return to_tensor(given, dtype=dtype, place=place, stop_gradient=stop_gradient)
    # The values stay on the tape, so that a gradient reaches the tensor that was given.
    return assign(given if dtype is None else given.astype(dtype))  # type: ignore[attr-defined]


def _need(condition: bool, got: str, expected: str, fix: str) -> None:
    if not condition:
        raise InvalidArgumentError(got, expected=expected, fix=fix)


def _check_inside(places: np.ndarray, dims: Any, name: str) -> None:
    for axis, (row, extent) in enumerate(zip(places, dims, strict=True)):
        if row.size and (row.min() < 0 or row.max() >= extent):
            bad = int(row.min()) if row.min() < 0 else int(row.max())
            raise OutOfRangeError(
                f"`{name}` holds {bad} for axis {axis} of shape {list(dims)}",
                expected=f"places in [0, {extent})",
                fix="correct the places, or give a larger shape",
            )


@composite
def sparse_coo_tensor(
    indices: Any,
    values: Any,
    shape: Any = None,
    dtype: Any = None,
    place: Any = None,
    stop_gradient: bool = True,
) -> SparseTensor:
    """Makes a sparse tensor of coordinates and values.

    Args:
        indices: integers of shape [sparse_dim, nnz]: a column per stored element.
        values: the elements, of shape [nnz, ...].
        shape: shape of the whole; `None` for the smallest that holds all places.
        dtype: dtype of the values; `None` follows `values`.
        place: where the values lie; `None` for the current device.
        stop_gradient: `False` to track gradients of the values.

    Returns:
        A SparseTensor in COO form; a place may be named several times.

    Raises:
        InvalidTypeError: places that are no integers.
        InvalidArgumentError: shapes that do not fit together.
        OutOfRangeError: a place outside `shape`.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    places = _integers(indices, "indices")
    _need(
        places.ndim == 2,
        f"`indices` has shape {list(places.shape)}",
        "two axes: [sparse_dim, nnz]",
        "give a row of coordinates per sparse axis",
    )
    held = _values(values, dtype, place, stop_gradient)
    count = held.shape[0] if held.ndim else -1
    _need(
        count == places.shape[1],
        f"{places.shape[1]} places and `values` of shape {held.shape}",
        "a value per place",
        "give both the same number",
    )
    if shape is None:
        _need(places.size > 0, "no places and no `shape`", "a shape", "pass shape=[...]")
        dims = [int(d) + 1 for d in places.max(1)] + list(held.shape[1:])
    else:
        dims = [int(d) for d in (shape.tolist() if hasattr(shape, "tolist") else shape)]
    _need(
        dims[len(places) :] == list(held.shape[1:]),
        f"`shape` {dims} for {len(places)} sparse axes and values of shape {held.shape}",
        f"{len(places)} extents, then {list(held.shape[1:])}",
        "correct `shape`",
    )
    _check_inside(places, dims[: len(places)], "indices")
    return make_coo(places, held, dims)


@composite
def sparse_csr_tensor(
    crows: Any,
    cols: Any,
    values: Any,
    shape: Any = None,
    dtype: Any = None,
    place: Any = None,
    stop_gradient: bool = True,
) -> SparseTensor:
    """Makes a sparse matrix, or a batch of them, of compressed rows.

    Row `i` holds `values[crows[i]:crows[i + 1]]` at the columns `cols[crows[i]:crows[i + 1]]`.

    Args:
        crows: integers of shape [rows + 1]; for a batch one such block per matrix.
        cols: integers of shape [nnz].
        values: the elements, of shape [nnz].
        shape: [rows, columns], or [batch, rows, columns]; `None` for the smallest matrix.
        dtype: dtype of the values; `None` follows `values`.
        place: where the values lie; `None` for the current device.
        stop_gradient: `False` to track gradients of the values.

    Returns:
        A SparseTensor in CSR form.

    Raises:
        InvalidTypeError: places that are no integers.
        InvalidArgumentError: shapes that do not fit together.
        OutOfRangeError: a column outside `shape`.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_csr_tensor([0, 1, 3], [2, 0, 1], [1.0, 2.0, 3.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 3.0, 0.0]]
    """
    starts, columns = _integers(crows, "crows"), _integers(cols, "cols")
    held = _values(values, dtype, place, stop_gradient)
    _need(
        starts.ndim == 1 and columns.ndim == 1 and held.ndim == 1 and starts.size > 0,
        f"`crows`, `cols`, `values` have {starts.ndim}, {columns.ndim}, {held.ndim} axes",
        "vectors, and a `crows` of at least one entry",
        "flatten them; for values with axes of their own use sparse_coo_tensor",
    )
    if shape is None:
        dims = [len(starts) - 1, int(columns.max()) + 1 if columns.size else 0]
    else:
        dims = [int(d) for d in (shape.tolist() if hasattr(shape, "tolist") else shape)]
    _need(len(dims) in (2, 3), f"`shape` is {dims}", "2 or 3 extents", "correct `shape`")
    batches = dims[0] if len(dims) == 3 else 1
    _need(
        len(starts) == batches * (dims[-2] + 1),
        f"`crows` has {len(starts)} entries for shape {dims}",
        f"{batches * (dims[-2] + 1)}: the number of rows and one more, per matrix",
        "correct `crows` or `shape`",
    )
    blocks = starts.reshape(batches, -1)
    _need(
        len(columns) == held.shape[0] == int(blocks[:, -1].sum()),
        f"{len(columns)} columns, {held.shape[0]} values, `crows` ends at {blocks[:, -1].sum()}",
        "three equal numbers",
        "complete the shorter one",
    )
    _need(
        bool((np.diff(blocks, axis=1) >= 0).all() and (blocks[:, 0] == 0).all()),
        f"`crows` is {starts.tolist()}"[:200],
        "a start of 0 and entries that never fall",
        "build it as a running sum of the rows' lengths",
    )
    _check_inside(columns[None], dims[-1:], "cols")
    places = (to_tensor(starts.astype(np.int64)), to_tensor(columns.astype(np.int64)))
    return make("csr", places, held, dims)


def dense_to_coo(x: Tensor, sparse_dim: int) -> SparseTensor:
    """The non-zero parts of a dense tensor.

    Args:
        x: the tensor.
        sparse_dim: number of leading axes that become sparse.

    Raises:
        InvalidArgumentError: `sparse_dim` is no number of axes of `x`.
    """
    if isinstance(x, SparseTensor):
        return as_coo(x)
    _need(
        isinstance(sparse_dim, int | np.integer) and 1 <= sparse_dim <= x.ndim,
        f"`sparse_dim` is {sparse_dim} for a tensor of shape {x.shape}",
        f"a number of axes in [1, {x.ndim}]",
        "correct `sparse_dim`",
    )
    array = np.asarray(concrete(x, "to_sparse_coo()"))
    used = (array != 0).any(tuple(range(sparse_dim, array.ndim)))
    places = np.stack(np.nonzero(used))
    return make_coo(places, gather_nd(x, to_tensor(places.T.copy())), x.shape, True)


def dense_to_csr(x: Tensor) -> SparseTensor:
    """The non-zero elements of a dense matrix, or batch of matrices, as compressed rows."""
    return as_csr(x if isinstance(x, SparseTensor) else dense_to_coo(x, x.ndim))
