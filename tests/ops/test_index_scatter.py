from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, distinct, randn, same

MOVE = {"low": ("bfloat16",)}
ONCE, TWICE = np.array([2, 0]), np.array([2, 1, 0, 1])
PLACES = np.array([[0, 0, 1]])
ONE_EACH = np.array([[0, 2]])


def put(x, index, value):
    y = x.copy()
    y[index] = value
    return y


def added(x, index, value, fresh=False):
    y = x.copy()
    if fresh:
        y[index] = 0
    np.add.at(y, index, value)
    return y


def reduced(reduce, own=True):
    def reference(x, index, value, *_):
        y = x.copy()
        for row in range(index.shape[0]):
            for place in set(index[row]):
                chosen = list(value[row][index[row] == place]) + [x[row, place]] * own
                y[row, place] = reduce(chosen)
        return y

    return reference


def along(reduce, own, reference, index=PLACES, **options):
    call = (distinct(1, 4), index, distinct(1, index.shape[1]) + 0.1, 1, reduce, own, False)
    options = {**MOVE, **options}
    return Case(
        proa.put_along_axis, call, ref=reduced(reference, own), id=f"{reduce}, {own}", **options
    )


CASES = [
    Case(proa.scatter, (randn(4, 3), ONCE, randn(2, 3)), ref=put, low=("float16",)),
    Case(
        proa.scatter,
        (randn(4, 3), TWICE, randn(4, 3), False),
        ref=lambda x, i, v, _: added(x, i, v, fresh=True),
        **MOVE,
    ),
    Case(
        proa.scatter_nd_add,
        (randn(4, 3), np.array([[1, 2], [0, 0], [1, 2]]), randn(3)),
        ref=lambda x, i, v: added(x, tuple(i.T), v),
        **MOVE,
    ),
    Case(
        proa.scatter_nd,
        (np.array([[1], [3], [1]]), randn(3, 2), [4, 2]),
        ref=lambda i, v, s: added(np.zeros(s), i[:, 0], v),
        **MOVE,
    ),
    Case(
        proa.index_add,
        (randn(4, 3), np.array([2, 2]), 1, randn(4, 2), 2),
        ref=lambda x, i, a, v, _: added(x.T, i, 2 * v.T).T,
        **MOVE,
    ),
    Case(proa.index_fill, (randn(4, 3), ONCE, 0, 5.0), ref=lambda x, i, *_: put(x, i, 5.0), **MOVE),
    Case(
        proa.put_along_axis,
        (randn(4, 3), np.array([[1]]), 9.0, 1),
        ref=lambda x, *_: put(x, (slice(None), 1), 9.0),
        **MOVE,
    ),
    along("assign", True, lambda values: values[0], ONE_EACH),
    along("add", True, sum),
    along("add", False, sum),
    along("mul", True, np.prod),
    along("multiply", False, np.prod, grad=False),
    along("mean", True, np.mean),
    along("mean", False, np.mean),
    along("amin", True, min),
    along("amax", False, max),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_scatter(case):
    check_case(case)


def test_the_last_row_wins_when_a_row_is_named_twice():
    x = proa.scatter(proa.zeros([3]), proa.to_tensor([1, 1]), proa.to_tensor([5.0, 6.0]))
    same(x, [0.0, 6.0, 0.0], "float32")


def test_a_column_and_a_number_as_index():
    column = proa.scatter(proa.zeros([3, 1]), proa.to_tensor([[1]]), proa.ones([1, 1]))
    same(column, [[0.0], [1.0], [0.0]], "float32")
    same(
        proa.scatter(proa.zeros([3]), proa.to_tensor(-1), proa.to_tensor(2.0)), [0, 0, 2], "float32"
    )


def test_index_put_takes_arrays_and_masks():
    x = proa.zeros([2, 2])
    places = (proa.to_tensor([0, 0]), proa.to_tensor([1, 1]))
    same(proa.index_put(x, places, proa.to_tensor(5.0)), [[0, 5], [0, 0]], "float32")
    same(proa.index_put(x, places, proa.to_tensor(5.0), True), [[0, 10], [0, 0]], "float32")
    mask = proa.to_tensor([[True, False], [False, True]])
    same(proa.index_put(x, (mask,), proa.to_tensor([1.0, 2.0])), [[1, 0], [0, 2]], "float32")
    same(proa.index_put(x + 1, (mask,), proa.to_tensor(1.0), True), [[2, 1], [1, 2]], "float32")
    assert x.index_put_(places, proa.to_tensor(1.0)) is x
    assert x.sum().item() == 1.0


def test_inplace_forms_write_into_their_tensor():
    one = proa.to_tensor([1])
    x = proa.zeros([3])
    assert x.scatter_(one, proa.ones([1])) is x
    x.index_add_(one, 0, proa.ones([1]))
    x.index_fill_(proa.to_tensor([0]), 0, 7.0)
    x.put_along_axis_(proa.to_tensor([2]), 4.0, 0)
    x.scatter_add_(0, one, proa.ones([1]))
    same(x, [7.0, 3.0, 4.0], "float32")


def test_torch_like_forms():
    x = proa.to_tensor([[10.0, 30.0, 20.0], [60.0, 40.0, 50.0]])
    index, source = proa.to_tensor([[0, 0, 1]]), proa.to_tensor([[1.0, 2.0, 3.0]])
    same(proa.scatter_add(x, 1, index, source), [[13, 33, 20], [60, 40, 50]], "float32")
    for reduce, first in (("sum", 13), ("prod", 20), ("mean", 13 / 3), ("amin", 1), ("amax", 10)):
        got = proa.scatter_reduce(x, 1, index, source, reduce)
        assert got[0, 0].item() == pytest.approx(first)
        assert got[1].tolist() == [60.0, 40.0, 50.0]


def test_means_of_integers_are_rounded_down():
    x = proa.put_along_axis(
        proa.to_tensor([5, 1]), proa.to_tensor([0, 0]), proa.to_tensor([2, 4]), 0, "mean"
    )
    same(x, [3, 1], "int64")


def test_equal_extremes_share_the_gradient():
    x = proa.to_tensor([2.0, 1.0], stop_gradient=False)
    values = proa.to_tensor([2.0, 1.0], stop_gradient=False)
    proa.put_along_axis(x, proa.to_tensor([0, 0]), values, 0, "amax").sum().backward()
    same(x.grad, [0.5, 1.0], "float32")
    same(values.grad, [0.5, 0.0], "float32")


ROW = proa.ones([1, 3])
ERRORS = [
    (lambda x, i: proa.scatter(x, i + 2, ROW), OutOfRangeError, "`index` holds 2"),
    (lambda x, i: proa.scatter(x, ROW, ROW), InvalidTypeError, "`scatter` is a float32"),
    (lambda x, i: proa.scatter(x, i, proa.ones([2, 3])), InvalidArgumentError, "is assigned to"),
    (lambda x, i: proa.scatter_nd_add(x, i + 5, proa.ones([3])), OutOfRangeError, "holds 5"),
    (lambda x, i: proa.scatter_nd(i + 5, proa.ones([]), [3]), OutOfRangeError, "holds 5"),
    (lambda x, i: proa.index_add(x, i + 3, 1, ROW), OutOfRangeError, "`index` holds 3"),
    (lambda x, i: proa.index_fill(x, i + 3, 1, 0.0), OutOfRangeError, "`index` holds 3"),
    (lambda x, i: proa.index_put(x, (i + 2,), ROW), OutOfRangeError, "`index` holds 2"),
    (
        lambda x, i: proa.put_along_axis(x, i.unsqueeze(0) + 2, 0.0, 0),
        OutOfRangeError,
        "`indices` holds 2",
    ),
    (
        lambda x, i: proa.put_along_axis(x, i.unsqueeze(0), 0.0, 0, "max"),
        InvalidArgumentError,
        "`reduce` is 'max'",
    ),
    (
        lambda x, i: proa.scatter_reduce(x, 0, i.unsqueeze(0), x, "add"),
        InvalidArgumentError,
        "`reduce` is 'add'",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(proa.ones([2, 3]), proa.to_tensor([0]))
