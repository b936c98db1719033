from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, bools, case_ids, check_case, ints, randn, same

CASES = [
    Case(proa.logical_and, (bools(4, 3), bools(3)), ref=np.logical_and),
    Case(proa.logical_or, (bools(4, 3), bools(3)), ref=np.logical_or),
    Case(proa.logical_xor, (bools(4, 3), bools(3)), ref=np.logical_xor),
    Case(proa.logical_not, (bools(4, 3),), ref=np.logical_not),
    Case(proa.logical_and, (randn(4), ints(0, 2, 4)), ref=np.logical_and, id="of numbers"),
    Case(proa.bitwise_and, (ints(-9, 9, 4, 3), ints(-9, 9, 3)), ref=np.bitwise_and),
    Case(proa.bitwise_or, (ints(-9, 9, 4, 3), ints(-9, 9, 3)), ref=np.bitwise_or),
    Case(proa.bitwise_xor, (ints(-9, 9, 4, 3), ints(-9, 9, 3)), ref=np.bitwise_xor),
    Case(proa.bitwise_xor, (bools(4), bools(4)), ref=np.bitwise_xor, id="of booleans"),
    Case(proa.bitwise_not, (ints(-9, 9, 4),), ref=np.bitwise_not),
    Case(proa.bitwise_not, (bools(4),), ref=np.bitwise_not),
    Case(proa.bitwise_left_shift, (ints(-9, 9, 4), ints(0, 9, 4)), ref=np.left_shift),
    Case(proa.bitwise_right_shift, (ints(-99, 99, 4), ints(0, 9, 4)), ref=np.right_shift),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_logic(case):
    check_case(case)


def test_shifts_beyond_the_width():
    far = proa.to_tensor([70, -1])
    same(proa.bitwise_left_shift(proa.to_tensor([-1, 1]), far), [0, 0])
    same(proa.bitwise_right_shift(proa.to_tensor([8, -8]), far), [0, -1])


def test_logical_shift_brings_in_zeros():
    x, y = proa.to_tensor([8, -8], dtype="int8"), proa.to_tensor([2, 1], dtype="int8")
    same(proa.bitwise_right_shift(x, y, False), [2, 124], "int8")
    same(proa.bitwise_right_shift(x, y), [2, -4], "int8")


INPLACE = ["bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"]


@pytest.mark.parametrize("name", [*INPLACE, "bitwise_left_shift", "bitwise_right_shift"])
def test_in_place_forms(name):
    x, y = proa.to_tensor([6, 3]), proa.to_tensor([3, 1])
    want = getattr(proa, name)(x, y).numpy()
    assert getattr(x, f"{name}_")(y) is x
    same(x, want)


@pytest.mark.parametrize("name", ["bitwise_not", "bitwise_invert", "logical_not"])
def test_in_place_forms_of_one_tensor(name):
    x = proa.to_tensor([True, False])
    assert getattr(x, f"{name}_")() is x
    same(x, [False, True])


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bits_of_floats_are_refused(name):
    with pytest.raises(TypeError, match=f"`{name}` of a float32 tensor"):
        getattr(proa, name)(proa.ones([1]), proa.ones([1]))


def test_other_errors():
    with pytest.raises(TypeError, match="`bitwise_not` of a float32"):
        proa.bitwise_not(proa.ones([1]))
    with pytest.raises(TypeError, match="`bitwise_left_shift` of bool"):
        proa.bitwise_left_shift(proa.to_tensor([True]), proa.to_tensor([True]))
    with pytest.raises(TypeError, match="`bitwise_right_shift` of a float32"):
        proa.bitwise_right_shift(proa.ones([1]), proa.to_tensor([1]))
