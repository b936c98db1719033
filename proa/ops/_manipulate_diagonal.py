"""Diagonals: shown, embedded, filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    Tensor,
    attach_method,
    composite,
    is_dimension,
    op,
    write_inplace,
)

from ._axes import normal_axes

if TYPE_CHECKING:
    from proa.core._types import Array


def _plane(ndim: int, axis1: int, axis2: int) -> tuple[int, int]:
    if ndim < 2:
        raise InvalidArgumentError(
            f"diagonal of a tensor with {ndim} axes",
            expected="at least two axes",
            fix="use diag to make a matrix from a vector",
        )
    first, second = normal_axes((axis1, axis2), ndim, "axis1, axis2")
    return first, second


def put_diagonal(x: Any, value: Any, offset: int, axis1: int, axis2: int) -> Any:
    """`x` with a diagonal replaced; `value` has the diagonal as its last axis."""
    first, second = _plane(x.ndim, axis1, axis2)
    moved = jnp.moveaxis(x, (first, second), (-2, -1))
    wanted = jnp.diagonal(moved, offset, -2, -1).shape
    places = jnp.arange(wanted[-1])
    rows, columns = places + max(-offset, 0), places + max(offset, 0)
    put = moved.at[..., rows, columns].set(jnp.broadcast_to(value, wanted).astype(x.dtype))
    return jnp.moveaxis(put, (-2, -1), (first, second))


def _diagonal_back(base: Array, view: Array, offset: Any, axis1: Any, axis2: Any):
    return put_diagonal(base, view, offset, axis1, axis2)


@op(inverse=_diagonal_back, out=True)
def diagonal(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Shows a diagonal of the plane of two axes as a new last axis.

    Args:
        x: a tensor with at least two axes.
        offset: 0 for the main diagonal, positive above, negative below it.
        axis1: first axis of the plane (rows).
        axis2: second axis of the plane (columns).

    Returns:
        A view of `x`.

    Examples:
        >>> import proa
        >>> proa.diagonal(proa.to_tensor([[1, 2], [3, 4]])).tolist()
        [1, 4]
    """
    first, second = _plane(x.ndim, axis1, axis2)
    return jnp.diagonal(x, offset, first, second)


@op
def diag_embed(input: Array, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """Puts the last axis on a diagonal of a plane that is zero elsewhere.

    Args:
        input: a tensor with at least one axis.
        offset: 0 for the main diagonal, positive above, negative below it.
        dim1: place of the plane's first axis in the result.
        dim2: place of its second axis.
    """
    first, second = normal_axes((dim1, dim2), input.ndim + 1, "dim1, dim2")
    extent = input.shape[-1] + abs(offset)
    zeros = jnp.zeros((*input.shape[:-1], extent, extent), input.dtype)
    return jnp.moveaxis(put_diagonal(zeros, input, offset, -2, -1), (-2, -1), (first, second))


@op
def diagonal_scatter(x: Array, y: Array, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """A copy of `x` in which a diagonal is replaced.

    Args:
        x: a tensor with at least two axes.
        y: the new diagonal, with the shape that `diagonal` gives.
        offset: 0 for the main diagonal, positive above, negative below it.
        axis1: first axis of the plane.
        axis2: second axis of the plane.

    Raises:
        InvalidArgumentError: `y` has another shape.
    """
    first, second = _plane(x.ndim, axis1, axis2)
    wanted = jnp.diagonal(x, offset, first, second).shape
    known = all(not is_dimension(d) for d in (*wanted, *y.shape))
    if len(wanted) != y.ndim or (known and wanted != y.shape):
        raise InvalidArgumentError(
            f"`y` has shape {list(y.shape)}",
            expected=f"shape {list(wanted)}, that of the diagonal",
            fix="reshape it",
        )
    return put_diagonal(x, y, offset, axis1, axis2)


@composite
def fill_diagonal_tensor(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """A copy of `x` in which a diagonal is replaced (`diagonal_scatter`).

    Args:
        x: a tensor with at least two axes.
        y: the new diagonal.
        offset: 0 for the main diagonal, positive above, negative below it.
        dim1: first axis of the plane.
        dim2: second axis of the plane.
    """
    return diagonal_scatter(x, y, offset, dim1, dim2)


@composite
def fill_diagonal_tensor_(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """In-place form of `fill_diagonal_tensor`."""
    return write_inplace(x, diagonal_scatter(x, y, offset, dim1, dim2))


@op(public=False)
def fill_diagonal(x: Array, value: Array, offset: int, wrap: bool):
    """`x` with the main diagonal of all axes set to one value."""
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise InvalidArgumentError(
            f"fill_diagonal_ on a tensor of shape {list(x.shape)}",
            expected="a matrix, or equal extents of all axes",
            fix="use diagonal_scatter for the plane of two axes",
        )
    value = value.astype(x.dtype)
    if x.ndim > 2:
        places = jnp.arange(x.shape[0])
        return x.at[(places,) * x.ndim].set(value)
    rows = jnp.arange(x.shape[0])[:, None]
    columns = jnp.arange(x.shape[1])[None, :]
    # When it wraps, the diagonal starts anew after a row without it below the square.
    rows = rows % (x.shape[1] + 1) if wrap else rows
    return jnp.where(columns - rows == offset, value, x)


@composite
def fill_diagonal_(
    x: Tensor, value: float, offset: int = 0, wrap: bool = False, name: str | None = None
) -> Tensor:
    """Sets a diagonal to one value, in place.

    Args:
        x: a matrix, or a tensor whose axes have equal extents.
        value: the value.
        offset: 0 for the main diagonal, positive above, negative below it (matrices).
        wrap: let the diagonal of a tall matrix start anew below its square.
    """
    return write_inplace(x, fill_diagonal(x, value, offset, wrap))


for _method in (fill_diagonal_, fill_diagonal_tensor, fill_diagonal_tensor_):
    attach_method(_method.__name__, _method)
