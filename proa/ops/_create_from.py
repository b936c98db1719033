"""Tensors made from tensors: copies, triangles, diagonals, grids, complex pairs."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    alias,
    attach_method,
    composite,
    op,
    replace_data,
    tensor_method,
    to_tensor,
    write_inplace,
    write_out,
)

from ._create import finish
from ._promote import floating, is_complex, promote

if TYPE_CHECKING:
    from proa.core._types import Array, Sequence


@op(passes=("x",))
def clone(x: Array):
    """A copy with a buffer of its own, on the tape: gradients pass to `x`.

    Args:
        x: tensor.
        name: not used.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0], stop_gradient=False)
        >>> (x.clone() * 3).backward()
        >>> x.grad.tolist()
        [3.0]
    """
    # A plain identity would hand out the same buffer, which a compiled step may donate.
    return jnp.copy(x)


@op(name="assign", method=None, public=False, passes=("x",))
def _assign(x: Array):
    return jnp.copy(x)


@composite
def assign(x: Any, output: Tensor | None = None) -> Tensor:
    """Copies values, on the tape.

    Args:
        x: a Tensor, a NumPy array, a number (shape [1]) or a list.
        output: tensor that takes the copy, and its shape if it has another one; `None` makes
            a new one.

    Returns:
        The copy.

    Examples:
        >>> import proa
        >>> proa.assign([1, 2]).tolist()
        [1, 2]
    """
    if not isinstance(x, Tensor):
        made = to_tensor([x] if isinstance(x, numbers.Number) else x)
    else:
        made = _assign(x)
    if output is None:
        return made
    if tuple(output._data.shape) == tuple(made._data.shape):
        return write_out(output, made)
    replace_data(output, made._data)
    return output


def _matrix(name: str, x: Array) -> Array:
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"`{name}` of a tensor of shape {list(x.shape)}",
            expected="at least two axes",
            fix="reshape it to a matrix first",
        )
    return x


@op(inplace=True, out=True)
def tril(x: Array, diagonal: int = 0):
    """Lower triangle of the last two axes; zeros above.

    Args:
        x: tensor with at least two axes.
        diagonal: last diagonal that stays; 0 is the main one, positive ones lie above.
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: fewer than two axes.

    Examples:
        >>> import proa
        >>> proa.tril(proa.ones([2, 2])).tolist()
        [[1.0, 0.0], [1.0, 1.0]]
    """
    return jnp.tril(_matrix("tril", x), diagonal)


@op(inplace=True, out=True)
def triu(x: Array, diagonal: int = 0):
    """Upper triangle of the last two axes; zeros below.

    Args:
        x: tensor with at least two axes.
        diagonal: first diagonal that stays.
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: fewer than two axes.
    """
    return jnp.triu(_matrix("triu", x), diagonal)


@op
def diag(x: Array, offset: int = 0, padding_value: float = 0):
    """A matrix with a vector on its diagonal, or the diagonal of a matrix.

    Args:
        x: vector or matrix.
        offset: which diagonal; positive ones lie above the main one.
        padding_value: the rest of the matrix.
        name: not used.

    Raises:
        InvalidArgumentError: `x` has neither one nor two axes.

    Examples:
        >>> import proa
        >>> proa.diag(proa.to_tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
    """
    if x.ndim not in (1, 2):
        raise InvalidArgumentError(
            f"`diag` of a tensor of shape {list(x.shape)}",
            expected="a vector or a matrix",
            fix="use diag_embed or diagonal for more axes",
        )
    made = jnp.diag(x, offset)
    if x.ndim == 2 or not padding_value:
        return made
    on_diagonal = jnp.eye(*made.shape, k=offset, dtype=bool)
    return jnp.where(on_diagonal, made, padding_value).astype(x.dtype)


@op
def diagflat(x: Array, offset: int = 0):
    """A matrix with all elements of `x` on its diagonal.

    Args:
        x: tensor.
        offset: which diagonal.
        name: not used.
    """
    return jnp.diagflat(x, offset)


@op(name="meshgrid", method=None, public=False)
def _meshgrid(arrays: Sequence[Array], indexing: str):
    return tuple(jnp.meshgrid(*arrays, indexing=indexing))


@composite
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Grids of coordinates: one tensor per input, which varies along one axis.

    Args:
        args: 0-d or 1-d tensors, or one list of them.
        kwargs: `indexing`: `"ij"` (the default; input `i` varies along axis `i`) or `"xy"`
            (the first two axes change places); `name` is not used.

    Raises:
        InvalidArgumentError: an unknown `indexing`.
        InvalidTypeError: an unknown keyword.

    Examples:
        >>> import proa
        >>> rows, columns = proa.meshgrid(proa.arange(2), proa.arange(3))
        >>> rows.tolist(), columns.tolist()
        ([[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]])
    """
    indexing = kwargs.pop("indexing", "ij")
    kwargs.pop("name", None)
    if kwargs:
        raise InvalidTypeError(
            f"`meshgrid` got {', '.join(kwargs)}", expected="indexing, name", fix="drop the others"
        )
    if indexing not in ("ij", "xy"):
        raise InvalidArgumentError(
            f"`indexing` of `meshgrid` is {indexing!r}", expected="'ij' or 'xy'", fix="use 'ij'"
        )
    arrays = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    return list(_meshgrid(list(arrays), indexing))


@op(out=True, method=None)
def complex(real: Array, imag: Array):
    """Complex numbers from their parts; shapes broadcast.

    Args:
        real: real part, float32 or float64.
        imag: imaginary part.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.complex(proa.to_tensor([1.0]), proa.to_tensor([2.0])).tolist()
        [(1+2j)]
    """
    return _complex_of("complex", real, imag)


def _complex_of(name: str, real: Array, imag: Array) -> Array:
    if is_complex(real) or is_complex(imag):
        raise InvalidTypeError(
            f"`{name}` of {real.dtype.name} and {imag.dtype.name} tensors",
            expected="two real tensors",
            fix="take real() and imag() of complex ones",
        )
    parts = [floating(p) for p in promote(real, imag)]
    wide = jnp.float64 if parts[0].dtype == jnp.float64 else jnp.float32
    return jax.lax.complex(*jnp.broadcast_arrays(*[p.astype(wide) for p in parts]))


@op(out=True, method=None)
def polar(abs: Array, angle: Array):
    """Complex numbers `abs * (cos(angle) + i sin(angle))`.

    Args:
        abs: modulus.
        angle: phase in radians.
        name: not used.
        out: tensor that takes the result.
    """
    return _complex_of("polar", abs * jnp.cos(angle), abs * jnp.sin(angle))


@composite
def as_tensor(
    data: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A Tensor of the data; a Tensor that fits already is returned as it is.

    Args:
        data: what `to_tensor` takes.
        dtype: dtype of the result; `None` follows the data.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.
    """
    same = isinstance(data, Tensor) and (dtype is None or data.dtype == dtype)
    made = data if same and device is None else to_tensor(data, dtype=dtype, place=device)
    return finish(made, None, None, requires_grad)


@composite
def asarray(
    obj: Any,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A Tensor of the data; see `as_tensor`.

    Args:
        obj: what `to_tensor` takes.
        dtype: dtype of the result; `None` follows the data.
        device: where it lies.
        copy: `True` copies also what fits already.
        requires_grad: whether a gradient is wanted.
    """
    if copy:
        return finish(to_tensor(obj, dtype=dtype, place=device), None, None, requires_grad)
    made = as_tensor(obj, dtype, device, requires_grad)
    return made if requires_grad or made._stop else alias(made)


@composite
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A Tensor with the values of a NumPy array (a copy: later writes are not seen).

    Args:
        ndarray: the array.

    Raises:
        InvalidTypeError: not a NumPy array.
    """
    if not isinstance(ndarray, np.ndarray):
        raise InvalidTypeError(
            f"`from_numpy` of a {type(ndarray).__name__}",
            expected="a NumPy array",
            fix="use to_tensor for other data",
        )
    return to_tensor(ndarray)


@tensor_method
def fill_(self: Tensor, value: Any) -> Tensor:
    """Fills the tensor with one number, in place."""
    from_value = to_tensor(value, dtype=self.dtype)
    return write_inplace(self, from_value.expand(self.shape))  # type: ignore[attr-defined]


@tensor_method
def zero_(self: Tensor) -> Tensor:
    """Fills the tensor with zeros, in place."""
    return fill_(self, 0)


tril_ = tril.inplace
triu_ = triu.inplace

attach_method("complex", complex)
attach_method("polar", polar)
