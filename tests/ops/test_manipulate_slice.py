from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, randn, same

MOVE = {"low": ("bfloat16",)}


def windows(x, *_):
    return np.stack([x[:, 0:3], x[:, 2:5]], 1)


def select_scattered(x, value, *_):
    return np.stack([x[:, 0], value, x[:, 2]], 1)


def slice_scattered(x, value, *_):
    y = x.copy()
    y[:, 2::-2] = value
    return y


CASES = [
    Case(proa.slice, (randn(4, 5), [0, 1], [1, -3], [9, -1]), ref=lambda x, *_: x[1:9, -3:-1]),
    Case(
        proa.strided_slice,
        (randn(4, 5), [1], [4], [0], [-2]),
        ref=lambda x, *_: x[:, 4:0:-2],
        **MOVE,
    ),
    Case(proa.narrow, (randn(4, 5), 1, -2, 2), ref=lambda x, *_: x[:, -2:], **MOVE),
    Case(proa.crop, (randn(4, 5), [-1, 2], [0, 1]), ref=lambda x, *_: x[:, 1:3], **MOVE),
    Case(proa.select_scatter, (randn(4, 3), randn(4), 1, 1), ref=select_scattered, **MOVE),
    Case(
        proa.slice_scatter,
        (randn(4, 3), randn(4, 2), [1], [2], [-9], [-2]),
        ref=slice_scattered,
        **MOVE,
    ),
    Case(
        proa.as_strided,
        (randn(12), [2, 3], [4, 1]),
        ref=lambda x, *_: np.stack([x[0:3], x[4:7]]),
        **MOVE,
    ),
    Case(proa.unfold, (randn(4, 5), 1, 3, 2), ref=windows, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_slice(case):
    check_case(case)


def test_as_strided_begins_at_a_byte():
    x = proa.arange(6, dtype="float32")
    assert proa.as_strided(x, [2, 2], [3, 1], 4).tolist() == [[1.0, 2.0], [4.0, 5.0]]


def test_bounds_by_tensors():
    x = proa.arange(6)
    same(proa.slice(x, [0], proa.to_tensor([1]), proa.to_tensor([3])), [1, 2], "int64")
    same(proa.slice(x, [0], [proa.to_tensor(1)], [proa.to_tensor([3])]), [1, 2], "int64")


ERRORS = [
    (
        lambda x: proa.slice(x, [0, 1], [0], [1]),
        InvalidArgumentError,
        "`axes` names 2 axes, `starts` has 1, `ends` has 1",
    ),
    (lambda x: proa.slice(x, [0, 0], [0, 0], [1, 1]), InvalidArgumentError, "names an axis twice"),
    (
        lambda x: proa.strided_slice(x, [0], [0], [1], [0]),
        InvalidArgumentError,
        "a slice with step 0",
    ),
    (lambda x: x.narrow(0, 1, 2), OutOfRangeError, r"narrow to \[1, 3\) of axis 0 of extent 2"),
    (lambda x: proa.crop(x, [1]), InvalidArgumentError, "2 extents and 2 offsets"),
    (lambda x: proa.crop(x, [2, 3], [1, 0]), InvalidArgumentError, "a box inside the tensor"),
    (
        lambda x: proa.select_scatter(x, x, 0, 0),
        InvalidArgumentError,
        r"`values` has shape \[2, 3\]",
    ),
    (lambda x: proa.as_strided(x, [2], [6]), InvalidArgumentError, "reaches element 6"),
    (lambda x: proa.as_strided(x, [2], [1], 2), InvalidArgumentError, "an offset of 2 bytes"),
    (lambda x: proa.as_strided(x, [2], [1, 1]), InvalidArgumentError, "one stride per axis"),
    (lambda x: x.unfold(0, 3, 1), InvalidArgumentError, "windows of size 3"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(proa.ones([2, 3]))
