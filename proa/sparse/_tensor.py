"""SparseTensor: a handle over the dense Tensors that make up a COO or a CSR tensor.

The stored values are an ordinary Tensor on the ordinary tape, so gradients need no rules of their
own; the places are known on the host, since shapes depend on them.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from proa.core import (
    DType,
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    Size,
    Tensor,
    concrete,
    format_array,
    to_tensor,
)
from proa.ops import scatter_nd

_INDENT = " " * 7


class SparseTensor(Tensor):
    """A tensor of which only some elements are stored; the others are zero.

    Made by `sparse_coo_tensor`, `sparse_csr_tensor`, `Tensor.to_sparse_coo` and
    `Tensor.to_sparse_csr`, not by its constructor. Functions of `proa.sparse` take it; other
    functions ask for `to_dense()`.
    """

    _form: str
    #: COO: (indices [sparse_dim, nnz],); CSR: (crows, cols).
    _places: tuple[Tensor, ...]
    _values: Tensor
    _dims: tuple[int, ...]
    _coalesced: bool = False
    _host: np.ndarray | None = None
    #: What was worked out about the places alone; tensors at the same places share it.
    _known: dict[Any, Any]

    def __init__(self) -> None:
        raise InvalidTypeError(
            "SparseTensor(...) was called",
            expected="a function that makes sparse tensors",
            fix="use sparse_coo_tensor, sparse_csr_tensor, or x.to_sparse_coo(sparse_dim)",
        )

    @property
    def _data(self) -> NoReturn:  # type: ignore[override]
        raise InvalidTypeError(
            f"a sparse tensor of shape {self.shape} where a dense one is needed",
            expected="a dense Tensor",
            fix="call to_dense(), or use the function of the same name in proa.sparse",
        )

    @property
    def _stop(self) -> bool:  # type: ignore[override]
        return self._values._stop

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient is wanted for the stored values."""
        return self._values.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        self._values.stop_gradient = value

    @property
    def shape(self) -> Size:
        """Shape as a list of integers."""
        return Size(self._dims)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._dims)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of elements, stored or not."""
        return math.prod(self._dims)

    @property
    def dtype(self) -> DType:
        """Data type of the values."""
        return self._values.dtype

    @property
    def place(self) -> Any:
        """Where the values lie."""
        return self._values.place  # type: ignore[attr-defined]

    @property
    def is_leaf(self) -> bool:
        """Whether the values were made by the user rather than computed."""
        return self._values.is_leaf

    @property
    def grad(self) -> Any:
        """Gradient of the stored values, at the same places, or `None`."""
        gradient = self._values.grad  # type: ignore[attr-defined]
        return None if gradient is None else with_values(self, gradient)

    def backward(self, grad_tensor: Any = None, retain_graph: bool = False) -> None:
        """Sums up gradients of the stored values in the leaves' `.grad`.

        Args:
            grad_tensor: sparse gradient at the same places; ones by default.
            retain_graph: keep the tape for another walk.
        """
        given = grad_tensor.values() if isinstance(grad_tensor, SparseTensor) else grad_tensor
        self._values.backward(given, retain_graph)  # type: ignore[attr-defined]

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Sets the gradient to zero, or drops it."""
        self._values.clear_grad(set_to_zero)  # type: ignore[attr-defined]

    def detach(self) -> SparseTensor:
        """The same places and values, off the tape."""
        return with_values(self, self._values.detach())  # type: ignore[attr-defined]

    def is_sparse(self) -> bool:
        """True."""
        return True

    def is_dense(self) -> bool:
        """False."""
        return False

    def is_sparse_coo(self) -> bool:
        """Whether places are stored as coordinates."""
        return self._form == "coo"

    def is_sparse_csr(self) -> bool:
        """Whether places are stored as compressed rows."""
        return self._form == "csr"

    def is_coalesced(self) -> bool:
        """Whether a COO tensor is known to be sorted and to name each place once."""
        return self._coalesced

    def nnz(self) -> int:
        """Number of stored elements."""
        return self._values.shape[0]

    def sparse_dim(self) -> int:
        """Number of leading axes that places address."""
        return len(self._dims) - self.dense_dim()

    def dense_dim(self) -> int:
        """Number of trailing axes that a stored element has itself."""
        return self._values.ndim - 1

    def values(self) -> Tensor:
        """The stored values, a Tensor of shape [nnz, ...]."""
        return self._values

    def indices(self) -> Tensor:
        """Coordinates of a COO tensor, int64 of shape [sparse_dim, nnz]."""
        return self._place("coo", 0, "indices")

    def crows(self) -> Tensor:
        """Where each row of a CSR tensor starts among its values."""
        return self._place("csr", 0, "crows")

    def cols(self) -> Tensor:
        """Columns of a CSR tensor's values."""
        return self._place("csr", 1, "cols")

    def _place(self, form: str, index: int, name: str) -> Tensor:
        if self._form != form:
            raise PreconditionError(
                f"{name}() of a tensor in {self._form.upper()} form",
                expected=f"a tensor in {form.upper()} form",
                fix=f"call to_sparse_{form}() first",
            )
        return self._places[index]

    def to_dense(self) -> Tensor:
        """The tensor with its zeros; values at one place are summed up."""
        places = to_tensor(np.ascontiguousarray(coordinates(self).T))
        if not self.nnz():
            places = places.reshape([0, self.sparse_dim()])  # type: ignore[attr-defined]
        if self.dtype.name == "bool":
            # What is not stored is false, and truth has no sum.
            return scatter_nd(places, self._values.astype("int8"), list(self._dims)).astype("bool")  # type: ignore[attr-defined]
        return scatter_nd(places, self._values, list(self._dims))

    def numpy(self) -> np.ndarray:
        """The dense values as a NumPy array."""
        return self.to_dense().numpy()

    def tolist(self) -> Any:
        """The dense values as nested lists."""
        return self.to_dense().tolist()

    def item(self, *index: int) -> Any:
        """One element, stored or not, as a Python number."""
        return self.to_dense().item(*index)

    def __len__(self) -> int:
        return self._dims[0]

    def __repr__(self) -> str:
        names = ("indices",) if self._form == "coo" else ("crows", "cols")
        parts = [
            f"{name}={format_array(np.asarray(concrete(t, 'repr')), 8 + len(name))}"
            for name, t in zip((*names, "values"), (*self._places, self._values), strict=True)
        ]
        head = (
            f"Tensor(shape={list(self._dims)}, dtype=paddle.{self.dtype.name}, "
            f"place={self.place}, stop_gradient={self.stop_gradient},"
        )
        return "\n".join([head, *[f"{_INDENT}{part}," for part in parts]])[:-1] + ")"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        made = with_values(self, to_tensor(self._values, stop_gradient=self.stop_gradient))
        memo[id(self)] = made
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = tuple(t.numpy() for t in self._places)
        state = (self._values.numpy(), self._dims, self._coalesced, self.stop_gradient)
        return (_rebuild, (self._form, arrays, *state))


