from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same

one_hot = proa.nn.functional.one_hot


def chosen(inputs, index):
    return np.stack([inputs[i][row] for row, i in enumerate(index[:, 0])])


CASES = [
    Case(one_hot, (ints(0, 5, 4, 2), 5), ref=lambda x, n: np.eye(n)[x]),
    Case(
        proa.shard_index,
        (ints(0, 20, 4, 1), 20, 3, 1),
        ref=lambda x, *_: np.where(x // 7 == 1, x % 7, -1),
    ),
    Case(
        proa.multiplex,
        ([randn(4, 3), randn(4, 3)], ints(0, 2, 4, 1, dtype="int32")),
        ref=chosen,
        low=("bfloat16",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_label(case):
    check_case(case)


def test_number_of_classes_is_counted_when_it_is_not_given():
    same(one_hot(proa.to_tensor([1, 0])), [[0.0, 1.0], [1.0, 0.0]], "float32")
    same(one_hot(proa.to_tensor(1), 3), [0.0, 1.0, 0.0], "float32")
    assert one_hot(proa.zeros([0], "int64")).shape == [0, 0]


ERRORS = [
    (lambda x: one_hot(x, 2), OutOfRangeError, "`x` of `one_hot` holds 2"),
    (lambda x: one_hot(x - 1, 3), OutOfRangeError, "`one_hot` holds -1"),
    (lambda x: one_hot(x * 0.5, 3), InvalidTypeError, "`x` of `one_hot` is a float32"),
    (lambda x: one_hot(x, -2), InvalidArgumentError, "`num_classes` is -2"),
    (lambda x: proa.shard_index(x, 20, 2, 2), InvalidArgumentError, "`shard_id` is 2 of 2"),
    (lambda x: proa.multiplex([x, x], x), OutOfRangeError, "`index` of `multiplex` holds 2"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(proa.to_tensor([0, 2]))
