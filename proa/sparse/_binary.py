"""Element-wise arithmetic of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, attach_method, to_tensor

from ._shape import coalesce
from ._tensor import SparseTensor, as_coo, coordinates, like_form, make_coo, with_values

Arithmetic = Callable[[Any, Any], Tensor]


def _same_places(x: SparseTensor, y: SparseTensor) -> bool:
    a, b = coordinates(x), coordinates(y)
    return a.shape == b.shape and bool((a == b).all())


def _spread(x: SparseTensor, own: np.ndarray, union: np.ndarray) -> Tensor:
    """Values of `x` at the places of `union`, both flat and sorted; zeros where it has none."""
    place = to_tensor(np.searchsorted(union, own)[:, None])
    return ops.scatter_nd(place, x.values(), [len(union), *x.values().shape[1:]])


def _union(x: SparseTensor, y: SparseTensor, apply: Arithmetic, everywhere: bool) -> SparseTensor:
    form = x._form
    left, right = coalesce(as_coo(x)), coalesce(as_coo(y))
    dims = x._dims[: left.sparse_dim()]
    flat: list[Any] = [np.ravel_multi_index(tuple(coordinates(t)), dims) for t in (left, right)]
    union = np.arange(int(np.prod(dims))) if everywhere else np.union1d(*flat)
    values = apply(_spread(left, flat[0], union), _spread(right, flat[1], union))
    places = np.stack(np.unravel_index(union, dims))
    return like_form(make_coo(places, values, x._dims, True), form)


def _elementwise(
    x: Any, y: Any, apply: Arithmetic, function: str, everywhere: bool = False
) -> Tensor:
    if not isinstance(x, SparseTensor):
        raise InvalidTypeError(
            f"`x` of `sparse.{function}` is a {type(x).__name__}",
            expected="a sparse tensor",
            fix="convert it, or use the function of the same name in proa",
        )
    if not isinstance(y, Tensor) or (not isinstance(y, SparseTensor) and not y.ndim):
        if function in ("add", "subtract"):
            raise InvalidTypeError(
                f"`y` of `sparse.{function}` is a number",
                expected="a tensor of the shape of `x`: with a number no zero would stay zero",
                fix="call to_dense() first",
            )
        return with_values(x, apply(x.values(), y))
    if list(x.shape) != list(y.shape):
        raise InvalidArgumentError(
            f"shapes {x.shape} and {y.shape} in `sparse.{function}`",
            expected="equal shapes: sparse tensors do not broadcast",
            fix="reshape one of them, or use dense tensors",
        )
    if not isinstance(y, SparseTensor):
        if function in ("add", "subtract"):
            return apply(x.to_dense(), y)
        fixed = coalesce(x) if x._form == "coo" else x
        places = to_tensor(np.ascontiguousarray(coordinates(fixed).T))
        return with_values(fixed, apply(fixed.values(), ops.gather_nd(y, places)))
    if x._form != y._form or x.dense_dim() != y.dense_dim():
        raise InvalidArgumentError(
            f"`sparse.{function}` of tensors in {x._form.upper()} and {y._form.upper()} form",
            expected="one form, with the same number of dense axes",
            fix="convert one: to_sparse_coo(sparse_dim) or to_sparse_csr()",
        )
    # A quotient has values everywhere, whatever the places: 0 / 0 is NaN.
    if (
        not everywhere
        and _same_places(x, y)
        and (function in ("add", "subtract") or x._coalesced or _distinct(x))
    ):
        return with_values(x, apply(x.values(), y.values()))
    return _union(x, y, apply, everywhere)


def _distinct(x: SparseTensor) -> bool:
    places = coordinates(x)
    return np.unique(places, axis=1).shape[1] == places.shape[1]


def add(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Sum of two tensors of one shape.

    Args:
        x: sparse tensor.
        y: sparse tensor in the same form, or a dense one.
        name: not used.

    Returns:
        A sparse tensor with the places of both; a dense one if `y` is dense.

    Raises:
        InvalidTypeError: `x` is not sparse, or `y` is a number.
        InvalidArgumentError: shapes or forms that differ.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
        >>> y = proa.sparse.sparse_coo_tensor([[1, 2]], [10.0, 20.0], [3])
        >>> proa.sparse.add(x, y).to_dense().tolist()
        [1.0, 12.0, 20.0]
    """
    return _elementwise(x, y, ops.add, "add")


def subtract(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Difference of two tensors of one shape.

    Args:
        x: sparse tensor.
        y: sparse tensor in the same form, or a dense one.
        name: not used.

    Returns:
        A sparse tensor with the places of both; a dense one if `y` is dense.

    Raises:
        InvalidTypeError: `x` is not sparse, or `y` is a number.
        InvalidArgumentError: shapes or forms that differ.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
        >>> proa.sparse.subtract(x, x).values().tolist()
        [0.0, 0.0]
    """
    return _elementwise(x, y, ops.subtract, "subtract")


def multiply(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """Product, element by element.

    Args:
        x: sparse tensor.
        y: sparse tensor in the same form, a dense tensor of the same shape, or a number.
        name: not used.

    Returns:
        A sparse tensor. With a sparse `y` it has the places of both.

    Raises:
        InvalidTypeError: `x` is not sparse.
        InvalidArgumentError: shapes or forms that differ.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
        >>> proa.sparse.multiply(x, proa.to_tensor([5.0, 6.0, 7.0])).values().tolist()
        [5.0, 12.0]
    """
    return _elementwise(x, y, ops.multiply, "multiply")


def divide(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """Quotient, element by element.

    Args:
        x: sparse tensor.
        y: sparse tensor in the same form, a dense tensor of the same shape, or a number.
        name: not used.

    Returns:
        A sparse tensor. With a sparse `y` every element is stored, as in Paddle, since 0 / 0 is
        NaN; divide the values of tensors at the same places to keep the places.

    Raises:
        InvalidTypeError: `x` is not sparse.
        InvalidArgumentError: shapes or forms that differ.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
        >>> proa.sparse.divide(x, 2.0).values().tolist()
        [0.5, 1.0]
    """
    return _elementwise(x, y, ops.divide, "divide", everywhere=True)


def _reflected_multiply(x: Tensor, y: Any) -> Tensor:
    return multiply(x, y)


for _name, _function in (
    ("__add__", add),
    ("__sub__", subtract),
    ("__mul__", multiply),
    ("__rmul__", _reflected_multiply),
    ("__truediv__", divide),
):
    attach_method(_name, _function, owner=SparseTensor)