def _rebuild(
    form: str, places: tuple[Any, ...], values: Any, dims: Any, coalesced: bool, stop: bool
) -> SparseTensor:
    made = tuple(to_tensor(p) for p in places)
    return make(form, made, to_tensor(values, stop_gradient=stop), dims, coalesced)


def make(
    form: str, places: tuple[Tensor, ...], values: Tensor, dims: Any, coalesced: bool = False
) -> SparseTensor:
    """Puts a sparse tensor together without looking at its parts."""
    created = object.__new__(SparseTensor)
    created._form, created._places, created._values = form, places, values
    created._dims, created._coalesced = tuple(int(d) for d in dims), coalesced
    created._known = {}
    return created


def with_values(x: SparseTensor, values: Tensor) -> SparseTensor:
    """A tensor with the places of `x` and other values."""
    dims = x._dims[: x.sparse_dim()] + tuple(values.shape[1:])
    created = make(x._form, x._places, values, dims, x._coalesced)
    created._host, created._known = x._host, x._known
    return created


def make_coo(places: np.ndarray, values: Tensor, dims: Any, coalesced: bool = False) -> Any:
    """A COO tensor of coordinates [sparse_dim, nnz] on the host."""
    made = make("coo", (to_tensor(places.astype(np.int64)),), values, dims, coalesced)
    made._host = places
    return made


def coordinates(x: SparseTensor) -> np.ndarray:
    """Coordinates of the stored values, int64 of shape [sparse_dim, nnz], on the host."""
    if x._host is None:
        parts = [np.asarray(concrete(t, "sparse places")) for t in x._places]
        x._host = parts[0] if x._form == "coo" else _expanded(parts[0], parts[1], x._dims)
    return x._host.astype(np.int64)


def _expanded(crows: np.ndarray, cols: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    """Coordinates of CSR places; a leading batch axis has its rows one block after another."""
    num_rows = dims[-2]
    blocks = crows.reshape(-1, num_rows + 1)
    counts = np.diff(blocks, axis=1).reshape(-1)
    flat = np.repeat(np.arange(len(counts)), counts)
    rows = np.stack([flat % max(num_rows, 1), cols])
    return rows if len(dims) == 2 else np.concatenate([(flat // max(num_rows, 1))[None], rows])


def as_csr(x: SparseTensor) -> SparseTensor:
    """The same tensor in CSR form, places sorted by row and column."""
    if x._form == "csr":
        return x
    if x.ndim not in (2, 3) or x.dense_dim():
        raise InvalidArgumentError(
            f"a sparse tensor of shape {x.shape} with {x.dense_dim()} dense axes as CSR",
            expected="2 axes, or 3 of which the first is a batch, all of them sparse",
            fix="use to_sparse_coo()",
        )
    places = coordinates(x)
    order = np.lexsort(places[::-1])
    values = x._values
    if (np.diff(order) != 1).any():
        values, places = values[to_tensor(order)], places[:, order]  # type: ignore[index]
    batches = x._dims[0] if x.ndim == 3 else 1
    row = places[-2] + (places[0] * x._dims[-2] if x.ndim == 3 else 0)
    counts = np.bincount(row, minlength=batches * x._dims[-2]).reshape(batches, x._dims[-2])
    crows = np.concatenate([np.zeros((batches, 1), np.int64), counts.cumsum(1)], 1).reshape(-1)
    return make("csr", (to_tensor(crows), to_tensor(places[-1])), values, x._dims, True)


def as_coo(x: SparseTensor) -> SparseTensor:
    """The same tensor in COO form."""
    return x if x._form == "coo" else make_coo(coordinates(x), x._values, x._dims, True)


def like_form(x: SparseTensor, form: str) -> SparseTensor:
    """`x` in the form `"coo"` or `"csr"`."""
    return as_coo(x) if form == "coo" else as_csr(x)


def need_sparse(x: Any, name: str, function: str) -> SparseTensor:
    """Refuses what is no sparse tensor."""
    if isinstance(x, SparseTensor):
        return x
    shown = f"a dense tensor of shape {x.shape}" if isinstance(x, Tensor) else type(x).__name__
    raise InvalidTypeError(
        f"`{name}` of `sparse.{function}` is {shown}",
        expected="a sparse tensor",
        fix="convert it: x.to_sparse_coo(sparse_dim) or x.to_sparse_csr()",
    )
