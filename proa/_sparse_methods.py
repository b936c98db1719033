"""Methods of dense Tensors that lead to the sparse room, which is loaded when one is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from proa.core import PreconditionError, Tensor, attach_method, tensor_method


@tensor_method
def to_sparse_coo(self: Tensor, sparse_dim: int | None = None) -> Tensor:
    """The non-zero parts of the tensor as a sparse tensor of coordinates.

    Args:
        sparse_dim: number of leading axes that become sparse; all by default.

    Returns:
        A `proa.sparse.SparseTensor`; gradients pass through.

    Raises:
        InvalidArgumentError: `sparse_dim` is no number of the tensor's axes.
    """
    convert = import_module("proa.sparse._creation").dense_to_coo
    return convert(self, self.ndim if sparse_dim is None else sparse_dim)


@tensor_method
def to_sparse_csr(self: Tensor) -> Tensor:
    """The non-zero elements of a matrix, or batch of matrices, as compressed rows.

    Returns:
        A `proa.sparse.SparseTensor`; gradients pass through.

    Raises:
        InvalidArgumentError: the tensor has neither 2 nor 3 axes.
    """
    return import_module("proa.sparse._creation").dense_to_csr(self)


def _refusing(method_name: str) -> Callable[..., NoReturn]:
    def method(self: Tensor, name: str | None = None) -> NoReturn:
        raise PreconditionError(
            f"{method_name}() of a dense tensor of shape {self.shape}",
            expected="a sparse tensor",
            fix="convert it: to_sparse_coo(sparse_dim) or to_sparse_csr()",
        )

    method.__name__ = method.__qualname__ = method_name
    method.__doc__ = f"`{method_name}` of a sparse tensor; a dense one raises."
    return method


for _name in ("values", "indices", "crows", "cols", "nnz", "coalesce", "is_coalesced", "dense_dim"):
    if _name not in Tensor.__dict__:
        attach_method(_name, _refusing(_name))
