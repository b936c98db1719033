"""Norms and distances. Where the norm is 0 its gradient is 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, is_dimension, op

from ._axes import normal_axes
from ._linalg import mismatch
from ._promote import floating, is_complex, promote, widened

if TYPE_CHECKING:
    from proa.core._types import Array, Axis


def _root(total: Any, p: float) -> Any:
    """The p-th root, with derivative 0 at 0."""
    # Not `total > 0`: NaN must come out as NaN.
    has_root = total != 0
    guarded = jnp.where(has_root, total, 1)
    root = jnp.sqrt(guarded) if p == 2 else guarded ** (1.0 / p)
    return jnp.where(has_root, root, 0)


def _size(x: Any) -> Any:
    """Absolute values, with derivative 0 at 0 (that of `jnp.abs` is 1 there)."""
    return _root(_square(x), 2) if is_complex(x) else x * jax.lax.stop_gradient(jnp.sign(x))


def _square(x: Any) -> Any:
    return jnp.real(x) ** 2 + jnp.imag(x) ** 2 if is_complex(x) else x * x


def p_norm(x: Any, p: float, axes: tuple[int, ...] | None, keepdim: bool) -> Any:
    """The p-norm over axes, accumulated in float32 or wider."""
    x = floating(x)
    result = jnp.zeros((), x.dtype).real.dtype
    x = widened(x)
    if p == 2:
        total = jnp.sum(_square(x), axis=axes, keepdims=keepdim)
        return _root(total, 2).astype(result)
    size = _size(x)
    if math.isinf(p):
        extreme = jnp.max if p > 0 else jnp.min
        return extreme(size, axis=axes, keepdims=keepdim).astype(result)
    if p == 0:
        return jnp.sum(x != 0, axis=axes, keepdims=keepdim).astype(result)
    if p == 1:
        return jnp.sum(size, axis=axes, keepdims=keepdim).astype(result)
    has_power = size != 0
    # For p < 0 an element 0 makes the norm 0, as its power is infinite.
    guarded = jnp.where(has_power, size, 1)
    powers = jnp.where(has_power, guarded**p, 0.0 if p > 0 else jnp.inf)
    total = jnp.sum(powers, axis=axes, keepdims=keepdim)
    return _root(total, p).astype(result)


def _singular_values(x: Any, plane: tuple[int, ...], keepdim: bool) -> Any:
    moved = jnp.moveaxis(widened(floating(x)), plane, (-2, -1))
    values = jnp.linalg.svd(moved, compute_uv=False)
    return jnp.expand_dims(values, tuple(sorted(plane))) if keepdim else values


_MATRIX_NORMS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def m_norm(x: Any, p: Any, plane: tuple[int, ...], keepdim: bool) -> Any:
    """A matrix norm over the plane of two axes.

    Raises:
        InvalidArgumentError: an unknown norm.
    """
    if p not in _MATRIX_NORMS:
        raise InvalidArgumentError(
            f"matrix norm p={p!r}",
            expected="'fro', 'nuc', 1, -1, 2, -2, inf or -inf",
            fix="use vector_norm for other values of p",
        )
    if p == "fro":
        return p_norm(x, 2, plane, keepdim)
    dtype = floating(x).dtype
    if p == "nuc" or p in (2, -2):
        values = _singular_values(x, plane, keepdim)
        pick = jnp.sum if p == "nuc" else jnp.max if p == 2 else jnp.min
        return pick(values, axis=-1).astype(jnp.zeros((), dtype).real.dtype)
    row, column = plane
    summed, left = (row, column) if p in (1, -1) else (column, row)
    sums = p_norm(x, 1, (summed,), True)
    extreme = jnp.max if p > 0 else jnp.min
    found = extreme(sums, axis=left, keepdims=True)
    return found if keepdim else found.squeeze(plane)


@op(name="vector_norm", public=False, amp="black")
def _vector_norm(x: Array, p: float, axis: Axis | None, keepdim: bool):
    axes = None if axis is None else normal_axes(axis, x.ndim)
    return p_norm(x, p, axes, keepdim)


@op(name="matrix_norm", public=False, amp="black")
def _matrix_norm(x: Array, p: Any, axis: Axis, keepdim: bool):
    return m_norm(x, p, _plane(x, axis), keepdim)


def _plane(x: Any, axis: Any) -> tuple[int, ...]:
    plane = normal_axes(axis, x.ndim)
    if len(plane) != 2:
        raise InvalidArgumentError(
            f"`axis` of a matrix norm is {axis}", expected="two axes", fix="name rows and columns"
        )
    return plane


def _cast(x: Tensor, dtype: Any) -> Tensor:
    return x if dtype is None else x.astype(dtype)  # type: ignore[attr-defined]


@composite
def vector_norm(
    x: Tensor,
    p: float = 2.0,
    axis: Any = None,
    keepdim: bool = False,
    name: str | None = None,
    dtype: Any = None,
    out: Any = None,
) -> Tensor:
    """Norm of vectors: `sum(abs(x) ** p) ** (1 / p)`; its gradient is 0 where it is 0.

    Args:
        x: the tensor.
        p: the order; `inf` and `-inf` give the largest and smallest size, 0 counts
            elements that are not 0.
        axis: axis or axes; all by default.
        keepdim: keep the axes with extent 1.
        dtype: cast `x` to it first.
        out: a tensor to write the result to.
    """
    result = _vector_norm(_cast(x, dtype), p, axis, keepdim)
    return result if out is None else out.copy_(result)


@composite
def matrix_norm(
    x: Tensor,
    p: Any = "fro",
    axis: Any = (-2, -1),
    keepdim: bool = False,
    name: str | None = None,
    dtype: Any = None,
    out: Any = None,
) -> Tensor:
    """Norm of matrices.

    Args:
        x: a tensor with at least two axes.
        p: `"fro"` (root of the sum of squares), `"nuc"` (sum of singular values), 2 and -2
            (largest and smallest singular value), 1 and -1 (largest and smallest column
            sum), `inf` and `-inf` (row sum).
        axis: the axes of rows and columns.
        keepdim: keep the axes with extent 1.
        dtype: cast `x` to it first.
        out: a tensor to write the result to.

    Raises:
        InvalidArgumentError: an unknown norm, or not two axes.
    """
    result = _matrix_norm(_cast(x, dtype), p, axis, keepdim)
    return result if out is None else out.copy_(result)


@composite
def norm(
    x: Tensor,
    p: Any = None,
    axis: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Norm of a tensor: of vectors for no or one axis, of matrices for two.

    Args:
        x: the tensor.
        p: order of the norm; 2 (or `"fro"`) by default. See `vector_norm`, `matrix_norm`.
        axis: `None` takes all elements as a vector.
        keepdim: keep the axes with extent 1.
        out: a tensor to write the result to.
        dtype: cast `x` to it first.

    Raises:
        InvalidArgumentError: an unknown norm, or `"nuc"` without two axes.

    Examples:
        >>> import proa
        >>> float(proa.linalg.norm(proa.to_tensor([3.0, 4.0])))
        5.0
    """
    axes = axis.tolist() if isinstance(axis, Tensor) else axis
    if isinstance(axes, list | tuple):
        axes = tuple(int(a) for a in axes)
        if len(axes) == 2:
            return matrix_norm(x, "fro" if p is None else p, axes, keepdim, None, dtype, out)
    if p == "nuc":
        if axes is None and x.ndim == 2:
            return matrix_norm(x, "nuc", (0, 1), keepdim, None, dtype, out)
        raise InvalidArgumentError(
            f"norm p='nuc' of a tensor of shape {x.shape} with axis={axis}",
            expected="two axes",
            fix="name the axes of rows and columns",
        )
    order = 2.0 if p is None or p == "fro" else p
    return vector_norm(x, order, axes, keepdim, None, dtype, out)


