from __future__ import annotations

import inspect

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, freeze, op


def test_the_public_function_has_the_ops_signature_plus_name():
    assert list(inspect.signature(proa.matmul).parameters)[:5] == [
        "x",
        "y",
        "transpose_x",
        "transpose_y",
        "name",
    ]


def test_attributes_are_checked_by_name():
    x = proa.ones([2, 2])
    with pytest.raises(InvalidTypeError, match=r"`axis` of `softmax` is 1.5 \(float\)"):
        proa.nn.functional.softmax(x, axis=1.5)
    with pytest.raises(InvalidTypeError, match="is not a dtype"):
        x.astype("float33")


def test_numpy_integers_and_one_element_tensors_are_integers():
    x = proa.ones([2, 3])
    for axis in (1, np.int64(1), proa.to_tensor(1)):
        assert proa.sum(x, axis=axis).shape == [2]


def test_what_is_no_tensor_is_refused_with_the_parameter():
    with pytest.raises(InvalidTypeError, match="`y` of op `matmul` is None"):
        proa.matmul(proa.ones([2, 2]), None)
    with pytest.raises(InvalidTypeError, match="`x` of op `exp` is 'a'"):
        proa.exp("a")


def test_wrong_shapes_name_the_op_and_its_inputs():
    with pytest.raises(InvalidArgumentError, match="`matmul` of shapes") as caught:
        proa.matmul(proa.ones([2, 3]), proa.ones([2, 3]))
    assert not hasattr(caught.value, "__notes__")
    with pytest.raises(InvalidArgumentError, match=r"op `add`.*x: float32\[2\], y: float32\[3\]"):
        proa.add(proa.ones([2]), proa.ones([3]))


def test_an_unknown_annotation_is_refused_at_declaration():
    with pytest.raises(InvalidArgumentError, match="annotation 'Colour'"):

        @op(name="op_with_odd_annotation", method=None)
        def odd(x: Array, colour: Colour):  # noqa: F821
            return x


def test_freeze_makes_nested_values_hashable():
    assert freeze([1, [2.5, np.int32(3)], (None,)]) == (1, (2.5, 3), (None,))
    with pytest.raises(InvalidTypeError, match="a plain value"):
        freeze({"a": 1}, "attr", "op")


@pytest.mark.parametrize(
    "axis", [np.array([1.5]), proa.to_tensor([0.0]), proa.to_tensor(1j), "x", [["y"]]]
)
def test_floats_and_strings_are_no_integers(axis):
    with pytest.raises(InvalidTypeError, match="`axis` of `sum`"):
        proa.sum(proa.ones([2, 2]), axis=axis)
