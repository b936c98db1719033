"""Reductions: sums, products, extrema, truth, counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    OtherOrder,
    Tensor,
    attach_method,
    composite,
    op,
    write_out,
)

from ._cast import cast
from ._promote import (
    converted,
    floating,
    is_integral,
    quotient,
    reduced_axes,
    refuse_complex,
    widened,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Axis, DType


def _summed_dtype(x: Array, dtype: DType | None) -> Any:
    """Integers and booleans are summed in int64, whatever their width."""
    if dtype is not None:
        return dtype.numpy
    return jnp.int64 if is_integral(x) else x.dtype


def _sum(x: Array, axes: Any, keepdim: bool, dtype: Any) -> Array:
    """Sum that accumulates half precisions in float32."""
    start = x.astype(jnp.promote_types(dtype, x.dtype)) if x.dtype != dtype else x
    if not jnp.issubdtype(dtype, jnp.inexact):
        start = x.astype(dtype)
    return jnp.sum(widened(start), axis=axes, keepdims=keepdim).astype(dtype)


def _sum_keeping(x: Any, dtype: Any, keepdim: Any = None, **given: Any) -> Tensor:
    """`sum(x, axis, keepdim, dtype)`."""
    return sum(x, keepdim=dtype, dtype=keepdim, **given)


@op(
    amp="black", out=True, other_order=OtherOrder(when="dtype.__class__ is bool", call=_sum_keeping)
)
def sum(x: Array, axis: Axis | None = None, dtype: DType | None = None, keepdim: bool = False):
    """Sum over axes.

    Args:
        x: numeric tensor; integers and booleans are summed in int64, half precisions in float32
            (the result has their own dtype again).
        axis: axis or axes; `None` for all.
        dtype: dtype of the result.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        out: tensor that takes the result.

    Raises:
        OutOfRangeError: an axis that `x` has not.

    Examples:
        >>> import proa
        >>> proa.sum(proa.to_tensor([[1, 2], [3, 4]]), axis=0).tolist()
        [4, 6]
    """
    return _sum(x, reduced_axes(axis, x.ndim), keepdim, _summed_dtype(x, dtype))


@op
def nansum(x: Array, axis: Axis | None = None, dtype: DType | None = None, keepdim: bool = False):
    """Sum over axes that takes NaN as 0.

    Args:
        x: numeric tensor.
        axis: axis or axes; `None` for all.
        dtype: dtype of the result.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
    """
    if not is_integral(x):
        x = jnp.where(jnp.isnan(x), 0, x)
    return _sum(x, reduced_axes(axis, x.ndim), keepdim, _summed_dtype(x, dtype))


def mean_of(x: Array, axes: Any, keepdim: bool) -> Array:
    """Mean in float32 or better; NaN of nothing."""
    wide = widened(floating(x))
    total = jnp.sum(wide, axis=axes, keepdims=keepdim)
    count = math.prod(wide.shape if axes is None else [wide.shape[i] for i in axes])
    return quotient(total, jnp.asarray(count, total.dtype))


@op(name="mean", method=None, public=False, amp="black")
def plain_mean(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Mean in the dtype of `x`."""
    return mean_of(x, reduced_axes(axis, x.ndim), keepdim).astype(floating(x).dtype)


