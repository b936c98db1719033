from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidTypeError

SHAPES = [[2, 3], (), (np.int64(2), proa.to_tensor(3)), proa.to_tensor([2, 3])]


@pytest.mark.parametrize("shape", SHAPES, ids=["list", "tuple", "entries", "tensor"])
def test_shapes_pass(shape):
    assert proa.check_shape(shape, "f") is None


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("ab", "`shape` of `f` is 'ab'"),
        ([1.5], "`shape` of `f` has an entry 1.5"),
        ([True], "`shape` of `f` has an entry True"),
        (proa.to_tensor([1.0]), "`shape` of `f` has the dtype float32"),
    ],
)
def test_other_values_are_refused(shape, message):
    with pytest.raises(InvalidTypeError, match=message):
        proa.check_shape(shape, "f")
