"""Products of sparse matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op, to_tensor

from ._tensor import SparseTensor, coordinates, like_form, make_coo, need_sparse, with_values

if TYPE_CHECKING:
    from proa.core._types import Array, Index

# Shapes: V stored values, R rows of the result (all batches), N columns, K inner extent.


@op(name="sparse_dense_matmul", method=None, public=False, amp="white")
def _spread_matmul(values: Array, rows: Index, columns: Index, y: Array, num_rows: int):
    """Sums `values[v] * y[columns[v]]` into row `rows[v]`."""
    dtype = jnp.result_type(values.dtype, y.dtype)
    products_VN = values.astype(dtype)[:, None] * y.astype(dtype)[columns]
    return jnp.zeros((num_rows, y.shape[1]), dtype).at[rows].add(products_VN)


@op(name="sparse_masked_matmul", method=None, public=False, amp="white")
def _dots(x: Array, y: Array, rows: Index, columns: Index):
    """Dot products of rows of `x` [R, K] with rows of `y` [N, K]."""
    return (x[rows] * y[columns]).sum(-1)


def _refuse(x: Any, y: Any, function: str, expected: str) -> None:
    raise InvalidArgumentError(
        f"shapes {x.shape} and {y.shape} in `sparse.{function}`",
        expected=expected,
        fix="transpose or reshape one of them",
    )


def _flat_places(x: SparseTensor, inner: int) -> tuple[Tensor, Tensor]:
    """Rows of the result and rows of `y`, with the batches one block after another."""
    places = coordinates(x)
    batch = places[0] if x.ndim == 3 else 0
    rows, columns = batch * x._dims[-2] + places[-2], batch * inner + places[-1]
    return to_tensor(rows), to_tensor(columns)


@composite
def matmul(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Matrix product with a sparse matrix on the left.

    Args:
        x: sparse tensor of shape [m, k] or [batch, m, k].
        y: tensor of shape [k, n] or [batch, k, n], dense or in the form of `x`.
        name: not used.

    Returns:
        A dense tensor for a dense `y`, otherwise a sparse one in the form of `x`.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: shapes that do not fit.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [2.0, 3.0], [2, 2])
        >>> proa.sparse.matmul(x, proa.to_tensor([[1.0], [10.0]])).tolist()
        [[20.0], [3.0]]
    """
    given = need_sparse(x, "x", "matmul")
    is_fitting = given.ndim == y.ndim and given.ndim in (2, 3) and not given.dense_dim()
    if not is_fitting or given.shape[-1] != y.shape[-2] or given.shape[:-2] != y.shape[:-2]:
        _refuse(x, y, "matmul", "[m, k] and [k, n], or both with one equal batch axis before")
    if isinstance(y, SparseTensor):
        return _sparse_product(given, y)
    rows, columns = _flat_places(given, y.shape[-2])
    num_rows = given._dims[-2] * (given._dims[0] if given.ndim == 3 else 1)
    flat = y.reshape([-1, y.shape[-1]])  # type: ignore[attr-defined]
    made = _spread_matmul(given.values(), rows, columns, flat, num_rows)
    return made.reshape([*given.shape[:-1], y.shape[-1]])  # type: ignore[attr-defined]


def _sparse_product(x: SparseTensor, y: SparseTensor) -> SparseTensor:
    if x._form != y._form:
        raise InvalidArgumentError(
            f"`sparse.matmul` of tensors in {x._form.upper()} and {y._form.upper()} form",
            expected="one form",
            fix="convert one: to_sparse_coo(2) or to_sparse_csr()",
        )
    left, right = (np.zeros(t._dims, np.float32) for t in (x, y))
    left[tuple(coordinates(x))], right[tuple(coordinates(y))] = 1, 1
    places = np.stack(np.nonzero(left @ right))
    product = matmul(x, y.to_dense())
    values = ops.gather_nd(product, to_tensor(places.T.copy()))
    return like_form(make_coo(places, values, product.shape, True), x._form)


@composite
def masked_matmul(x: Tensor, y: Tensor, mask: Tensor, name: str | None = None) -> SparseTensor:
    """Elements of the product of two dense matrices at the places of a sparse one.

    Only these elements are computed: `out[i, j] = x[i] . y[:, j]`.

    Args:
        x: dense tensor of shape [m, k] or [batch, m, k].
        y: dense tensor of shape [k, n] or [batch, k, n].
        mask: sparse tensor of shape [m, n] or [batch, m, n]; its values do not matter.
        name: not used.

    Returns:
        Sparse tensor with the places of `mask`.

    Raises:
        InvalidTypeError: `mask` is dense.
        InvalidArgumentError: shapes that do not fit.

    Examples:
        >>> import proa
        >>> mask = proa.sparse.sparse_csr_tensor([0, 1, 1], [1], [1.0], [2, 2])
        >>> x = proa.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> proa.sparse.masked_matmul(x, x, mask).values().tolist()
        [10.0]
    """
    given = need_sparse(mask, "mask", "masked_matmul")
    wanted = [*x.shape[:-1], y.shape[-1]]
    if x.ndim != y.ndim or x.shape[-1] != y.shape[-2] or list(given.shape) != wanted:
        _refuse(x, y, "masked_matmul", f"[m, k] and [k, n] for a mask of shape {given.shape}")
    rows, columns = _flat_places(given, y.shape[-1])
    turned = ops.swapaxes(y, -1, -2).reshape([-1, y.shape[-2]])  # type: ignore[attr-defined]
    flat = x.reshape([-1, x.shape[-1]])  # type: ignore[attr-defined]
    return with_values(given, _dots(flat, turned, rows, columns))


@composite
def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """Product of a sparse matrix and a dense vector.

    Args:
        x: sparse tensor of shape [m, n].
        vec: dense tensor of shape [n].
        name: not used.

    Returns:
        Dense tensor of shape [m].

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: shapes that do not fit.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [2.0, 3.0], [2, 2])
        >>> proa.sparse.mv(x, proa.to_tensor([1.0, 10.0])).tolist()
        [20.0, 3.0]
    """
    given = need_sparse(x, "x", "mv")
    if given.ndim != 2 or vec.ndim != 1 or given.shape[1] != vec.shape[0]:
        _refuse(x, vec, "mv", "[m, n] and [n]")
    return matmul(given, vec.unsqueeze(-1)).squeeze(-1)  # type: ignore[attr-defined]


@composite
def addmm(
    input: Tensor,
    x: Tensor,
    y: Tensor,
    beta: float = 1.0,
    alpha: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """`beta * input + alpha * (x @ y)` with a sparse `x`.

    Args:
        input: tensor of shape [m, n], dense if `y` is, otherwise in the form of `x`.
        x: sparse tensor of shape [m, k].
        y: tensor of shape [k, n], dense or in the form of `x`.
        beta: factor of `input`.
        alpha: factor of the product.
        name: not used.

    Returns:
        A tensor as `input`: dense or sparse.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: shapes that do not fit.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [2.0, 3.0], [2, 2])
        >>> proa.sparse.addmm(proa.ones([2, 2]), x, proa.ones([2, 2]), 10.0).tolist()
        [[12.0, 12.0], [13.0, 13.0]]
    """
    product = matmul(x, y)
    if list(input.shape) != list(product.shape):
        _refuse(input, product, "addmm", "an `input` of the shape of the product")
    return input * beta + product * alpha  # type: ignore[operator]


def _matmul_operator(x: Tensor, y: Tensor) -> Tensor:
    return matmul(x, y)


attach_method("__matmul__", _matmul_operator, owner=SparseTensor)
