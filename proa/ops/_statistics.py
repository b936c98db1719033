"""Statistics over axes: variance, deviation, median, quantiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    Tensor,
    attach_method,
    composite,
    op,
    to_tensor,
    write_out,
)

from ._promote import floating, is_integral, reduced_axes, refuse_complex, widened

if TYPE_CHECKING:
    from proa.core._types import Array, Axis


def _count(x: Array, axes: Any) -> Any:
    """Number of reduced elements; symbolic while recording with an unknown dimension."""
    total: Any = 1
    for axis in range(x.ndim) if axes is None else axes:
        total = total * x.shape[axis]
    return total


def _as_number(count: Any, dtype: Any) -> Array:
    return jnp.asarray(count).astype(dtype)


@op(name="var", method=None, public=False)
def _variance(x: Array, axis: Axis | None, correction: float, keepdim: bool):
    refuse_complex("var", x)
    x = floating(x)
    wide = widened(x)
    axes = reduced_axes(axis, x.ndim)
    center = jnp.mean(wide, axis=axes, keepdims=True)
    total = jnp.sum(jnp.square(wide - center), axis=axes, keepdims=keepdim)
    count = _as_number(_count(x, axes), wide.dtype)
    return (total / jnp.maximum(count - correction, 0)).astype(x.dtype)


@jax.custom_jvp
def _root(x: Array) -> Array:
    return jnp.sqrt(x)


@_root.defjvp
def _root_jvp(primals: Any, tangents: Any) -> Any:
    root = _root(primals[0])
    # Without spread the slope is not defined; 0 is a subgradient, and NaN helps nobody.
    return root, tangents[0] * jnp.where(root == 0, 0, 0.5 / jnp.where(root == 0, 1, root))


@op(name="sqrt_or_zero", method=None, public=False)
def _deviation(variance: Array):
    return _root(variance)


@composite
def var(
    x: Any,
    axis: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    correction: float = 1,
    out: Any = None,
) -> Tensor:
    """Variance over axes: squared deviations divided by `number of elements - correction`.

    Args:
        x: real tensor; integers give float32.
        axis: axis or axes; `None` for all.
        unbiased: `True` is `correction=1`, `False` is `correction=0`; `None` leaves it.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
        correction: what to subtract from the number of elements.
        out: tensor that takes the result.

    Returns:
        The variance; NaN where the divisor is not positive.

    Differs: Paddle 3.3 cuts the variance of integers to an integer.

    Examples:
        >>> import proa
        >>> float(proa.var(proa.to_tensor([1.0, 2.0, 3.0])))
        1.0
    """
    result = _variance(x, axis, correction if unbiased is None else float(unbiased), keepdim)
    return result if out is None else write_out(out, result)


@composite
def std(
    x: Any,
    axis: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Standard deviation over axes, the root of `var`; its gradient is 0 without spread.

    Args:
        x: real tensor; integers give float32.
        axis: axis or axes; `None` for all.
        unbiased: whether to divide by the number of elements minus 1.
        keepdim: whether reduced axes stay with length 1.
        name: not used.
    """
    return _deviation(_variance(x, axis, float(unbiased), keepdim))


def _to_last(x: Array, axes: tuple[int, ...] | None) -> Array:
    """Moves the reduced axes to the end and makes one of them."""
    if axes is None:
        return x.reshape(-1)
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = jnp.transpose(x, (*kept, *axes))
    # Written out, since -1 has no value beside an axis of extent 0.
    return moved.reshape(*[x.shape[a] for a in kept], math.prod(x.shape[a] for a in axes))


def _restore(result: Array, x: Array, axes: tuple[int, ...] | None, keepdim: bool) -> Array:
    if not keepdim:
        return result
    reduced = range(x.ndim) if axes is None else axes
    return jnp.expand_dims(result, tuple(reduced))


def _with_element(flat: Array) -> Array:
    """Nothing counts as one NaN."""
    if isinstance(flat.shape[-1], int) and flat.shape[-1] == 0:
        return jnp.full((*flat.shape[:-1], 1), jnp.nan, flat.dtype)
    return flat


def _ordered(x: Array) -> tuple[Array, Array]:
    """Sorted values (NaN last) along the last axis, with their positions."""
    order = jnp.argsort(jax.lax.stop_gradient(x), axis=-1, stable=True)
    return jnp.take_along_axis(x, order, axis=-1), order


