from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same

MOVE = {"low": ("bfloat16",)}


def chosen(x, r):
    return np.array(list(itertools.combinations(x, r)))


def crossed(vectors):
    return np.array(list(itertools.product(*vectors)))


CASES = [
    Case(proa.isin, (ints(0, 9, 4, 3), ints(0, 9, 4)), ref=np.isin),
    Case(proa.combinations, (randn(4), 2), ref=chosen, **MOVE),
    Case(proa.cartesian_prod, ([randn(4), randn(1), randn(2)],), ref=crossed, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_sets(case):
    check_case(case)


def test_edges():
    x = proa.to_tensor([1, 2, 3])
    same(x.isin(proa.to_tensor([2.0]), invert=True), [True, False, True], "bool")
    same(proa.isin(x, proa.zeros([0], "int64")), [False] * 3, "bool")
    same(proa.combinations(x, 1), [[1], [2], [3]], "int64")
    same(proa.combinations(x[:2], 2, True), [[1, 1], [1, 2], [2, 2]], "int64")
    assert proa.combinations(x, 0).shape == [0]
    assert proa.combinations(x, 4).shape == [0, 4]
    same(proa.cartesian_prod([x]), [1, 2, 3], "int64")


ERRORS = [
    (lambda x: proa.combinations(x.unsqueeze(0)), "`combinations` of a tensor of shape"),
    (lambda x: proa.combinations(x, -1), "r >= 0"),
    (lambda x: proa.cartesian_prod([]), "`cartesian_prod` got no tensors"),
    (lambda x: proa.cartesian_prod([x, x[0]]), r"`cartesian_prod` of a tensor of shape \[\]"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.to_tensor([1, 2]))
