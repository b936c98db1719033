from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import proa
import proa.nn
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Parameter,
    PreconditionError,
    Tensor,
    attach_method,
)

DATA = [
    (1, "int64", []),
    (1.5, "float32", []),
    (True, "bool", []),
    (1 + 2j, "complex64", []),
    ([1, 2], "int64", [2]),
    ([[1.0], [2.0]], "float32", [2, 1]),
    ([], "float32", [0]),
    (np.float64(1.5), "float64", []),
    (np.zeros((2, 0), np.int16), "int16", [2, 0]),
    (range(3), "int64", [3]),
]


@pytest.mark.smoke
@pytest.mark.parametrize(("data", "dtype", "shape"), DATA, ids=str)
def test_data_becomes_a_tensor_of_paddles_dtype(data, dtype, shape):
    t = proa.to_tensor(data)
    assert (t.dtype, t.shape) == (dtype, shape)
    np.testing.assert_array_equal(t.numpy(), np.array(data, dtype=t.numpy().dtype))


def test_a_tensor_has_a_buffer_of_its_own():
    array = np.zeros(2, np.float32)
    t = proa.to_tensor(array)
    array[0] = 1
    t.numpy()[1] = 1
    assert t.tolist() == [0.0, 0.0]


def test_tensors_inside_lists_are_stacked():
    assert proa.to_tensor([proa.to_tensor(1.0), 2.0]).tolist() == [1.0, 2.0]


BAD = [
    (lambda: proa.to_tensor([[1, 2], [3]]), InvalidArgumentError, "ragged"),
    (lambda: proa.to_tensor("abc"), InvalidTypeError, "not numbers"),
    (lambda: proa.to_tensor([300], dtype="int8"), InvalidArgumentError, "300 does not fit int8"),
    (lambda: proa.to_tensor(1, dtype="float31"), InvalidTypeError, "is not a dtype"),
    (lambda: proa.ones([2]).item(), InvalidArgumentError, r"item\(\) on a tensor of shape \[2\]"),
    (lambda: bool(proa.ones([2])), InvalidArgumentError, "exactly one element"),
    (lambda: len(proa.to_tensor(1.0)), InvalidTypeError, "0-d tensor"),
    (lambda: [1, 2][proa.to_tensor(1.0)], InvalidTypeError, "used as an index"),
    (lambda: Tensor().numpy(), PreconditionError, "holds no data"),
    (lambda: attach_method("numpy", len), InvalidArgumentError, "declared twice"),
]


@pytest.mark.parametrize(("call", "error", "match"), BAD, ids=[m for _, _, m in BAD])
def test_bad_input_is_refused_with_a_reason(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_python_takes_a_one_element_tensor_for_a_number():
    t = proa.to_tensor([2])
    assert (int(t), float(t), bool(t), [5, 6, 7][t], f"{proa.to_tensor(1.5):.2f}") == (
        2,
        2.0,
        True,
        7,
        "1.50",
    )


def test_copies_and_pickles_are_independent():
    weight = Parameter(np.float32([1.0, 2.0]))
    weight.name = "w"
    # A copy in the same process has a name of its own, as in Paddle.
    for twin, name in (
        (copy.deepcopy(weight), r"w_deepcopy_\d+"),
        (pickle.loads(pickle.dumps(weight)), "w"),
    ):
        assert (type(twin), twin.trainable) == (Parameter, True)
        assert re.fullmatch(name, twin.name)
        assert twin.tolist() == [1.0, 2.0]
        with proa.no_grad():
            twin.add_(1.0)
    assert weight.tolist() == [1.0, 2.0]


def test_names_are_unique_and_can_be_set():
    a, b = proa.ones([1]), proa.ones([1])
    assert a.name != b.name
    a.name = "mine"
    assert a.name == "mine"


@pytest.mark.parametrize("convert", [float, int])
def test_complex_values_are_no_real_numbers(convert):
    with pytest.raises(TypeError, match=rf"{convert.__name__}\(\) of a complex64 tensor"):
        convert(proa.to_tensor(1j))
    assert complex(proa.to_tensor(1j)) == 1j


def test_complex_values_do_not_become_real_ones_by_the_way():
    for call in (
        lambda: proa.to_tensor(np.array([1j]), dtype="float32"),
        lambda: proa.to_tensor(proa.to_tensor([1j]), dtype="float64"),
        lambda: proa.ones([1]).fill_(1j),
    ):
        with pytest.raises(TypeError, match="complex"):
            call()
    assert proa.to_tensor([1j, 0j], dtype="bool").tolist() == [True, False]


@pytest.mark.parametrize("index", [(7,), (0, 0, 0), ("a",)])
def test_item_takes_a_place_in_the_tensor(index):
    with pytest.raises(IndexError, match=r"item\(.*\) on a tensor of shape \[3\]"):
        proa.arange(3).item(*index)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_integers_have_no_nan(value):
    with pytest.raises(ValueError, match="NaN or Inf for a int8 tensor"):
        proa.to_tensor([value], dtype="int8")


def test_complex_values_do_not_lose_their_imaginary_part_in_numpy():
    x = proa.to_tensor([1 + 2j])
    assert np.asarray(x, np.complex128).tolist() == [1 + 2j]
    with pytest.raises(TypeError, match="float64 of a complex64 tensor"):
        np.asarray(x, np.float64)
