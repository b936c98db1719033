"""Products of vectors, matrices and batches of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, is_dimension, op

from ._axes import normal_axis

if TYPE_CHECKING:
    from proa.core._types import Array


def mismatch(name: str, x: Any, y: Any, expected: str) -> InvalidArgumentError:
    """The error of a product whose operands do not fit."""
    return InvalidArgumentError(
        f"`{name}` of shapes {list(x.shape)} and {list(y.shape)}",
        expected=expected,
        fix="transpose or reshape one of them",
    )


def _differ(first: Any, second: Any) -> bool:
    return not is_dimension(first) and not is_dimension(second) and first != second


def _need_ndim(name: str, x: Any, y: Any, ndims: tuple[int, int]) -> None:
    if (x.ndim, y.ndim) != ndims:
        raise mismatch(name, x, y, f"{ndims[0]} and {ndims[1]} axes")


def product(x: Any, y: Any, name: str) -> Any:
    """`x @ y` with a check of the contracted extents."""
    if not x.ndim or not y.ndim:
        raise mismatch(name, x, y, "at least one axis each")
    inner = y.shape[0] if y.ndim == 1 else y.shape[-2]
    if _differ(x.shape[-1], inner):
        raise mismatch(name, x, y, f"equal inner extents, not {x.shape[-1]} and {inner}")
    return jnp.matmul(x, y)


@op(amp="white", out=True)
def matmul(x: Array, y: Array, transpose_x: bool = False, transpose_y: bool = False):
    """Matrix product, `x @ y`, over the last two axes; the others broadcast.

    Args:
        x: tensor of shape [..., m, k], or [k].
        y: tensor of shape [..., k, n], or [k].
        transpose_x: exchange the last two axes of `x` first.
        transpose_y: exchange the last two axes of `y` first.

    Returns:
        A tensor of shape [..., m, n]; axes that a vector lacks are left out.

    Raises:
        InvalidArgumentError: inner extents differ.

    Examples:
        >>> import proa
        >>> proa.matmul(proa.ones([2, 3]), proa.ones([4, 3]), transpose_y=True).shape
        [2, 4]
    """
    if transpose_x and x.ndim > 1:
        x = jnp.swapaxes(x, -1, -2)
    if transpose_y and y.ndim > 1:
        y = jnp.swapaxes(y, -1, -2)
    return product(x, y, "matmul")


@op(amp="white")
def mm(input: Array, mat2: Array):
    """Matrix product without transposition options.

    Args:
        input: tensor of shape [..., m, k].
        mat2: tensor of shape [..., k, n].
    """
    return product(input, mat2, "mm")


@op(amp="white", out=True)
def bmm(x: Array, y: Array):
    """Product of two batches of matrices.

    Args:
        x: tensor of shape [b, m, k].
        y: tensor of shape [b, k, n].

    Raises:
        InvalidArgumentError: other numbers of axes, or extents that differ.
    """
    _need_ndim("bmm", x, y, (3, 3))
    if _differ(x.shape[0], y.shape[0]):
        raise mismatch("bmm", x, y, "equal first extents")
    return product(x, y, "bmm")


@op(amp="white")
def mv(x: Array, vec: Array):
    """Product of a matrix and a vector.

    Args:
        x: tensor of shape [m, n].
        vec: tensor of shape [n].
    """
    _need_ndim("mv", x, vec, (2, 1))
    return product(x, vec, "mv")


@op(out=True)
def dot(x: Array, y: Array):
    """Sum of products over the last axis of two vectors, or of two batches of vectors.

    Args:
        x: tensor of shape [n] or [b, n].
        y: tensor of the same shape.

    Raises:
        InvalidArgumentError: shapes differ, or more than two axes.
    """
    if x.ndim != y.ndim or x.ndim not in (1, 2) or any(map(_differ, x.shape, y.shape)):
        raise mismatch("dot", x, y, "two equal shapes with one or two axes")
    return jnp.sum(x * y, axis=-1, dtype=jnp.result_type(x, y))


@op
def inner(x: Array, y: Array):
    """Sum of products over the last axes, for all pairs of the remaining ones.

    Args:
        x: tensor of shape [..., n], or a number.
        y: tensor of shape [..., n], or a number.
    """
    if x.ndim and y.ndim and _differ(x.shape[-1], y.shape[-1]):
        raise mismatch("inner", x, y, "equal last extents")
    return jnp.inner(x, y)


@op(out=True)
def outer(x: Array, y: Array):
    """Products of all pairs of elements; tensors with several axes are flattened.

    Args:
        x: tensor with m elements.
        y: tensor with n elements.

    Returns:
        A tensor of shape [m, n].
    """
    return jnp.outer(x, y)


@op(out=True)
def vecdot(x: Array, y: Array, axis: int = -1):
    """Sum of products along one axis: `sum(conj(x) * y)`.

    Args:
        x: a tensor.
        y: a tensor that broadcasts with `x`.
        axis: the axis that is summed over.
    """
    return jnp.vecdot(x, y, axis=axis)


@op(inplace=True, amp="white")
def addmm(input: Array, x: Array, y: Array, beta: float = 1.0, alpha: float = 1.0):
    """`beta * input + alpha * (x @ y)`.

    Args:
        input: tensor that broadcasts to [m, n].
        x: tensor of shape [m, k].
        y: tensor of shape [k, n].
        beta: factor of `input`.
        alpha: factor of the product.
    """
    _need_ndim("addmm", x, y, (2, 2))
    return beta * input + alpha * product(x, y, "addmm")


@op(inplace=True, amp="white")
def baddbmm(input: Array, x: Array, y: Array, beta: float = 1.0, alpha: float = 1.0):
    """`beta * input + alpha * (x @ y)` for batches of matrices.

    Args:
        input: tensor that broadcasts to [b, m, n].
        x: tensor of shape [b, m, k].
        y: tensor of shape [b, k, n].
        beta: factor of `input`.
        alpha: factor of the product.
    """
    _need_ndim("baddbmm", x, y, (3, 3))
    return beta * input + alpha * product(x, y, "baddbmm")


@op
def kron(x: Array, y: Array):
    """Kronecker product: each element of `x` times all of `y`.

    Args:
        x: a tensor.
        y: a tensor.
    """
    return jnp.kron(x, y)


def _cross_axis(x: Any, y: Any, axis: int) -> int:
    ndim = max(x.ndim, y.ndim)
    if axis != 9:
        return normal_axis(axis, ndim)
    for place, extent in enumerate(jnp.broadcast_shapes(x.shape, y.shape)):
        if not is_dimension(extent) and extent == 3:
            return place
    raise mismatch("cross", x, y, "an axis of extent 3")


@op
def cross(x: Array, y: Array, axis: int = 9):
    """Cross product of vectors in space.

    Args:
        x: a tensor.
        y: a tensor that broadcasts with `x`.
        axis: the axis of extent 3; by default (9) the first one.

    Raises:
        InvalidArgumentError: there is no axis of extent 3, or `axis` has another extent.
    """
    place = _cross_axis(x, y, axis)
    x, y = jnp.broadcast_arrays(x, y)
    if x.shape[place] != 3:
        raise mismatch("cross", x, y, f"extent 3 of axis {axis}, not {x.shape[place]}")
    dtype = jnp.result_type(x, y)
    return jnp.cross(x.astype(dtype), y.astype(dtype), axis=place)


@op(name="einsum", amp="white", public=False)
def _einsum(operands: Sequence[Array], equation: str):
    try:
        return jnp.einsum(equation, *operands)
    except (ValueError, TypeError) as error:
        raise InvalidArgumentError(
            f"einsum({equation!r}) of shapes {[list(a.shape) for a in operands]}: {error}",
            expected="a letter per axis, one term per operand, equal extents per letter",
            fix="compare each term of the equation with its operand's shape",
        ) from error


@composite
def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums products of elements as an equation in Einstein's notation says.

    Args:
        equation: terms with a letter per axis, such as `"bij,bjk->bik"`; `...` stands for
            further axes. Without `->`, letters that occur once are kept, in order.
        operands: one tensor per term.

    Raises:
        InvalidArgumentError: equation and shapes do not fit.

    Examples:
        >>> import proa
        >>> proa.einsum("ij,ij->i", proa.ones([2, 3]), proa.ones([2, 3])).tolist()
        [3.0, 3.0]
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    return _einsum(list(operands), equation.replace(" ", ""))


@composite
def ger(x: Tensor, y: Tensor, name: str | None = None, *, out: Any = None) -> Tensor:
    """Products of all pairs of elements of two vectors (`outer`).

    Args:
        x: a vector.
        y: a vector.
        out: a tensor to write the result to.

    Raises:
        InvalidArgumentError: not two vectors.
    """
    if x.ndim != 1 or y.ndim != 1:
        raise mismatch("ger", x, y, "two vectors")
    return outer(x, y, out=out)


addmm_ = addmm.inplace
baddbmm_ = baddbmm.inplace
