from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, distinct, ints, same

NAN = float("nan")
MOVE = {"low": ("bfloat16",)}


def top(k, axis=-1, largest=True):
    def reference(x, *_):
        order = np.argsort(-x if largest else x, axis, kind="stable").take(range(k), axis)
        return [np.take_along_axis(x, order, axis), order]

    return reference


def kth(k, axis):
    return lambda x, *_: [np.sort(x, axis).take(k - 1, axis), np.argsort(x, axis).take(k - 1, axis)]


def most_frequent(x, *_):
    values, places = [], []
    for row in x:
        found, counts = np.unique(row, return_counts=True)
        values.append(found[counts.argmax()])
        places.append(np.flatnonzero(row == values[-1])[-1])
    return [np.array(values), np.array(places)]


CASES = [
    Case(proa.sort, (distinct(4, 5),), ref=np.sort, low=("float16",)),
    Case(proa.sort, (distinct(4, 5), 0, True), ref=lambda x, *_: -np.sort(-x, 0), **MOVE),
    Case(proa.argsort, (ints(0, 3, 4, 6),), ref=lambda x: np.argsort(x, kind="stable")),
    Case(
        proa.argsort,
        (ints(0, 3, 6, 4), 0, True),
        ref=lambda x, *_: np.argsort(-x, 0, kind="stable"),
    ),
    Case(proa.topk, (distinct(4, 5), 2), ref=top(2), **MOVE),
    Case(proa.topk, (distinct(2, 32), 3), ref=top(3), **MOVE),
    Case(proa.topk, (distinct(4, 5), 3, 0, False), ref=top(3, 0, False), **MOVE),
    Case(proa.kthvalue, (distinct(4, 5), 2), ref=kth(2, -1), **MOVE),
    Case(proa.kthvalue, (distinct(4, 5), 3, 0), ref=kth(3, 0), **MOVE),
    Case(proa.mode, (ints(0, 3, 4, 7).astype("float64"),), ref=most_frequent, grad=False, **MOVE),
    Case(
        proa.searchsorted,
        (np.sort(distinct(8)), distinct(4, 3)),
        ref=np.searchsorted,
        low=(),
    ),
    Case(
        proa.bucketize,
        (ints(0, 9, 4, 2), np.array([1, 3, 5]), False, True),
        ref=lambda x, bounds, *_: np.digitize(x, bounds),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_sort(case):
    check_case(case)


def test_nan_counts_as_the_largest_value():
    x = proa.to_tensor([1.0, NAN, 0.5])
    same(proa.sort(x), [0.5, 1.0, NAN], "float32")
    same(proa.sort(x, descending=True), [NAN, 1.0, 0.5], "float32")
    same(proa.argsort(x, descending=True), [1, 0, 2], "int64")
    same(proa.topk(x, 1, largest=False)[0], [0.5], "float32")
    same(proa.searchsorted(proa.to_tensor([1.0, 3.0]), x), [0, 2, 0], "int64")


def test_ties():
    x = proa.to_tensor([2.0, 1.0, 2.0, 1.0])
    assert [t.tolist() for t in proa.kthvalue(x, 2)] == [1.0, 3]
    assert [t.tolist() for t in proa.topk(x, 3)] == [[2.0, 2.0, 1.0], [0, 2, 1]]
    assert [t.tolist() for t in proa.mode(x)] == [1.0, 3]


def test_kept_axes():
    values, places = proa.kthvalue(proa.to_tensor([[3.0, 1.0, 2.0]]), 2, 1, keepdim=True)
    assert (values.tolist(), places.tolist()) == ([[2.0]], [[2]])
    values, places = proa.mode(proa.to_tensor([[1, 2, 2]]), keepdim=True)
    assert (values.tolist(), places.tolist()) == ([[2]], [[2]])
    assert proa.msort(proa.to_tensor([[2, 1], [1, 2]])).tolist() == [[1, 1], [2, 2]]


def test_0d_tensors():
    x = proa.to_tensor(3.0)
    assert proa.sort(x).item() == 3.0
    assert proa.argsort(x).item() == 0
    for found in (proa.topk(x, 1), proa.kthvalue(x, 1), proa.mode(x)):
        assert [t.tolist() for t in found] == [3.0, 0]


def test_gradient_of_mode_goes_to_the_element_it_names():
    x = proa.to_tensor([1.0, 2.0, 2.0], stop_gradient=False)
    proa.mode(x)[0].backward()
    same(x.grad, [0.0, 0.0, 1.0], "float32")


def test_sequences_per_row_and_other_options():
    rows = proa.to_tensor([[1, 3, 5], [2, 4, 6]])
    same(proa.searchsorted(rows, proa.to_tensor([[3, 6], [3, 6]])), [[1, 3], [1, 2]], "int64")
    line = proa.to_tensor([5, 1, 3])
    order = proa.to_tensor([1, 2, 0])
    same(proa.searchsorted(line, proa.to_tensor([3]), sorter=order), [1], "int64")
    same(proa.searchsorted(rows[0], 3, out_int32=True, side="right"), 2, "int32")


ERRORS = [
    (lambda x: proa.topk(x, 3), "`k` of `topk` is 3 for an axis of extent 2"),
    (lambda x: proa.topk(x, 0), "1 <= k <= 2"),
    (lambda x: proa.kthvalue(x, 3), "`k` of `kthvalue` is 3"),
    (lambda x: proa.searchsorted(x, x, side="up"), "`side` is 'up'"),
    (lambda x: proa.searchsorted(x, x, right=True, side="left"), "without a contradiction"),
    (lambda x: proa.searchsorted(x.unsqueeze(0), x), "equal shapes except the last axis"),
    (lambda x: proa.bucketize(x, x.unsqueeze(0)), r"`sorted_sequence` has shape \[1, 2\]"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.to_tensor([1.0, 2.0]))
