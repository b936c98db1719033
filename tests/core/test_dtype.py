from __future__ import annotations

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from proa import core
from proa.core import InvalidArgumentError, InvalidTypeError, as_dtype

CASES = [
    ("float32", "float32"),
    ("paddle.int8", "int8"),
    (float, "float32"),
    (int, "int64"),
    (bool, "bool"),
    (np.float64, "float64"),
    (np.dtype("int16"), "int16"),
    (ml_dtypes.bfloat16, "bfloat16"),
    (core.complex64, "complex64"),
    ("double", "float64"),
    ("half", "float16"),
]


@pytest.mark.parametrize(("value", "name"), CASES, ids=str)
def test_dtypes_are_read_from_many_spellings(value, name):
    assert as_dtype(value).name == name
    assert as_dtype(value) is as_dtype(name)


@pytest.mark.parametrize("bad", ["float31", object(), 3.5, "str"])
def test_what_is_no_dtype_is_refused(bad):
    with pytest.raises(InvalidTypeError, match="is not a dtype"):
        as_dtype(bad)


def test_a_dtype_prints_and_compares_as_in_paddle():
    assert repr(core.float32) == "paddle.float32"
    assert core.float32 == "float32" == core.float32
    assert core.float32 == np.float32
    assert core.float32 != "float64"
    assert core.float32 != None  # noqa: E711
    assert len({core.float32, as_dtype("float32")}) == 1
    assert pickle.loads(pickle.dumps(core.bfloat16)) is core.bfloat16
    assert copy.deepcopy(core.bfloat16) is core.bfloat16


def test_the_default_dtype_can_be_changed_to_floating_ones_only():
    assert core.get_default_dtype() == "float32"
    core.set_default_dtype("float64")
    try:
        assert core.to_tensor(1.5).dtype == "float64"
        assert core.to_tensor([1, 2]).dtype == "int64"
    finally:
        core.set_default_dtype("float32")
    with pytest.raises(InvalidArgumentError, match="`d` is int64"):
        core.set_default_dtype("int64")


def test_a_tensor_is_no_dtype():
    with pytest.raises(InvalidTypeError, match="is not a dtype"):
        as_dtype(core.Tensor([2.0]))
