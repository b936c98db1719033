from __future__ import annotations

import numpy as np
import pytest

from parity.table import (
    Call,
    array,
    bfloat16,
    booleans,
    complexes,
    integers,
    named,
    normal,
    number_rows,
    positive,
    read_table,
    uniform,
)


def _made(described):
    return described.make(np.random.RandomState(0))


@pytest.mark.parametrize(
    ("described", "dtype", "low", "high"),
    [
        (normal(50), "float32", -5, 5),
        (bfloat16(50), "float32", -5, 5),
        (uniform(50, low=2.0, high=3.0, dtype="float64"), "float64", 2, 3),
        (positive(50), "float32", 0.5, 2),
        (integers(50, low=3, high=5, dtype="int32"), "int32", 3, 4),
        (booleans(50), "bool", 0, 1),
    ],
)
def test_a_described_array_is_made_within_its_bounds(described, dtype, low, high):
    values = _made(described)
    assert values.dtype == dtype
    assert values.shape == (50,)
    assert low <= values.min() < values.max() <= high


def test_both_sides_make_the_same_array():
    np.testing.assert_array_equal(_made(normal(3, 4)), _made(normal(3, 4)))


def test_complex_values_have_two_parts():
    values = _made(complexes(4, dtype="complex128"))
    assert values.dtype == "complex128"
    assert np.all(values.imag != 0)


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [([1.5], "float32"), ([2], "int64"), ([True], "bool"), ([1j], "complex64"), ([], "float32")],
)
def test_given_numbers_have_the_dtype_of_a_tensor_of_them(numbers, dtype):
    assert array(numbers).dtype == dtype
    assert _made(array(numbers)).tolist() == numbers


def test_gradients_are_for_floats_that_are_not_fixed():
    assert normal(2).differentiable
    assert complexes(2).differentiable
    assert not normal(2, fixed=True).differentiable
    assert not integers(2).differentiable


def test_a_row_knows_its_room_and_how_it_is_written():
    call = Call("paddle.nn.Linear", 2, 3, also={"forward": 1}, forward=(normal(2),))
    assert call.room == "paddle.nn"
    assert repr(call) == "paddle.nn.Linear(2, 3, forward=1)(normal(2))"
    assert repr(Call("paddle.cast", named("paddle.int8"))) == (
        "paddle.cast(Named(name='paddle.int8'))"
    )


def test_rows_are_numbered_by_name():
    rows = number_rows([Call("a.b"), Call("a.c"), Call("a.b")])
    assert [key for key, _ in rows] == ["a.b#1", "a.c#1", "a.b#2"]


def test_the_table_is_read_from_its_modules():
    table = read_table()
    assert "paddle.add#1" in table
    assert all(call.name.startswith("paddle.") for call in table.values())