@op(amp="black")
def dist(x: Array, y: Array, p: float = 2):
    """The p-norm of the difference of two tensors that broadcast.

    Args:
        x: a tensor.
        y: a tensor.
        p: order of the norm, see `vector_norm`.

    Returns:
        A 0-d tensor.
    """
    x, y = promote(x, y)
    return p_norm(x - y, p, None, False)


#: From this number of rows on, products are quicker than differences.
_MANY_ROWS = 25


@op
def cdist(
    x: Array,
    y: Array,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
):
    """Distances between all rows of two matrices (or batches of them).

    Args:
        x: tensor of shape [..., m, d].
        y: tensor of shape [..., n, d].
        p: order of the norm.
        compute_mode: whether Euclidean distances may be computed from products, which is
            quicker and less exact: `"use_mm_for_euclid_dist_if_necessary"` (above 25 rows),
            `"use_mm_for_euclid_dist"` or `"donot_use_mm_for_euclid_dist"`.

    Returns:
        A tensor of shape [..., m, n].

    Raises:
        InvalidArgumentError: last extents differ, or an unknown mode.
    """
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist")
    if compute_mode not in (*modes, "donot_use_mm_for_euclid_dist"):
        raise InvalidArgumentError(
            f"`compute_mode` is {compute_mode!r}",
            expected=", ".join(modes) + " or donot_use_mm_for_euclid_dist",
            fix="choose one of these",
        )
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
        raise mismatch("cdist", x, y, "matrices with equal last extents")
    x, y = promote(floating(x), floating(y))
    rows = (x.shape[-2], y.shape[-2])
    many = compute_mode == modes[1] or any(is_dimension(d) or d > _MANY_ROWS for d in rows)
    if p != 2 or compute_mode not in modes or not many:
        return p_norm(x[..., :, None, :] - y[..., None, :, :], p, (-1,), False)
    x, y, dtype = widened(x), widened(y), x.dtype
    products = jnp.matmul(x, jnp.swapaxes(y, -1, -2), precision=jax.lax.Precision.HIGHEST)
    squares = jnp.sum(x * x, -1)[..., :, None] + jnp.sum(y * y, -1)[..., None, :]
    return _root(jnp.maximum(squares - 2 * products, 0), 2).astype(dtype)


