"""Axis arithmetic that the ops share, with errors that say what was meant."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError


def normal_axis(axis: int, ndim: int, name: str = "axis") -> int:
    """Returns `axis` counted from the front.

    Raises:
        OutOfRangeError: not in `[-ndim, ndim)`.
    """
    if axis.__class__ is not int:
        axis = _as_axis(axis, name)
    if not -ndim <= axis < ndim:
        raise OutOfRangeError(
            f"`{name}` is {axis} for a tensor with {ndim} axes",
            expected=f"an axis in [{-ndim}, {ndim})" if ndim else "a tensor with at least one axis",
            fix="count axes from 0, or from -1 for the last",
        )
    return axis + ndim if axis < 0 else axis


def _as_axis(axis: Any, name: str) -> int:
    try:
        return axis.__index__()
    except (AttributeError, TypeError) as error:
        raise InvalidTypeError(
            f"`{name}` is {axis!r} ({type(axis).__name__})"[:200],
            expected="an integer",
            fix="count axes from 0, or from -1 for the last",
        ) from error


def normal_axes(axis: Any, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """Returns one or several axes counted from the front, in the order given.

    Raises:
        OutOfRangeError: an axis is out of range.
        InvalidArgumentError: an axis is named twice.
    """
    given = axis if isinstance(axis, tuple | list) else (axis,)
    axes = tuple(normal_axis(a, ndim, name) for a in given)
    if len(set(axes)) != len(axes):
        raise InvalidArgumentError(
            f"`{name}` is {list(given)}, which names an axis twice",
            expected="different axes",
            fix="name each axis once",
        )
    return axes


def common_dtype(*arrays: Any) -> Any:
    """Returns the dtype the arrays promote to (integers with floats give the float)."""
    return jnp.result_type(*[a.dtype for a in arrays])
