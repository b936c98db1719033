"""Differences of neighbours, and the integrals that undo them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op

from ._axes import normal_axis
from ._promote import floating, promote

if TYPE_CHECKING:
    from proa.core._types import Array


@op(out=True)
def diff(
    x: Array,
    n: int = 1,
    axis: int = -1,
    prepend: Array | None = None,
    append: Array | None = None,
):
    """Differences of neighbours along an axis: `x[i + 1] - x[i]`.

    Args:
        x: a tensor with at least one axis; neighbouring booleans are compared.
        n: how often differences are taken.
        axis: the axis.
        prepend: joined before `x` along the axis first.
        append: joined after it.

    Raises:
        InvalidArgumentError: `n` below 1, or a 0-d tensor.

    Examples:
        >>> import proa
        >>> proa.diff(proa.to_tensor([1, 4, 9])).tolist()
        [3, 5]
    """
    if n < 1 or not x.ndim:
        raise InvalidArgumentError(
            f"diff of a tensor of shape {list(x.shape)} with n={n}",
            expected="at least one axis and n >= 1",
            fix="reshape a number to [1]",
        )
    place = normal_axis(axis, x.ndim)
    parts = promote(*[p for p in (prepend, x, append) if p is not None])
    return jnp.diff(jnp.concatenate(parts, place), n, place)


def _areas(y: Any, x: Any, dx: float | None, axis: int) -> tuple[Any, int]:
    """Areas between neighbours, and the axis they lie along."""
    y = floating(y)
    place = normal_axis(axis, y.ndim)
    ahead = y[(slice(None),) * place + (slice(1, None),)]
    behind = y[(slice(None),) * place + (slice(None, -1),)]
    mean = (ahead + behind) * jnp.asarray(0.5, y.dtype)
    if x is None:
        return mean * jnp.asarray(1.0 if dx is None else dx, y.dtype), place
    x = floating(x)
    if x.ndim == 1:
        x = x.reshape(*[1] * place, -1, *[1] * (y.ndim - place - 1))
    try:
        return mean * jnp.diff(x, axis=place), place
    except (ValueError, TypeError) as error:
        raise InvalidArgumentError(
            f"`y` has shape {list(y.shape)} and `x` {list(x.shape)}",
            expected="as many places as values, or shapes that broadcast",
            fix="give one place per value along the axis",
        ) from error


def _one_spacing(x: Any, dx: Any, name: str) -> None:
    if x is not None and dx is not None:
        raise InvalidArgumentError(
            f"`{name}` got both `x` and `dx`", expected="one of them", fix="drop one"
        )


@op(name="trapezoid", public=False)
def _trapezoid(y: Array, x: Array | None, dx: float | None, axis: int):
    areas, place = _areas(y, x, dx, axis)
    return jnp.sum(areas, axis=place)


@composite
def trapezoid(
    y: Tensor, x: Any = None, dx: float | None = None, axis: int = -1, name: str | None = None
) -> Tensor:
    """Integral along an axis by the trapezoidal rule.

    Args:
        y: values.
        x: places of the values; a vector, or a tensor that broadcasts with `y`.
        dx: distance of neighbours where there is no `x`; 1 by default.
        axis: the axis.

    Raises:
        InvalidArgumentError: both `x` and `dx`, or shapes that do not fit.
    """
    _one_spacing(x, dx, "trapezoid")
    return _trapezoid(y, x, dx, axis)


@op(name="cumulative_trapezoid", public=False)
def _cumulative_trapezoid(y: Array, x: Array | None, dx: float | None, axis: int):
    areas, place = _areas(y, x, dx, axis)
    return jnp.cumsum(areas, axis=place)


@composite
def cumulative_trapezoid(
    y: Tensor, x: Any = None, dx: float | None = None, axis: int = -1, name: str | None = None
) -> Tensor:
    """Running integral along an axis by the trapezoidal rule.

    Args:
        y: values.
        x: places of the values; a vector, or a tensor that broadcasts with `y`.
        dx: distance of neighbours where there is no `x`; 1 by default.
        axis: the axis; the result has one element less there.

    Raises:
        InvalidArgumentError: both `x` and `dx`, or shapes that do not fit.
    """
    _one_spacing(x, dx, "cumulative_trapezoid")
    return _cumulative_trapezoid(y, x, dx, axis)


for _method in (trapezoid, cumulative_trapezoid):
    attach_method(_method.__name__, _method)
