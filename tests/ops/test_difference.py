from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, randn, same

LOW = {"low": ("float16",)}


def running(y, x, *_):
    return np.cumsum((y[:, 1:] + y[:, :-1]) / 2 * np.diff(x), 1)


CASES = [
    Case(proa.diff, (randn(4, 5), 2, 0), ref=np.diff, **LOW),
    Case(
        proa.diff,
        (randn(4, 3), 1, 1, randn(4, 1), randn(4, 2)),
        ref=lambda x, n, a, p, q: np.diff(x, n, a, p, q),
        **LOW,
    ),
    Case(proa.trapezoid, (randn(4, 3), np.array([0.0, 1.0, 3.0])), ref=np.trapezoid, **LOW),
    Case(proa.trapezoid, (randn(4, 3), None, 2.0, 0), ref=np.trapezoid, **LOW),
    Case(proa.cumulative_trapezoid, (randn(4, 3), np.array([0.0, 1.0, 3.0])), ref=running, **LOW),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_difference(case):
    check_case(case)


def test_edges():
    same(proa.diff(proa.to_tensor([True, False, False])), [True, False], "bool")
    assert proa.diff(proa.to_tensor([1.0, 4.0]), n=3).shape == [0]
    same(proa.trapezoid(proa.to_tensor([1, 2, 3])), 4.0, "float32")
    same(proa.to_tensor([1.0, 2.0, 3.0]).cumulative_trapezoid(), [1.5, 4.0], "float32")


ERRORS = [
    (lambda x: proa.diff(x, n=0), "n=0"),
    (lambda x: proa.diff(x[0]), "at least one axis"),
    (lambda x: proa.trapezoid(x, x, 1.0), "`trapezoid` got both `x` and `dx`"),
    (lambda x: proa.cumulative_trapezoid(x, x, 1.0), "`cumulative_trapezoid` got both"),
    (lambda x: proa.trapezoid(x, proa.ones([5])), r"`y` has shape \[3\] and `x` \[5\]"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.to_tensor([1.0, 2.0, 4.0]))
