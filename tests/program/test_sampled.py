from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ProgramError, get_op
from proa.program import Value, make_dimension
from proa.program._sampled import sampled_shapes

ROWS, COLUMNS = make_dimension("rows"), make_dimension("columns")


class Made:
    """An op of one function."""

    name, jit = "made", True

    def __init__(self, fn):
        self.fn = fn

    def array_fn(self, key):
        return lambda *arrays: self.fn(*arrays, *key)


def shapes(fn, *inputs, key=()):
    found = sampled_shapes(Made(fn), key, [Value(shape, np.float32) for shape in inputs])
    return None if found is None else [str(d) for d in found.shape]


def test_sizes_that_are_linear_in_the_unknown_ones_are_found():
    def wide(x):
        assert x.shape[0] > 2
        return np.zeros((x.shape[0] * 2 + 1, x.shape[0] + x.shape[1], 5), np.float32)

    assert shapes(wide, (ROWS, COLUMNS)) == ["2*rows + 1", "rows + columns", "5"]


def test_sizes_may_stand_in_attributes():
    assert shapes(lambda x, size: x[:1].repeat(size, 0), (ROWS,), key=(COLUMNS,)) == ["columns"]


def test_a_size_of_an_input_is_found_where_no_formula_fits():
    # Two ways down and up again: a pyramid of features, whose strides divide the size.
    halved = ROWS // 2
    again = ((ROWS - 1) // 4 + 1) * 2

    def added(x, y):
        assert x.shape == y.shape
        return x

    assert shapes(added, (halved, 3), (again, 3)) == [str(halved), "3"]
    assert shapes(lambda x: np.zeros(x.shape[0] // 3), (halved,)) is None


def test_sizes_that_are_not_linear_or_fail_are_not_guessed():
    assert shapes(lambda x: np.zeros(x.shape[0] // 2), (ROWS,)) is None
    assert shapes(lambda x: np.zeros(x.shape[0] ** 2 % 1000), (ROWS,)) is None
    assert shapes(lambda x: np.zeros((1,) * (1 + x.shape[0] % 7)), (ROWS,)) is None
    assert shapes(lambda x: x.missing, (ROWS,)) is None
    assert shapes(lambda x: x, (3,)) is None


def test_a_question_without_an_answer_keeps_its_message():
    with proa.program.recording() as recorder:
        x = recorder.add_input((ROWS, 4), np.float32, "x")
        assert proa.topk(x, 2, axis=0)[0].shape == [2, 4]
        with pytest.raises(ProgramError, match="cannot be recorded"):
            proa.reshape(x, [7, -1])
    assert get_op("topk").jit
