from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, complexes, ints, randn, same

NAN, INF = float("nan"), float("inf")
NUMBERS = ints(0, 3, 4, 3)

CASES = [
    Case(proa.equal, (NUMBERS, ints(0, 3, 3)), ref=np.equal),
    Case(proa.not_equal, (NUMBERS, ints(0, 3, 3)), ref=np.not_equal),
    Case(proa.less_than, (NUMBERS, ints(0, 3, 3)), ref=np.less),
    Case(proa.less_equal, (NUMBERS, ints(0, 3, 3)), ref=np.less_equal),
    Case(proa.greater_than, (NUMBERS, ints(0, 3, 3)), ref=np.greater),
    Case(proa.greater_equal, (randn(4, 3), randn(3)), ref=np.greater_equal),
    Case(proa.equal, (complexes(4), complexes(4)), ref=np.equal, id="equal complex"),
    Case(proa.isclose, (randn(4), randn(4)), {"rtol": 0.5}, ref=lambda x, y: np.isclose(x, y, 0.5)),
    Case(proa.allclose, (randn(4), randn(4)), ref=np.allclose),
    Case(proa.equal_all, (NUMBERS, NUMBERS), ref=np.array_equal),
    Case(proa.isnan, (randn(4),), ref=np.isnan),
    Case(proa.isinf, (randn(4),), ref=np.isinf),
    Case(proa.isfinite, (randn(4),), ref=np.isfinite),
    Case(proa.isposinf, (randn(4),), ref=np.isposinf),
    Case(proa.isneginf, (randn(4),), ref=np.isneginf),
    Case(proa.isreal, (complexes(4),), ref=np.isreal),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_compare(case):
    check_case(case)


SPECIAL = [1.0, NAN, INF, -INF]
QUESTIONS = [
    (proa.isnan, [False, True, False, False]),
    (proa.isinf, [False, False, True, True]),
    (proa.isfinite, [True, False, False, False]),
    (proa.isposinf, [False, False, True, False]),
    (proa.isneginf, [False, False, False, True]),
    (proa.isreal, [True, True, True, True]),
]


@pytest.mark.parametrize(("fn", "want"), QUESTIONS, ids=lambda v: getattr(v, "__name__", ""))
def test_questions_about_numbers(fn, want):
    same(fn(proa.to_tensor(SPECIAL)), want, "bool")
    integers = fn(proa.to_tensor([1, 2]))
    same(integers, [fn in (proa.isfinite, proa.isreal)] * 2, "bool")


def test_a_comparison_sees_the_difference_that_float32_would_hide():
    big = proa.to_tensor([2**53, 2**53])
    same(proa.equal(big, proa.to_tensor([2**53, 2**53 + 1])), [True, False])


def test_close_with_nan():
    x = proa.to_tensor([NAN, 1.0])
    same(proa.isclose(x, x), [False, True])
    same(proa.isclose(x, x, equal_nan=True), [True, True])
    assert bool(proa.allclose(x, x, equal_nan=True))
    assert bool(proa.allclose(proa.to_tensor([1, 2]), proa.to_tensor([1, 2])))


def test_equal_all_of_other_shapes_is_false():
    same(proa.equal_all(proa.ones([1]), proa.ones([2])), False, "bool")


ALIASES = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less_than",
    "less": "less_than",
    "le": "less_equal",
    "gt": "greater_than",
    "greater": "greater_than",
    "ge": "greater_equal",
}


@pytest.mark.parametrize(("short", "full"), ALIASES.items())
def test_aliases(short, full):
    assert getattr(proa, short) is getattr(proa, full)
    x, y = proa.to_tensor([1, 2]), proa.to_tensor([1, 3])
    same(getattr(x, short)(y), getattr(x, full)(y).numpy())


@pytest.mark.parametrize(
    "name", ["equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"]
)
def test_in_place_forms_become_bool(name):
    x = proa.to_tensor([1.0, 2.0])
    want = getattr(proa, name)(x, 1.0).numpy()
    assert getattr(x, f"{name}_")(1.0) is x
    same(x, want, "bool")


def test_an_in_place_comparison_ends_the_gradient():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2
    assert y.equal_(x + 1).stop_gradient
    same(y, [True, False], "bool")


def test_an_in_place_comparison_of_a_view_keeps_the_dtype_of_the_whole():
    x = proa.zeros([2, 2])
    x[0].equal_(proa.to_tensor([0.0, 1.0]))
    same(x, [[1.0, 0.0], [0.0, 0.0]], "float32")


@pytest.mark.parametrize(
    "name", ["less_than", "less_equal", "greater_than", "greater_equal", "isposinf", "isneginf"]
)
def test_complex_numbers_have_no_order(name):
    x = proa.to_tensor([1j])
    arguments = [x] if name.startswith("is") else [x, x]
    with pytest.raises(TypeError, match=f"`{name}` of a complex64"):
        getattr(proa, name)(*arguments)
