from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, randn, same

MOVE = {"low": ("bfloat16",)}


def embedded(x, *_):
    return np.moveaxis(np.stack([np.diag(row, 1) for row in x]), (-2, -1), (0, 2))


def scattered(x, y, *_):
    z = x.copy()
    z[[0, 1, 2], [1, 2, 3]] = y
    return z


CASES = [
    Case(proa.diagonal, (randn(4, 2, 3), -1, 0, 2), ref=np.diagonal),
    Case(proa.diag_embed, (randn(4, 2), 1, 0, -1), ref=embedded, **MOVE),
    Case(proa.diagonal_scatter, (randn(3, 4), randn(3), 1), ref=scattered, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_diagonal(case):
    check_case(case)


@pytest.mark.parametrize(
    ("shape", "offset", "wrap"),
    [((3, 4), 0, False), ((7, 3), 0, True), ((3, 3), -1, False), ((3, 3, 3), 0, False)],
)
def test_fill_diagonal_in_place(shape, offset, wrap):
    x = proa.zeros(shape)
    assert x.fill_diagonal_(2.0, offset, wrap) is x
    want = np.zeros(shape)
    if offset:
        want[[1, 2], [0, 1]] = 2.0
    else:
        np.fill_diagonal(want, 2.0, wrap=wrap)
    same(x, want, "float32")


def test_fill_diagonal_by_a_tensor():
    x = proa.zeros([2, 2])
    y = x.fill_diagonal_tensor(proa.to_tensor([1.0, 2.0]))
    same(y, [[1.0, 0.0], [0.0, 2.0]], "float32")
    assert x.fill_diagonal_tensor_(proa.to_tensor([3.0]), 1) is x
    same(x, [[0.0, 3.0], [0.0, 0.0]], "float32")


ERRORS = [
    (lambda x: proa.diagonal(x[0]), "diagonal of a tensor with 1 axes"),
    (lambda x: proa.diagonal(x, axis1=1, axis2=-1), "names an axis twice"),
    (lambda x: proa.diagonal_scatter(x, proa.ones([3])), r"`y` has shape \[3\]"),
    (lambda x: x.unsqueeze(0).fill_diagonal_(1.0), "equal extents of all axes"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 3]))
