from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same

MOVE = {"low": ("bfloat16",)}
ROWS = np.array([[2], [0], [-1]])
PAIRS = np.array([[0, 1], [3, 2], [0, 1]])


def along(x, index, axis, *_):
    return np.take_along_axis(x, np.broadcast_to(index, (4, index.shape[1])), axis)


CASES = [
    Case(proa.gather, (randn(4, 3), np.array([2, 0, 2])), ref=lambda x, i: x[i], low=("float16",)),
    Case(proa.gather, (randn(4, 3), ROWS), ref=lambda x, i: x[i[:, 0]], **MOVE),
    Case(proa.gather, (randn(4, 3), np.array(1), 1), ref=lambda x, i, a: x[:, i], **MOVE),
    Case(proa.index_select, (randn(4, 3), ints(-3, 3, 5), 1), ref=np.take, **MOVE),
    Case(proa.gather_nd, (randn(4, 3, 2), PAIRS), ref=lambda x, i: x[i[:, 0], i[:, 1]], **MOVE),
    Case(proa.gather_nd, (randn(4, 3), np.array([1, 2])), ref=lambda x, i: x[1, 2], **MOVE),
    Case(
        proa.index_sample,
        (randn(4, 3), ints(0, 3, 4, 2)),
        ref=lambda x, i: np.take_along_axis(x, i, 1),
        **MOVE,
    ),
    Case(proa.take, (randn(4, 3), ints(-12, 12, 2, 5)), ref=np.take, **MOVE),
    Case(
        proa.take,
        (randn(4, 3), ints(-40, 40, 5), "wrap"),
        ref=lambda x, i, mode: np.take(x, i, mode=mode),
        **MOVE,
    ),
    Case(
        proa.take,
        (randn(4, 3), ints(-40, 40, 5), "clip"),
        ref=lambda x, i, mode: np.take(x, i, mode=mode),
        **MOVE,
    ),
    Case(proa.take_along_axis, (randn(4, 3), ints(-3, 3, 1, 2), 1), ref=along, **MOVE),
    Case(
        proa.take_along_axis,
        (randn(4, 3), ints(0, 4, 2, 2), 0, False),
        ref=lambda x, i, *_: x[i, np.arange(2)],
        **MOVE,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_gather(case):
    check_case(case)


def test_the_axis_may_be_a_tensor():
    x = proa.to_tensor([[1, 2], [3, 4]])
    same(proa.gather(x, proa.to_tensor([1]), proa.to_tensor(1)), [[2], [4]], "int64")
    same(proa.take_along_dim(x, proa.to_tensor([[1]]), 0), [[3, 4]], "int64")


def indices(*values):
    return proa.to_tensor(np.array(values, "int64"))


ERRORS = [
    (lambda x: proa.gather(x, indices(2)), OutOfRangeError, "`index` holds 2"),
    (lambda x: proa.gather(x, indices([0, 1])), InvalidArgumentError, "`gather` has shape"),
    (lambda x: proa.gather(x, proa.ones([1])), InvalidTypeError, "is a float32 tensor"),
    (lambda x: proa.gather(x, indices(0), 2), OutOfRangeError, "`axis` is 2"),
    (lambda x: proa.index_select(x, indices(3), 1), OutOfRangeError, "`index` holds 3"),
    (lambda x: proa.gather_nd(x, indices([0, 3])), OutOfRangeError, "`index` holds 3"),
    (lambda x: proa.gather_nd(x, indices([0, 0, 0])), InvalidArgumentError, "at most 2 entries"),
    (lambda x: proa.index_sample(x, indices([-1], [0])), OutOfRangeError, r"places in \[0, 3\)"),
    (lambda x: proa.index_sample(x, indices(0)), InvalidArgumentError, "two matrices"),
    (lambda x: proa.take(x, indices(6)), OutOfRangeError, "`index` holds 6"),
    (lambda x: proa.take(x, indices(0), "skip"), InvalidArgumentError, "`mode` is 'skip'"),
    (lambda x: proa.take_along_axis(x, indices([2]), 0), OutOfRangeError, "`indices` holds 2"),
    (lambda x: proa.take_along_axis(x, indices(0), 0), InvalidArgumentError, "2 axes"),
    (
        lambda x: proa.take_along_axis(x, indices([0, 0]), 0),
        InvalidArgumentError,
        "broadcast=False",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(proa.ones([2, 3]))