@op
def pdist(x: Array, p: float = 2.0):
    """Distances between all pairs of rows of a matrix.

    Args:
        x: tensor of shape [n, d].
        p: order of the norm.

    Returns:
        A vector: row 0 with 1, 0 with 2, ..., 1 with 2, and so on.

    Raises:
        InvalidArgumentError: not a matrix.
    """
    if x.ndim != 2:
        raise InvalidArgumentError(
            f"`pdist` of a tensor of shape {list(x.shape)}", expected="a matrix", fix="reshape it"
        )
    first, second = jnp.triu_indices(x.shape[0], 1)
    return p_norm(x[first] - x[second], p, (-1,), False)


@op(inplace=True, amp="black")
def renorm(x: Array, p: float, axis: int, max_norm: float):
    """Scales slices down whose norm is too large.

    Args:
        x: the tensor.
        p: order of the norm.
        axis: the axis that slices are taken along: each place of it is one slice.
        max_norm: largest norm allowed.
    """
    place = normal_axes(axis, x.ndim)[0]
    others = tuple(i for i in range(x.ndim) if i != place)
    size = p_norm(x, p, others, True)
    large = size > max_norm
    return jnp.where(large, x * (max_norm / jnp.where(large, size, 1)), x).astype(x.dtype)


@op(name="cond", public=False)
def _cond(x: Array, p: Any):
    if p in (None, 2, -2):
        values = _singular_values(x, (x.ndim - 2, x.ndim - 1), False)
        most, least = values[..., 0], values[..., -1]
        return least / most if p == -2 else most / least
    plane = (x.ndim - 2, x.ndim - 1)
    x = floating(x)
    return m_norm(x, p, plane, False) * m_norm(jnp.linalg.inv(x), p, plane, False)


@composite
def cond(x: Tensor, p: Any = None, name: str | None = None) -> Tensor:
    """Condition number of matrices: the norm times the norm of the inverse.

    Args:
        x: tensor of shape [..., m, n]; square unless `p` is 2 or -2.
        p: order of the norm, see `matrix_norm`; 2 by default.

    Raises:
        InvalidArgumentError: not square, or an unknown norm.
    """
    if x.ndim < 2 or (p not in (None, 2, -2) and x.shape[-1] != x.shape[-2]):
        raise InvalidArgumentError(
            f"cond of a tensor of shape {x.shape} with p={p!r}",
            expected="square matrices (any matrices for p 2 and -2)",
            fix="use p=2 for matrices that are not square",
        )
    return _cond(x, p)


renorm_ = renorm.inplace

for _method in (norm, cond):
    attach_method(_method.__name__, _method)