def _pick(values: Array, position: Array) -> Array:
    return jnp.take_along_axis(values, position[..., None], axis=-1)[..., 0]


def _median(x: Array, axes: Any, keepdim: bool, mode: str, skip_nan: bool) -> tuple[Array, Array]:
    """Median and, for mode min, where it lies."""
    flat = _with_element(_to_last(x, axes))
    missing = jnp.isnan(flat)
    values, order = _ordered(flat)
    count = jnp.sum(~missing, axis=-1) if skip_nan else flat.shape[-1]
    count = jnp.broadcast_to(jnp.asarray(count), flat.shape[:-1])
    low = jnp.maximum(count - 1, 0) // 2
    index = _pick(order, low)
    result = _pick(values, low)
    if mode == "avg":
        result = (result + _pick(values, jnp.maximum(count, 1) // 2)) / 2
    if skip_nan:
        index = jnp.where(count == 0, -1, index)
    else:
        has = jnp.any(missing, axis=-1)
        result = jnp.where(has, jnp.nan, result)
        index = jnp.where(has, jnp.argmax(missing, axis=-1), index)
    index = index.astype(jnp.int64)
    return _restore(result, x, axes, keepdim), _restore(index, x, axes, keepdim)


@op(method=None, public=False)
def median_value(x: Array, axis: Axis | None, keepdim: bool, mode: str, skip_nan: bool):
    """The median alone, in float32 or float64."""
    refuse_complex("median", x)
    wide = widened(floating(x))
    result, _ = _median(wide, reduced_axes(axis, x.ndim), keepdim, mode, skip_nan)
    return result.astype(x.dtype) if mode == "min" and is_integral(x) else result


@op(method=None, public=False)
def median_with_index(x: Array, axis: Axis, keepdim: bool, skip_nan: bool):
    """The lower median and its position along one axis."""
    refuse_complex("median", x)
    wide = widened(floating(x))
    result, index = _median(wide, reduced_axes(axis, x.ndim), keepdim, "min", skip_nan)
    return result.astype(x.dtype), index


def _median_of(name: str, x: Any, axis: Any, keepdim: bool, mode: str, skip_nan: bool) -> Any:
    if mode not in ("avg", "min"):
        raise InvalidArgumentError(
            f"`mode` of `{name}` is {mode!r}", expected="'avg' or 'min'", fix="choose one of them"
        )
    single = axis is not None and not isinstance(axis, list | tuple)
    if mode == "min" and single:
        return median_with_index(x, axis, keepdim, skip_nan)
    return median_value(x, axis, keepdim, mode, skip_nan)


@composite
def median(
    x: Any,
    axis: Any = None,
    keepdim: bool = False,
    mode: str = "avg",
    name: str | None = None,
    *,
    out: Any = None,
) -> Any:
    """Median over one axis or all; NaN where a NaN is among the elements.

    Args:
        x: real tensor; integers and half precisions give float32.
        axis: the axis; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        mode: `"avg"` takes the mean of the two middle elements of an even number, `"min"` the
            lower one.
        name: not used.
        out: tensor that takes the result (of mode `"avg"`).

    Returns:
        The median; for mode `"min"` with an axis also its position (int64).

    Raises:
        InvalidArgumentError: an unknown mode, or several axes.

    Examples:
        >>> import proa
        >>> float(proa.median(proa.to_tensor([4.0, 1.0, 3.0, 2.0])))
        2.5
    """
    if isinstance(axis, list | tuple):
        raise InvalidArgumentError(
            f"`axis` of `median` is {axis!r}",
            expected="None or one integer",
            fix="flatten the axes first, or use nanmedian",
        )
    result = _median_of("median", x, axis, keepdim, mode, False)
    return result if out is None else write_out(out, result)


@composite
def nanmedian(
    x: Any, axis: Any = None, keepdim: bool = False, mode: str = "avg", name: str | None = None
) -> Any:
    """Median over axes that leaves NaN out; NaN where nothing is left.

    Args:
        x: real tensor; integers and half precisions give float32.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        mode: `"avg"` or `"min"`, as for `median`.
        name: not used.

    Returns:
        The median; for mode `"min"` with one axis also its position (int64; -1 for none).

    Raises:
        InvalidArgumentError: an unknown mode.
    """
    return _median_of("nanmedian", x, axis, keepdim, mode, True)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@op(name="quantile", method=None, public=False)
def _quantile(
    x: Array, q: Array, axis: Axis | None, keepdim: bool, interpolation: str, skip_nan: bool
):
    refuse_complex("quantile", x)
    x = widened(floating(x))
    axes = reduced_axes(axis, x.ndim)
    flat = _with_element(_to_last(x, axes))
    missing = jnp.isnan(flat)
    values, _ = _ordered(flat)
    count = jnp.sum(~missing, axis=-1) if skip_nan else jnp.asarray(flat.shape[-1])
    count = jnp.broadcast_to(count, flat.shape[:-1])
    found = [_at_quantile(values, count, q[i], interpolation) for i in range(q.shape[0])]
    if not skip_nan:
        found = [jnp.where(jnp.any(missing, axis=-1), jnp.nan, f) for f in found]
    found = [_restore(f, x, axes, keepdim) for f in found]
    return jnp.stack(found) if len(found) > 1 else found[0]


def _at_quantile(values: Array, count: Array, q: Array, interpolation: str) -> Array:
    """Quantile of the first `count` sorted values of each row; NaN where there are none."""
    position = q * jnp.maximum(count - 1, 0)
    low, high = jnp.floor(position), jnp.ceil(position)
    if interpolation == "nearest":
        low = high = jnp.round(position)
    elif interpolation == "lower":
        high = low
    elif interpolation == "higher":
        low = high
    below, above = [_pick(values, p.astype(jnp.int64)) for p in (low, high)]
    share = 0.5 if interpolation == "midpoint" else (position - low).astype(values.dtype)
    between = jnp.where(below == above, below, below + (above - below) * share)
    return jnp.where(count == 0, jnp.nan, between)


def _check_q(name: str, q: Any) -> Tensor:
    values = np.asarray(q, dtype=np.float64)
    if values.ndim > 1 or not values.size:
        raise InvalidArgumentError(
            f"`q` of `{name}` has shape {list(values.shape)}",
            expected="a number, or a list of numbers",
            fix="pass e.g. q=0.5 or q=[0.25, 0.75]",
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise InvalidArgumentError(
            f"`q` of `{name}` is {values.tolist()}",
            expected="numbers in [0, 1]",
            fix="divide percentages by 100",
        )
    return to_tensor(values.reshape(-1))


def _quantile_of(
    name: str, x: Any, q: Any, axis: Any, keepdim: bool, interpolation: str, skip_nan: bool
) -> Tensor:
    if interpolation not in _INTERPOLATIONS:
        raise InvalidArgumentError(
            f"`interpolation` of `{name}` is {interpolation!r}",
            expected="one of " + ", ".join(_INTERPOLATIONS),
            fix="use 'linear'",
        )
    return _quantile(x, _check_q(name, q), axis, keepdim, interpolation, skip_nan)


@composite
def quantile(
    x: Any,
    q: Any,
    axis: Any = None,
    keepdim: bool = False,
    interpolation: str = "linear",
    name: str | None = None,
    *,
    out: Any = None,
) -> Tensor:
    """Quantiles over axes; NaN where a NaN is among the elements.

    Args:
        x: real tensor; integers and half precisions give float32.
        q: a number in [0, 1], or several; a list of several adds an axis in front.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        interpolation: between two elements: linear, lower, higher, midpoint, nearest.
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: `q` outside [0, 1], or an unknown interpolation.

    Examples:
        >>> import proa
        >>> float(proa.quantile(proa.to_tensor([0.0, 1.0, 2.0]), 0.25))
        0.5
    """
    result = _quantile_of("quantile", x, q, axis, keepdim, interpolation, False)
    return result if out is None else write_out(out, result)


@composite
def nanquantile(
    x: Any, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear"
) -> Tensor:
    """Quantiles over axes that leave NaN out; NaN where nothing is left.

    Args:
        x: real tensor; integers and half precisions give float32.
        q: a number in [0, 1], or several; a list of several adds an axis in front.
        axis: axis or axes; `None` for all.
        keepdim: whether reduced axes stay with length 1.
        interpolation: between two elements: linear, lower, higher, midpoint, nearest.

    Raises:
        InvalidArgumentError: `q` outside [0, 1], or an unknown interpolation.
    """
    return _quantile_of("nanquantile", x, q, axis, keepdim, interpolation, True)


for _function in (var, std, median, nanmedian, quantile, nanquantile):
    attach_method(_function.__name__, _function)
