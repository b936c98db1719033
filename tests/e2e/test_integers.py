"""Integers in every op that adds, multiplies or divides them: wide sums, no silent nonsense.

Kinds of P331's int8 sum (-56), Array-API PR#311 (division by zero), P331's endless integer power.
"""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import DivisionByZeroError
from tests.ops.harness import same

NARROW = ("bool", "uint8", "int8", "int16", "int32")
ONES = np.ones([3, 100])
WIDE = {
    "sum": (lambda x: proa.sum(x), 300),
    "sum of an axis": (lambda x: proa.sum(x, axis=1), [100] * 3),
    "nansum": (lambda x: proa.nansum(x), 300),
    "prod": (lambda x: proa.prod(x + x), 2**31 * 2),
    "cumsum": (lambda x: proa.cumsum(x)[-1], 300),
    "cumprod": (lambda x: proa.cumprod(x + x, 0)[-1], 2**31 * 2),
    "count_nonzero": (lambda x: proa.count_nonzero(x), 300),
    "trace": (lambda x: proa.trace(proa.expand(x[0, :1], [200, 200])), 200),
    "bincount": (lambda x: proa.bincount(x.flatten())[1], 300),
}


#: These stay in int32, as in Paddle.
KEEP_INT32 = ("prod", "cumprod", "trace")


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", WIDE)
def test_narrow_integers_add_up_in_int64(name, dtype):
    call, want = WIDE[name]
    if dtype == "int32" and name in KEEP_INT32:
        assert call(proa.to_tensor(np.ones([2, 2]), dtype=dtype)).dtype == "int32"
        return
    if dtype == "bool" and name in ("prod", "cumprod", "bincount"):
        dtype = "int8"
    # Two to the 32nd is beyond all narrow types.
    x = proa.to_tensor(np.ones([32]) if "prod" in name else ONES, dtype=dtype)
    same(call(x), want, "int64")


BY_ZERO = {
    "floor_divide": lambda x, y: proa.floor_divide(x, y),
    "floor_divide_": lambda x, y: proa.floor_divide_(x.clone(), y),
    "divide floor": lambda x, y: proa.divide(x, y, rounding_mode="floor"),
    "divide trunc": lambda x, y: proa.divide(x, y, rounding_mode="trunc"),
    "remainder": lambda x, y: proa.remainder(x, y),
    "remainder_": lambda x, y: proa.remainder_(x.clone(), y),
    "mod": lambda x, y: proa.mod(x, y),
    "floor_mod": lambda x, y: proa.floor_mod(x, y),
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "// of a number": lambda x, y: 7 // y,
    "% of a number": lambda x, y: 7 % y,
}


@pytest.mark.parametrize("name", BY_ZERO)
def test_integer_division_by_zero_raises(name):
    for dtype in ("uint8", "int8", "int32", "int64"):
        x, zero = proa.to_tensor([1, 2], dtype=dtype), proa.to_tensor([1, 0], dtype=dtype)
        with pytest.raises(DivisionByZeroError, match="by zero"):
            BY_ZERO[name](x, zero)


def test_true_division_by_zero_is_infinite():
    x, zero = proa.to_tensor([1, 0, -1]), proa.to_tensor([0, 0, 0])
    same(x / zero, [np.inf, np.nan, -np.inf], "float32")


POWERS = {
    "pow": lambda x, y: proa.pow(x, y),
    "pow_": lambda x, y: proa.pow_(x.clone(), y),
    "**": lambda x, y: x**y,
    "** of a number": lambda x, y: 2**y,
}


@pytest.mark.parametrize("name", POWERS)
def test_negative_powers_of_integers_raise(name):
    for dtype in ("int8", "int32", "int64"):
        x, y = proa.to_tensor([2, 3], dtype=dtype), proa.to_tensor([1, -1], dtype=dtype)
        with pytest.raises(DivisionByZeroError, match="negative integer power"):
            POWERS[name](x, y)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_division_of_negative_integers_rounds_down(dtype):
    x, y = np.array([7, -7, 7, -7], dtype), np.array([2, 2, -2, -2], dtype)
    tx, ty = proa.to_tensor(x), proa.to_tensor(y)
    same(proa.floor_divide(tx, ty), x // y, dtype)
    same(proa.remainder(tx, ty), x % y, dtype)
    same(proa.divide(tx, ty, rounding_mode="trunc"), np.trunc(x / y), dtype)


def test_shifts_beyond_the_width_are_no_crash():
    x = proa.to_tensor([1, -8], dtype="int32")
    assert proa.bitwise_left_shift(x, proa.to_tensor([31, 1], dtype="int32")).dtype == "int32"
    same(proa.bitwise_right_shift(x, proa.to_tensor([0, 2], dtype="int32")), [1, -2], "int32")
