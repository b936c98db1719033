"""Logical and bitwise operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from proa.core import InvalidTypeError, attach_method, op

from ._promote import promote

if TYPE_CHECKING:
    from proa.core._types import Array


@op(inplace=True, out=True, differentiable=False)
def logical_and(x: Array, y: Array):
    """Elementwise "and" of truth values (0 is false), as booleans.

    Args:
        x: tensor.
        y: tensor; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.logical_and(x, y)


@op(inplace=True, out=True, differentiable=False)
def logical_or(x: Array, y: Array):
    """Elementwise "or" of truth values, as booleans.

    Args:
        x: tensor.
        y: tensor; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.logical_or(x, y)


@op(inplace=True, out=True, differentiable=False)
def logical_xor(x: Array, y: Array):
    """Elementwise "either but not both" of truth values, as booleans.

    Args:
        x: tensor.
        y: tensor; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.logical_xor(x, y)


@op(inplace=True, out=True, differentiable=False)
def logical_not(x: Array):
    """Elementwise "not" of truth values, as booleans.

    Args:
        x: tensor.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.logical_not(proa.to_tensor([True, False])).tolist()
        [False, True]
    """
    return jnp.logical_not(x)


def _bits(name: str, *arrays: Array) -> list[Array]:
    for x in arrays:
        if x.dtype.kind not in "biu":
            raise InvalidTypeError(
                f"`{name}` of a {x.dtype.name} tensor",
                expected="integer or boolean tensors",
                fix="cast it to an integer dtype, or use the logical_ function",
            )
    return promote(*arrays)


@op(inplace=True, out=True, differentiable=False)
def bitwise_and(x: Array, y: Array):
    """Bitwise "and" of integers or booleans.

    Args:
        x: integer or boolean tensor.
        y: tensor or number; shapes broadcast.
        out: tensor that takes the result.
        name: not used.

    Raises:
        InvalidTypeError: a floating input.

    Examples:
        >>> import proa
        >>> proa.bitwise_and(proa.to_tensor([6, 3]), proa.to_tensor([3, 1])).tolist()
        [2, 1]
    """
    return jnp.bitwise_and(*_bits("bitwise_and", x, y))


@op(inplace=True, out=True, differentiable=False)
def bitwise_or(x: Array, y: Array):
    """Bitwise "or" of integers or booleans.

    Args:
        x: integer or boolean tensor.
        y: tensor or number; shapes broadcast.
        out: tensor that takes the result.
        name: not used.

    Raises:
        InvalidTypeError: a floating input.
    """
    return jnp.bitwise_or(*_bits("bitwise_or", x, y))


@op(inplace=True, out=True, differentiable=False)
def bitwise_xor(x: Array, y: Array):
    """Bitwise "either but not both" of integers or booleans.

    Args:
        x: integer or boolean tensor.
        y: tensor or number; shapes broadcast.
        out: tensor that takes the result.
        name: not used.

    Raises:
        InvalidTypeError: a floating input.
    """
    return jnp.bitwise_xor(*_bits("bitwise_xor", x, y))


@op(inplace=True, out=True, differentiable=False)
def bitwise_not(x: Array):
    """Flips all bits; on booleans, "not".

    Args:
        x: integer or boolean tensor.
        out: tensor that takes the result.
        name: not used.

    Raises:
        InvalidTypeError: a floating input.
    """
    return jnp.bitwise_not(*_bits("bitwise_not", x))


def _shift(name: str, x: Array, y: Array) -> tuple[Array, Array, Array]:
    x, y = _bits(name, x, y)
    if x.dtype == bool:
        raise InvalidTypeError(
            f"`{name}` of bool tensors", expected="integer tensors", fix="cast them first"
        )
    x, y = jnp.broadcast_arrays(x, y)
    return x, y, (y < 0) | (y >= x.dtype.itemsize * 8)


@op(inplace=True, out=True, differentiable=False)
def bitwise_left_shift(x: Array, y: Array, is_arithmetic: bool = True):
    """Shifts bits to the left, `x << y`; 0 where `y` is not in [0, number of bits).

    Args:
        x: integer tensor.
        y: how far; shapes broadcast.
        is_arithmetic: makes no difference to the left.
        out: tensor that takes the result.
        name: not used.

    Raises:
        InvalidTypeError: an input is not an integer.
    """
    x, y, outside = _shift("bitwise_left_shift", x, y)
    return jnp.where(outside, 0, jax.lax.shift_left(x, y)).astype(x.dtype)


@op(inplace=True, out=True, differentiable=False)
def bitwise_right_shift(x: Array, y: Array, is_arithmetic: bool = True):
    """Shifts bits to the right, `x >> y`.

    Args:
        x: integer tensor.
        y: how far; shapes broadcast.
        is_arithmetic: whether the sign bit is copied (so that it divides by `2**y`, rounding
            down) or zeros come in.
        out: tensor that takes the result.
        name: not used.

    Raises:
        InvalidTypeError: an input is not an integer.
    """
    x, y, outside = _shift("bitwise_right_shift", x, y)
    if is_arithmetic and x.dtype.kind == "i":
        shifted = jax.lax.shift_right_arithmetic(x, y)
        return jnp.where(outside, jnp.where(x < 0, -1, 0), shifted).astype(x.dtype)
    return jnp.where(outside, 0, jax.lax.shift_right_logical(x, y)).astype(x.dtype)


bitwise_and_ = bitwise_and.inplace
bitwise_left_shift_ = bitwise_left_shift.inplace
bitwise_not_ = bitwise_not.inplace
bitwise_or_ = bitwise_or.inplace
bitwise_right_shift_ = bitwise_right_shift.inplace
bitwise_xor_ = bitwise_xor.inplace
logical_and_ = logical_and.inplace
logical_not_ = logical_not.inplace
logical_or_ = logical_or.inplace
logical_xor_ = logical_xor.inplace

# Paddle's other name for the same function.
bitwise_invert, bitwise_invert_ = bitwise_not, bitwise_not_

attach_method("bitwise_invert", bitwise_invert)
attach_method("bitwise_invert_", bitwise_invert_)