@composite
def mean(
    x: Any,
    axis: Any = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Tensor:
    """Arithmetic mean over axes.

    Args:
        x: tensor; integers and booleans give float32, half precisions accumulate in float32.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        dtype: dtype to convert `x` to first.
        out: tensor that takes the result.

    Returns:
        The mean; NaN over no elements.

    Raises:
        OutOfRangeError: an axis that `x` has not.

    Differs: Paddle 3.3 cuts the mean of integers to an integer.

    Examples:
        >>> import proa
        >>> float(proa.mean(proa.to_tensor([1.0, 2.0, 6.0])))
        3.0
    """
    result = plain_mean(x if dtype is None else cast(x, dtype), axis, keepdim)
    return result if out is None else write_out(out, result)


@op
def nanmean(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Mean over axes that leaves NaN out; NaN where nothing is left.

    Args:
        x: tensor; integers give float32.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
    """
    x = floating(x)
    axes = reduced_axes(axis, x.ndim)
    missing = jnp.isnan(x)
    total = jnp.sum(widened(jnp.where(missing, 0, x)), axis=axes, keepdims=keepdim)
    count = jnp.sum(~missing, axis=axes, keepdims=keepdim, dtype=jnp.int64)
    return (total / count.astype(total.dtype)).astype(x.dtype)


@op(amp="black", out=True)
def prod(x: Array, axis: Axis | None = None, keepdim: bool = False, dtype: DType | None = None):
    """Product over axes; the gradient is right where an element is 0.

    Args:
        x: numeric tensor; booleans and integers narrower than 32 bits are multiplied in int64.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        dtype: dtype to convert `x` to first.
        name: not used.
        out: tensor that takes the result.

    Raises:
        OutOfRangeError: an axis that `x` has not.

    Examples:
        >>> import proa
        >>> float(proa.prod(proa.to_tensor([2.0, 3.0])))
        6.0
    """
    if dtype is not None:
        x = converted(x, dtype)
    elif is_integral(x) and x.dtype.itemsize < 4:
        x = x.astype(jnp.int64)
    axes = reduced_axes(axis, x.ndim)
    return jnp.prod(widened(x), axis=axes, keepdims=keepdim).astype(x.dtype)


def check_not_empty(name: str, x: Array, axes: Any) -> None:
    """Refuses an extremum over nothing.

    Raises:
        InvalidArgumentError: a reduced axis has length 0.
    """
    extents = x.shape if axes is None else [x.shape[a] for a in axes]
    # Only a plain 0: dimensions of a recorded shape may be symbolic.
    if [e for e in extents if isinstance(e, int) and e == 0]:
        raise InvalidArgumentError(
            f"`{name}` over nothing: shape {list(x.shape)}, axis {axes}",
            expected="at least one element along the reduced axes",
            fix="check numel() before, or reduce over another axis",
        )


def _extremum(name: str, fn: Any, x: Array, axis: Any, keepdim: bool) -> Array:
    refuse_complex(name, x)
    axes = reduced_axes(axis, x.ndim)
    check_not_empty(name, x, axes)
    return fn(x, axis=axes, keepdims=keepdim)


@op
def max(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Largest element over axes; NaN wins. Equal maxima share the gradient.

    Args:
        x: real tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.

    Raises:
        InvalidArgumentError: no elements to choose from.
        OutOfRangeError: an axis that `x` has not.

    Examples:
        >>> import proa
        >>> proa.max(proa.to_tensor([[1, 5], [7, 2]]), axis=1).tolist()
        [5, 7]
    """
    return _extremum("max", jnp.max, x, axis, keepdim)


@op
def min(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Smallest element over axes; NaN wins. Equal minima share the gradient.

    Args:
        x: real tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.

    Raises:
        InvalidArgumentError: no elements to choose from.
        OutOfRangeError: an axis that `x` has not.
    """
    return _extremum("min", jnp.min, x, axis, keepdim)


@op(out=True)
def amax(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Largest element over axes; equal maxima share the gradient.

    Args:
        x: real tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: no elements to choose from.
    """
    return _extremum("amax", jnp.max, x, axis, keepdim)


@op(out=True)
def amin(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Smallest element over axes; equal minima share the gradient.

    Args:
        x: real tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: no elements to choose from.
    """
    return _extremum("amin", jnp.min, x, axis, keepdim)


def _extreme_index(name: str, fn: Any, x: Array, axis: Any, keepdim: bool, dtype: Any) -> Array:
    refuse_complex(name, x)
    if x.dtype == bool:
        x = x.astype(jnp.uint8)
    if dtype.name not in ("int32", "int64"):
        raise InvalidArgumentError(
            f"`dtype` of `{name}` is {dtype.name}", expected="int32 or int64", fix="use int64"
        )
    axes = reduced_axes(axis, x.ndim)
    check_not_empty(name, x, axes)
    found = fn(x, axis=None if axes is None else axes[0], keepdims=keepdim)
    return found.astype(dtype.numpy)


@op(differentiable=False, out=True)
def argmax(x: Array, axis: int | None = None, keepdim: bool = False, dtype: DType = "int64"):  # pyright: ignore[reportArgumentType]
    """Position of the first largest element; that of the first NaN if there is one.

    Args:
        x: real tensor.
        axis: the axis; `None` for the position in the flattened tensor.
        keepdim: whether reduced axes stay with length 1.
        dtype: int64 or int32.
        name: not used.

    Raises:
        InvalidArgumentError: no elements to choose from.

    Examples:
        >>> import proa
        >>> int(proa.argmax(proa.to_tensor([1.0, float("nan"), 2.0])))
        1
    """
    return _extreme_index("argmax", jnp.argmax, x, axis, keepdim, dtype)


@op(differentiable=False, out=True)
def argmin(x: Array, axis: int | None = None, keepdim: bool = False, dtype: DType = "int64"):  # pyright: ignore[reportArgumentType]
    """Position of the first smallest element; that of the first NaN if there is one.

    Args:
        x: real tensor.
        axis: the axis; `None` for the position in the flattened tensor.
        keepdim: whether reduced axes stay with length 1.
        dtype: int64 or int32.
        name: not used.

    Raises:
        InvalidArgumentError: no elements to choose from.
    """
    return _extreme_index("argmin", jnp.argmin, x, axis, keepdim, dtype)


@op(differentiable=False, out=True)
def all(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Whether all elements are true (not 0); true of nothing.

    Args:
        x: tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.all(x, axis=reduced_axes(axis, x.ndim), keepdims=keepdim)


@op(differentiable=False, out=True)
def any(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Whether an element is true (not 0); false of nothing.

    Args:
        x: tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.any(x, axis=reduced_axes(axis, x.ndim), keepdims=keepdim)


@op(differentiable=False)
def count_nonzero(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """Number of elements that are not 0, as int64.

    Args:
        x: tensor.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
    """
    return jnp.sum(x != 0, axis=reduced_axes(axis, x.ndim), keepdims=keepdim, dtype=jnp.int64)


@op(out=True)
def logsumexp(x: Array, axis: Axis | None = None, keepdim: bool = False):
    """`log(sum(e**x))` over axes, without overflow.

    Args:
        x: real tensor; integers give float32.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("logsumexp", x)
    x = floating(x)
    axes = reduced_axes(axis, x.ndim)
    return jax.nn.logsumexp(widened(x), axis=axes, keepdims=keepdim).astype(x.dtype)


@op(differentiable=False)
def numel(x: Array):
    """Number of elements, as a 0-d int64 tensor.

    Args:
        x: tensor.
        name: not used.

    Examples:
        >>> import proa
        >>> int(proa.numel(proa.ones([2, 3])))
        6
    """
    return _as_scalar(x.size)


def _as_scalar(number: Any) -> Array:
    return jnp.asarray(number, dtype=jnp.int64)


@op(differentiable=False, method=None)
def is_empty(x: Array):
    """Whether there are no elements, as a 0-d boolean tensor.

    Args:
        x: tensor.
        name: not used.
    """
    return jnp.asarray(x.size) == 0


@op
def reduce_as(x: Array, target: Array):
    """Sums `x` down to the shape of `target`, the reverse of broadcasting.

    Args:
        x: tensor.
        target: tensor whose shape broadcasts to that of `x`.
        name: not used.

    Raises:
        InvalidArgumentError: the shapes do not broadcast.
    """
    lead = x.ndim - target.ndim
    if lead < 0:
        raise InvalidArgumentError(
            f"`reduce_as` of shape {list(x.shape)} to {list(target.shape)}",
            expected="a target with no more axes than x",
            fix="swap the arguments",
        )
    dtype = _summed_dtype(x, None)
    x = _sum(x, tuple(range(lead)), False, dtype) if lead else x.astype(dtype)
    kept = []
    for axis, (have, want) in enumerate(zip(x.shape, target.shape, strict=True)):
        if have == want:
            continue
        if not (isinstance(want, int) and want == 1):
            raise InvalidArgumentError(
                f"`reduce_as` of shape {list(x.shape)} to {list(target.shape)}",
                expected="a target shape that broadcasts to that of x",
                fix="check the two shapes",
            )
        kept.append(axis)
    return _sum(x, tuple(kept), True, dtype) if kept else x


attach_method("mean", mean)
attach_method("is_empty", is_empty)
