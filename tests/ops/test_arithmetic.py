from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import (
    Case,
    bools,
    case_ids,
    check_case,
    complexes,
    ints,
    positive,
    randn,
    same,
)

NAN, INF = float("nan"), float("inf")


def logaddexp(x, y):
    return np.logaddexp(x, y)


CASES = [
    Case(proa.add, (randn(4, 3), randn(3)), ref=np.add),
    Case(proa.add, (randn(4), randn(4)), {"alpha": 3}, ref=lambda x, y: x + 3 * y, id="add alpha"),
    Case(proa.add, (complexes(4), complexes(4)), ref=np.add, id="add complex"),
    Case(proa.add, (bools(4), bools(4)), ref=np.logical_or, id="add booleans"),
    Case(proa.subtract, (randn(4, 1), randn(3)), ref=np.subtract),
    Case(proa.subtract, (randn(4), randn(4), None), {"alpha": 2}, ref=lambda x, y, _: x - 2 * y),
    Case(proa.multiply, (randn(4, 3), randn()), ref=np.multiply),
    Case(proa.multiply, (complexes(4), complexes(4)), ref=np.multiply, id="multiply complex"),
    Case(proa.divide, (randn(4, 3), positive(3)), ref=np.divide),
    Case(proa.divide, (ints(1, 9, 4), ints(1, 9, 4)), ref=np.divide, id="divide integers"),
    Case(
        proa.divide,
        (ints(-9, 9, 4), ints(1, 5, 4)),
        {"rounding_mode": "trunc"},
        ref=lambda x, y: np.trunc(x / y).astype("int64"),
        id="divide trunc",
    ),
    Case(
        proa.divide,
        (randn(4) * 5, positive(4)),
        {"rounding_mode": "floor"},
        ref=lambda x, y: np.floor(x / y),
        grad=False,
        low=(),
        id="divide floor",
    ),
    Case(proa.true_divide, (ints(-9, 9, 4), 4), ref=np.divide),
    Case(proa.floor_divide, (ints(-9, 9, 4), ints(1, 5, 4)), ref=np.floor_divide),
    Case(proa.floor_divide, (randn(4) * 9, positive(4)), ref=np.floor_divide, low=()),
    Case(proa.remainder, (ints(-9, 9, 4), ints(1, 5, 4)), ref=np.remainder),
    Case(proa.remainder, (randn(4) * 9, positive(4)), ref=np.remainder, low=()),
    Case(proa.pow, (positive(4, 3), randn(3)), ref=np.power),
    Case(proa.pow, (ints(-3, 4, 4), ints(0, 4, 4)), ref=np.power, id="pow integers"),
    Case(proa.maximum, (randn(4, 3), randn(3)), ref=np.maximum),
    Case(proa.minimum, (randn(4, 3), randn(3)), ref=np.minimum),
    Case(proa.fmax, (randn(4), randn(4)), ref=np.fmax),
    Case(proa.fmin, (randn(4), randn(4)), ref=np.fmin),
    Case(proa.add_n, ([randn(4), randn(4), randn(4)],), ref=sum),
    Case(proa.lerp, (randn(4), randn(4), randn(4)), ref=lambda x, y, w: x + w * (y - x)),
    Case(proa.lerp, (randn(4), randn(4), 0.25), ref=lambda x, y, w: x + w * (y - x)),
    Case(proa.atan2, (randn(4, 3), randn(3)), ref=np.arctan2),
    Case(proa.hypot, (randn(4), randn(4)), ref=np.hypot),
    Case(proa.logaddexp, (randn(4), randn(4)), ref=logaddexp),
    Case(proa.heaviside, (randn(4), randn(4)), ref=np.heaviside),
    Case(proa.copysign, (randn(4), randn(4)), ref=np.copysign),
    Case(proa.nextafter, (randn(4), randn(4)), ref=None, low=()),
    Case(proa.ldexp, (randn(4), ints(-3, 4, 4)), ref=np.ldexp),
    Case(proa.gcd, (ints(-20, 20, 4), ints(-20, 20, 4)), ref=np.gcd),
    Case(proa.lcm, (ints(-20, 20, 4), ints(-20, 20, 4)), ref=np.lcm),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_arithmetic(case):
    check_case(case)


POWERS = [-3, -2, -1, 0, 1, 2, 3, 4, 0.5, -0.5, 2.0, 2.5]


@pytest.mark.parametrize("exponent", POWERS)
def test_powers_by_constants_and_their_gradients(exponent):
    base = np.array([0.5, 1.5, 2.0])
    x = proa.to_tensor(base, stop_gradient=False)
    y = proa.pow(x, exponent)
    y.sum().backward()
    same(y, base**exponent, "float64")
    same(x.grad, exponent * base ** (exponent - 1.0), "float64")


PROMOTIONS = [
    ("int32", "int64", "int64"),
    ("bool", "int64", "int64"),
    ("uint8", "int8", "int16"),
    ("int64", "float32", "float32"),
    ("int64", "float16", "float16"),
    ("int32", "float64", "float64"),
    ("float16", "float32", "float32"),
    ("float16", "bfloat16", "float32"),
    ("float32", "complex64", "complex64"),
    ("float64", "complex64", "complex128"),
]


@pytest.mark.parametrize(("left", "right", "result"), PROMOTIONS)
def test_two_tensors_promote_to_their_common_dtype(left, right, result):
    x, y = proa.ones([2]).astype(left), proa.ones([2]).astype(right)
    assert proa.add(x, y).dtype == result
    assert proa.multiply(y, x).dtype == result


EDGES = [
    ("divide by 0", proa.divide, [5, 0], [0, 0], [INF, NAN]),
    ("floor of a float by 0", proa.floor_divide, [5.0, -5.0], [0.0, 0.0], [INF, -INF]),
    ("remainder has the sign of y", proa.remainder, [-7.0, 7.0], [3.0, -3.0], [2.0, -2.0]),
    ("maximum with NaN", proa.maximum, [1.0, NAN], [NAN, 1.0], [NAN, NAN]),
    ("minimum with NaN", proa.minimum, [1.0, NAN], [NAN, 1.0], [NAN, NAN]),
    ("fmax with NaN", proa.fmax, [1.0, NAN, NAN], [NAN, 1.0, NAN], [1.0, 1.0, NAN]),
    ("fmin with NaN", proa.fmin, [1.0, NAN], [NAN, 1.0], [1.0, 1.0]),
    ("heaviside", proa.heaviside, [-1.0, 0.0, 2.0, NAN], [0.5] * 4, [0.0, 0.5, 1.0, NAN]),
    ("hypot of large numbers", proa.hypot, [3e30], [4e30], [5e30]),
    ("copysign of integers", proa.copysign, [1, 2], [-1, 1], [-1, 2]),
    ("gcd and 0", proa.gcd, [-4, 0], [6, 0], [2, 0]),
    ("lcm and 0", proa.lcm, [-4, 0], [6, 0], [12, 0]),
    ("nextafter", proa.nextafter, [1.0], [2.0], [float(np.nextafter(np.float32(1), 2))]),
    ("ldexp of integers", proa.ldexp, [1, 2], [3, 4], [8.0, 32.0]),
]


@pytest.mark.parametrize(
    ("fn", "left", "right", "want"), [e[1:] for e in EDGES], ids=[e[0] for e in EDGES]
)
def test_edges(fn, left, right, want):
    same(fn(proa.to_tensor(left), proa.to_tensor(right)), want)


def gradients(fn, x, y):
    x, y = proa.to_tensor(x, stop_gradient=False), proa.to_tensor(y, stop_gradient=False)
    fn(x, y).sum().backward()
    return [None if t.grad is None else t.grad.tolist() for t in (x, y)]


def test_equal_values_share_the_gradient_of_maximum():
    assert gradients(proa.maximum, [2.0, 2.0, 1.0], [2.0, 1.0, 3.0]) == [
        [0.5, 1.0, 0.0],
        [0.5, 0.0, 1.0],
    ]


def test_gradients_stay_finite_at_zero():
    assert gradients(proa.hypot, [0.0], [0.0]) == [[0.0], [0.0]]
    assert gradients(proa.pow, [0.0, 2.0], [0.0, 0.0])[0] == [0.0, 0.0]


def test_floor_divide_has_no_gradient():
    x = proa.to_tensor([7.0], stop_gradient=False)
    assert proa.floor_divide(x, 2.0).stop_gradient


INPLACE = [
    ("add", 2.0, 6.0),
    ("subtract", 2.0, 2.0),
    ("multiply", 2.0, 8.0),
    ("divide", 2.0, 2.0),
    ("floor_divide", 3.0, 1.0),
    ("remainder", 3.0, 1.0),
    ("mod", 3.0, 1.0),
    ("floor_mod", 3.0, 1.0),
    ("pow", 2.0, 16.0),
    ("hypot", 3.0, 5.0),
    ("copysign", -1.0, -4.0),
    ("ldexp", 1.0, 8.0),
]


@pytest.mark.parametrize(("name", "other", "want"), INPLACE)
def test_in_place_forms_overwrite_and_return_the_tensor(name, other, want):
    x = proa.to_tensor([4.0])
    assert getattr(x, f"{name}_")(proa.to_tensor([other])) is x
    same(x, [want])
    same(getattr(proa.ops, f"{name}_")(proa.to_tensor([4.0]), other), [want])


def test_lerp_and_integer_forms_in_place():
    same(proa.to_tensor([0.0]).lerp_(proa.to_tensor([10.0]), 0.5), [5.0])
    same(proa.to_tensor([6]).gcd_(proa.to_tensor([4])), [2], "int64")
    same(proa.to_tensor([6]).lcm_(proa.to_tensor([4])), [12], "int64")


def test_in_place_keeps_the_dtype_of_the_tensor():
    same(proa.to_tensor([1, 2]).add_(proa.to_tensor([0.5, 0.5])), [1, 2], "int64")


def test_increment_adds_in_place():
    x = proa.to_tensor([1])
    assert proa.increment(x, 2) is x
    same(x, [3], "int64")


def test_out_takes_the_result():
    out = proa.zeros([2])
    for fn in (proa.add, proa.subtract, proa.multiply, proa.divide, proa.pow, proa.maximum):
        assert fn(proa.ones([2]), proa.ones([2]), out=out) is out
    same(out, [1.0, 1.0])


ONE, ZERO, MINUS = [1], [0], [-1]


def test_one_tensor_is_its_own_sum():
    x = proa.to_tensor([1.0, 2.0])
    same(proa.add_n(x), [1.0, 2.0])


def test_of_equal_values_the_first_takes_the_gradient():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    y = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    for function in (proa.fmax, proa.fmin):
        first, second = proa.grad(function(x, y), [x, y])
        same(first, [1.0, 1.0])
        same(second, [0.0, 0.0])


ERRORS = [
    (lambda: proa.floor_divide(proa.to_tensor(ONE), 0), ZeroDivisionError, "division or remainder"),
    (
        lambda: proa.remainder(proa.to_tensor(ONE), proa.to_tensor(ZERO)),
        ZeroDivisionError,
        "by zer",
    ),
    (
        lambda: proa.divide(proa.to_tensor(ONE), 0, rounding_mode="trunc"),
        ZeroDivisionError,
        "by zero",
    ),
    (
        lambda: proa.pow(proa.to_tensor(ONE), -1),
        ZeroDivisionError,
        r"negative integer power \(-1\)",
    ),
    (
        lambda: proa.pow(proa.to_tensor(ONE), proa.to_tensor(MINUS)),
        ZeroDivisionError,
        r"negative integer power \(-1\)",
    ),
    (lambda: proa.divide(proa.ones([1]), 2, rounding_mode="up"), ValueError, "`rounding_mode`"),
    (lambda: proa.subtract(proa.to_tensor([True]), True), TypeError, "`subtract` of two bool"),
    (lambda: proa.pow(proa.to_tensor([True]), True), TypeError, "`pow` of two bool"),
    (lambda: proa.maximum(proa.to_tensor([1j]), 1), TypeError, "`maximum` of a complex64"),
    (lambda: proa.gcd(proa.to_tensor([1.0]), 1), TypeError, "`gcd` of float32"),
    (lambda: proa.lcm(proa.to_tensor([1.0]), 1), TypeError, "`lcm` of float32"),
    (lambda: proa.add_n([]), ValueError, "empty list"),
    (lambda: proa.increment(proa.ones([2])), ValueError, r"`increment` of a tensor of shape \[2\]"),
    (
        lambda: proa.add(proa.ones([2]), proa.ones([3])),
        ValueError,
        r"x: float32\[2\], y: float32\[3\]",
    ),
    (lambda: proa.add(proa.ones([2]), None), TypeError, "`y` of op `add` is None"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
