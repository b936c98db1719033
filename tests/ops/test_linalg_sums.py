from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same

linalg = proa.linalg
LOW = {"low": ("float16",)}

CASES = [
    Case(proa.trace, (randn(4, 3, 2), 1, 0, 1), ref=np.trace, **LOW),
    Case(proa.tensordot, (randn(4, 3, 2), randn(3, 2, 5)), ref=np.tensordot, **LOW),
    Case(
        proa.tensordot,
        (randn(4, 3, 2), randn(2, 4), [[0, 2], [1, 0]]),
        ref=lambda x, y, _: np.tensordot(x, y, ([0, 2], [1, 0])),
        **LOW,
    ),
    Case(
        linalg.multi_dot, ([randn(4, 3), randn(3, 2), randn(2, 5)],), ref=np.linalg.multi_dot, **LOW
    ),
    Case(linalg.matrix_power, (randn(4, 3, 3), 3), ref=np.linalg.matrix_power, low=()),
    Case(
        linalg.matrix_power, (randn(3, 3) + 3 * np.eye(3), -2), ref=np.linalg.matrix_power, low=()
    ),
    Case(linalg.cov, (randn(3, 4),), ref=np.cov, low=()),
    Case(
        linalg.cov,
        (randn(4, 3), False, False, ints(1, 4, 4), np.array([0.5, 1.0, 1.5, 2.0])),
        ref=lambda x, _, __, f, a: np.cov(x, rowvar=False, ddof=0, fweights=f, aweights=a),
        low=(),
    ),
    Case(proa.vander, (randn(4), 3), ref=np.vander, low=()),
    Case(linalg.corrcoef, (randn(3, 4),), ref=np.corrcoef, low=()),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_sums(case):
    check_case(case)


X = np.arange(6.0).reshape(3, 2)
CONTRACTIONS = [
    (0, np.tensordot(X, X, 0)),
    ([0, 1], (X * X).sum()),
    ([[0], [0]], X.T @ X),
    ([[0, 1], [0]], (X * X).sum()),
    ([[1]], X @ X.T),
]


@pytest.mark.parametrize(("axes", "want"), CONTRACTIONS, ids=repr)
def test_ways_to_name_axes(axes, want):
    x = proa.to_tensor(X)
    same(proa.tensordot(x, x, axes), want, "float64")


def test_edges():
    v = proa.to_tensor([1, 2, 3])
    same(proa.vander(v, increasing=True), [[1, 1, 1], [1, 2, 4], [1, 3, 9]], "int64")
    assert proa.vander(v, 0).shape == [3, 0]
    x = proa.to_tensor([[1, 2], [3, 4]])
    same(linalg.matrix_power(x, 0), np.eye(2), "int64")
    same(linalg.matrix_power(x, -1), [[-2.0, 1.0], [1.5, -0.5]], "float32")
    same(linalg.cov(proa.to_tensor([1.0, 2.0, 3.0])), 1.0, "float32")
    same(linalg.corrcoef(proa.to_tensor([1.0, 2.0])), 1.0, "float32")
    same(proa.trace(proa.to_tensor([[1, 2], [3, 4]], "int32")), 5, "int32")


ERRORS = [
    (lambda x: proa.vander(x), "`vander` of a tensor"),
    (lambda x: proa.trace(x[0]), r"trace of a tensor of shape \[3\]"),
    (lambda x: proa.tensordot(x, x, 1), "equal extents of axes"),
    (lambda x: linalg.multi_dot([x]), "multi_dot of 1 matrices"),
    (lambda x: linalg.multi_dot([x, x]), "equal inner extents of neighbours"),
    (lambda x: linalg.matrix_power(x, 2), "square matrices"),
    (lambda x: linalg.cov(x.unsqueeze(0)), "at most two axes"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 3]))
