"""Traces, contractions, powers and covariances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op

from ._axes import normal_axes
from ._linalg import mismatch
from ._linalg_solve import need_matrix
from ._promote import floating, is_integral, widened

if TYPE_CHECKING:
    from proa.core._types import Array


@op
def trace(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Sum of a diagonal.

    Args:
        x: a tensor with at least two axes; booleans and integers narrower than 32 bits are
            summed in int64.
        offset: 0 for the main diagonal, positive above, negative below it.
        axis1: first axis of the plane.
        axis2: second axis of the plane.
    """
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"trace of a tensor of shape {list(x.shape)}",
            expected="at least two axes",
            fix="use sum",
        )
    first, second = normal_axes((axis1, axis2), x.ndim, "axis1, axis2")
    if is_integral(x) and x.dtype.itemsize < 4:
        x = x.astype(jnp.int64)
    return jnp.sum(jnp.diagonal(x, offset, first, second), axis=-1, dtype=x.dtype)


def _axis_lists(axes: Any, ndim: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    if isinstance(axes, int):
        return tuple(range(ndim - axes, ndim)), tuple(range(axes))
    if all(isinstance(a, int) for a in axes):
        return tuple(axes), tuple(axes)
    first = tuple(axes[0])
    second = tuple(axes[1]) if len(axes) > 1 else first
    # What the shorter list lacks is taken from the longer one.
    return first + second[len(first) :], second + first[len(second) :]


@op(name="tensordot", amp="white", public=False)
def _tensordot(x: Array, y: Array, axes_x: Any, axes_y: Any):
    first, second = normal_axes(axes_x, x.ndim, "axes"), normal_axes(axes_y, y.ndim, "axes")
    if [x.shape[a] for a in first] != [y.shape[a] for a in second]:
        raise mismatch("tensordot", x, y, f"equal extents of axes {first} and {second}")
    return jnp.tensordot(x, y, (first, second))


@composite
def tensordot(x: Tensor, y: Tensor, axes: Any = 2, name: str | None = None) -> Tensor:
    """Sum of products over axes of two tensors.

    Args:
        x: a tensor.
        y: a tensor.
        axes: n for the last n axes of `x` and the first n of `y`; a list of axes of both; or
            one list for each.

    Returns:
        A tensor with the remaining axes of `x`, then those of `y`.

    Raises:
        InvalidArgumentError: extents differ.
    """
    first, second = _axis_lists(axes, x.ndim)
    return _tensordot(x, y, first, second)


@op(amp="white")
def multi_dot(x: Sequence[Array]):
    """Product of several matrices, in the cheapest order.

    Args:
        x: at least two matrices; the first and last one may be vectors.

    Raises:
        InvalidArgumentError: fewer than two, or extents that do not fit.
    """
    if len(x) < 2:
        raise InvalidArgumentError(
            f"multi_dot of {len(x)} matrices", expected="at least two", fix="give a list"
        )
    for a, b in zip(x[:-1], x[1:], strict=True):
        if a.shape[-1] != b.shape[0]:
            raise mismatch("multi_dot", a, b, "equal inner extents of neighbours")
    return jnp.linalg.multi_dot(x)


@op
def matrix_power(x: Array, n: int):
    """Product of a square matrix with itself, n times.

    Args:
        x: tensor of shape [..., m, m].
        n: the exponent; negative ones take the inverse, 0 gives the identity.
    """
    need_matrix(x, "matrix_power", square=True)
    return jnp.linalg.matrix_power(floating(x) if n < 0 else x, n)


@op
def vander(x: Array, n: int | None = None, increasing: bool = False):
    """Powers of the elements of a vector, side by side.

    Args:
        x: a vector.
        n: number of powers; as many as elements by default.
        increasing: from power 0 on, instead of down to it.

    Returns:
        A tensor of shape [elements, n].

    Raises:
        InvalidArgumentError: not a vector, or a negative `n`.
    """
    count = x.shape[0] if n is None and x.ndim else n
    if x.ndim != 1 or count is None or count < 0:
        raise InvalidArgumentError(
            f"`vander` of a tensor of shape {list(x.shape)} with n={n}",
            expected="a vector and n >= 0",
            fix="flatten the tensor",
        )
    ones = jnp.ones_like(x)[:, None]
    powers = [ones, jnp.cumprod(jnp.repeat(x[:, None], max(count - 1, 0), 1), 1, dtype=x.dtype)]
    made = jnp.concatenate(powers, 1)[:, :count]
    return made if increasing else made[:, ::-1]


def _covariance(x: Any, rowvar: bool, ddof: int, counts: Any, weights: Any) -> Any:
    if x.ndim > 2:
        raise InvalidArgumentError(
            f"cov of a tensor of shape {list(x.shape)}", expected="at most two axes", fix="reshape"
        )
    rows = widened(floating(x))
    rows = rows.reshape(1, -1) if x.ndim < 2 else rows if rowvar else rows.T
    number = rows.shape[1]
    weight = jnp.ones((number,), rows.dtype)
    if counts is not None:
        weight = weight * counts.astype(rows.dtype)
    if weights is not None:
        weight = weight * weights.astype(rows.dtype)
    total = jnp.sum(weight)
    square = jnp.sum(weight * weights.astype(rows.dtype)) if weights is not None else total
    mean = jnp.sum(rows * weight, axis=1, keepdims=True) / total
    centred = rows - mean
    scale = total - ddof * square / total
    made = (centred * weight) @ centred.T.conj() / scale
    return made.squeeze() if made.shape == (1, 1) else made


@op(name="cov", public=False)
def _cov(x: Array, fweights: Array | None, aweights: Array | None, rowvar: bool, ddof: bool):
    made = _covariance(x, rowvar, int(ddof), fweights, aweights)
    return made.astype(floating(x).dtype)


@composite
def cov(
    x: Tensor,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Any = None,
    aweights: Any = None,
    name: str | None = None,
) -> Tensor:
    """Covariance matrix of variables.

    Args:
        x: observations, shape [variables, observations], or a vector.
        rowvar: whether a row is a variable; otherwise a column is.
        ddof: divide by the number of observations less 1.
        fweights: how often each observation counts, integers.
        aweights: weight of each observation.
    """
    return _cov(x, fweights, aweights, rowvar, ddof)


@op
def corrcoef(x: Array, rowvar: bool = True):
    """Correlation coefficients of variables.

    Args:
        x: observations, shape [variables, observations], or a vector.
        rowvar: whether a row is a variable; otherwise a column is.
    """
    made = _covariance(x, rowvar, 1, None, None)
    dtype = floating(x).dtype
    if not made.ndim:
        return (made / made).astype(dtype)
    deviation = jnp.sqrt(jnp.real(jnp.diagonal(made)))
    ratio = made / deviation[:, None] / deviation[None, :]
    return jnp.clip(ratio, -1, 1).astype(dtype) if ratio.dtype.kind == "f" else ratio


for _method in (tensordot, cov):
    attach_method(_method.__name__, _method)
