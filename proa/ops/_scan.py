"""Cumulative operations along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op, write_inplace

from ._axes import normal_axis
from ._promote import converted, floating_as, is_integral, refuse_complex, widened

if TYPE_CHECKING:
    from proa.core._types import Array, DType


def _lined_up(x: Array, axis: int | None) -> tuple[Array, int]:
    """The tensor and the axis to walk; without an axis the flattened tensor."""
    if axis is None:
        return x.reshape(-1), 0
    return x, normal_axis(axis, max(x.ndim, 1))


def _scanned(fn: Any, x: Array, axis: int) -> Array:
    return fn(x[None], axis=0)[0] if x.ndim == 0 else fn(x, axis=axis)


@op(amp="black", out=True)
def cumsum(x: Array, axis: int | None = None, dtype: DType | None = None):
    """Running sums along an axis.

    Args:
        x: numeric tensor; integers and booleans are summed in int64.
        axis: the axis; `None` flattens first.
        dtype: dtype to convert `x` to first.
        name: not used.
        out: tensor that takes the result.

    Raises:
        OutOfRangeError: an axis that `x` has not.

    Examples:
        >>> import proa
        >>> proa.cumsum(proa.to_tensor([1, 2, 3])).tolist()
        [1, 3, 6]
    """
    if dtype is not None:
        x = converted(x, dtype)
    elif is_integral(x):
        x = x.astype(jnp.int64)
    x, axis = _lined_up(x, axis)
    return _scanned(jnp.cumsum, widened(x), axis).astype(x.dtype)


@op(amp="black", inplace=True, out=True)
def cumprod(x: Array, dim: int | None = None, dtype: DType | None = None):
    """Running products along an axis; the gradient is right where an element is 0.

    Args:
        x: numeric tensor.
        dim: the axis; `None` flattens first.
        dtype: dtype to convert `x` to first.
        out: tensor that takes the result.
        name: not used.

    Raises:
        OutOfRangeError: an axis that `x` has not.
    """
    if dtype is not None:
        x = converted(x, dtype)
    elif is_integral(x) and x.dtype.itemsize < 4:
        x = x.astype(jnp.int64)
    x, axis = _lined_up(x, dim)
    return _scanned(jnp.cumprod, widened(x), axis).astype(x.dtype)


def _best_so_far(x: Array, axis: int, scan: Any, is_as_good: Any) -> Array:
    """Positions of the running extremum; the last of equal ones, and NaN wins."""
    x = x.astype(jnp.int8) if x.dtype == bool else x
    positions = jax.lax.broadcasted_iota(jnp.int64, x.shape, axis)
    is_best = is_as_good(x, scan(x, axis=axis))
    if not is_integral(x):
        is_best |= jnp.isnan(x)
    return jax.lax.cummax(jnp.where(is_best, positions, 0), axis=axis)


def _running(name: str, x: Array, axis: int | None, dtype: Any, scan: Any, is_as_good: Any) -> Any:
    refuse_complex(name, x)
    if dtype.name not in ("int32", "int64"):
        raise InvalidArgumentError(
            f"`dtype` of `{name}` is {dtype.name}",
            expected="int32 or int64, the dtype of the positions",
            fix="use int64",
        )
    x, axis = _lined_up(x, axis)
    if x.ndim == 0:
        return x, jnp.zeros((), dtype.numpy)
    positions = _best_so_far(jax.lax.stop_gradient(x), axis, scan, is_as_good)
    return jnp.take_along_axis(x, positions, axis=axis), positions.astype(dtype.numpy)


@op
def cummax(x: Array, axis: int | None = None, dtype: DType = "int64"):  # pyright: ignore[reportArgumentType]
    """Running maxima along an axis, with their positions; NaN wins.

    Args:
        x: real tensor.
        axis: the axis; `None` flattens first.
        dtype: dtype of the positions, int64 or int32.
        name: not used.

    Returns:
        The maxima, and the position of each (the last one of equal elements).

    Examples:
        >>> import proa
        >>> values, positions = proa.cummax(proa.to_tensor([1, 3, 2]))
        >>> values.tolist(), positions.tolist()
        ([1, 3, 3], [0, 1, 1])
    """
    return _running("cummax", x, axis, dtype, jax.lax.cummax, jnp.greater_equal)


@op
def cummin(x: Array, axis: int | None = None, dtype: DType = "int64"):  # pyright: ignore[reportArgumentType]
    """Running minima along an axis, with their positions; NaN wins.

    Args:
        x: real tensor.
        axis: the axis; `None` flattens first.
        dtype: dtype of the positions, int64 or int32.
        name: not used.

    Returns:
        The minima, and the position of each (the last one of equal elements).
    """
    return _running("cummin", x, axis, dtype, jax.lax.cummin, jnp.less_equal)


@op
def logcumsumexp(x: Array, axis: int | None = None, dtype: DType | None = None):
    """Running `log(sum(e**x))` along an axis, without overflow.

    Args:
        x: real tensor; integers give float32.
        axis: the axis; `None` flattens first.
        dtype: dtype to convert `x` to first.
        name: not used.
    """
    refuse_complex("logcumsumexp", x)
    x = floating_as(x, dtype, "logcumsumexp")
    x, axis = _lined_up(x, axis)
    if x.ndim == 0:
        return x
    return jax.lax.cumlogsumexp(widened(x), axis=axis).astype(x.dtype)


@composite
def cumsum_(x: Tensor, axis: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """In-place form of `cumsum`: overwrites `x` and returns it."""
    result = cumsum(x, axis, dtype)
    return write_inplace(x, result.reshape(x.shape) if axis is None else result)


cumprod_ = cumprod.inplace

attach_method("cumsum_", cumsum_)
