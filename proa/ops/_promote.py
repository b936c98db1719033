"""Dtype rules shared by the op families, and the checks of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidTypeError

from ._axes import normal_axes

if TYPE_CHECKING:
    from proa.core._types import Array, DType


def is_floating(x: Any) -> bool:
    """Whether an array is real and floating (half precisions included)."""
    return bool(jnp.issubdtype(x.dtype, jnp.floating))


def is_complex(x: Any) -> bool:
    """Whether an array is complex."""
    return bool(jnp.issubdtype(x.dtype, jnp.complexfloating))


def is_integral(x: Any) -> bool:
    """Whether an array holds integers or booleans."""
    return x.dtype.kind in "biu"


def floating(x: Array) -> Array:
    """Integers and booleans become float32, as Paddle's math functions do; others stay.

    `jax.numpy` would make float64 of them, since 64-bit types are on.
    """
    return x.astype(jnp.float32) if is_integral(x) else x


def precise(x: Array) -> Array:
    """As `floating`, for ops that decompose matrices.

    Raises:
        InvalidTypeError: half precision, for which there are no decompositions.
    """
    if x.dtype.itemsize < 4 and not is_integral(x):
        raise InvalidTypeError(
            f"a matrix of dtype {x.dtype} is to be decomposed",
            expected="float32, float64 or complex",
            fix="cast it: x.astype('float32')",
        )
    return floating(x)


def promote(*arrays: Array) -> list[Array]:
    """Casts arrays to their common dtype: an integer beside a float becomes that float."""
    dtype = jnp.result_type(*[x.dtype for x in arrays])
    return [x.astype(dtype) for x in arrays]


def converted(x: Array, dtype: DType) -> Array:
    """The op `cast` on an array, for ops that convert their input first."""
    if is_complex(x) and not jnp.issubdtype(dtype.numpy, jnp.complexfloating):
        x = x != 0 if dtype.name == "bool" else jnp.real(x)
    if dtype.name.startswith("uint") and jnp.issubdtype(x.dtype, jnp.floating):
        # XLA clamps negative floats to 0; Paddle (and C) wrap them around.
        return jnp.where(x < 0, x.astype(jnp.int64).astype(dtype.numpy), x.astype(dtype.numpy))
    if dtype.name in ("int8", "int16") and jnp.issubdtype(x.dtype, jnp.floating):
        return x.astype(jnp.int64).astype(dtype.numpy)
    return x.astype(dtype.numpy)


def floating_as(x: Array, dtype: DType | None, name: str) -> Array:
    """Converts the input of op `name` to a floating dtype; without one as `floating` does.

    Raises:
        InvalidTypeError: the dtype is not floating.
    """
    if dtype is None:
        return floating(x)
    if not dtype.is_floating:
        raise InvalidTypeError(
            f"`dtype` of `{name}` is {dtype.name}",
            expected="a floating dtype",
            fix="leave it out, and cast the result",
        )
    return converted(x, dtype)


def widened(x: Array) -> Array:
    """Half precisions become float32, to accumulate or to evaluate in; others stay."""
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def quotient(x: Array, y: Array) -> Array:
    """`x / y` of floating arrays, rounded as IEEE 754 says.

    XLA makes `x * (1 / y)` of a division by a broadcast or constant divisor, which is wrong in
    the last digit for a fifth of all values: 41 / 41 gives 0.99999994, whose floor is 0. It
    leaves a divisor alone that a selection made, here one that changes nothing: only where `x` is
    NaN another divisor is taken, near enough for the gradient to be right.
    """
    beside = y * (1 + float(jnp.finfo(y.dtype).eps))
    return x / jnp.where(x != x, beside, y)


def refuse_complex(name: str, *arrays: Any) -> None:
    """Raises for complex inputs of an op that needs an order.

    Raises:
        InvalidTypeError: an input is complex.
    """
    for x in arrays:
        if is_complex(x):
            raise InvalidTypeError(
                f"`{name}` of a {x.dtype.name} tensor",
                expected="a real tensor: complex numbers have no order",
                fix="take real(), imag(), abs() or angle() first",
            )


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """Returns the axes to reduce as a tuple, or `None` for all (also for an empty list).

    A 0-d tensor counts as having one axis, as in Paddle.

    Raises:
        OutOfRangeError: an axis outside [-ndim, ndim).
        InvalidArgumentError: an axis named twice.
    """
    if axis is None or (isinstance(axis, tuple) and not axis):
        return None
    axes = normal_axes(axis, max(ndim, 1))
    return axes if ndim else None
