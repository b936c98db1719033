"""Tensor classes of one dtype."""

from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError

CLASSES = {
    "BFloat16Tensor": "bfloat16",
    "BoolTensor": "bool",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "DoubleTensor": "float64",
    "FloatTensor": "float32",
    "HalfTensor": "float16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "ShortTensor": "int16",
}


@pytest.mark.parametrize(("name", "dtype"), CLASSES.items())
@pytest.mark.parametrize("room", [proa, proa.device, proa.cuda], ids=lambda room: room.__name__)
def test_makes_tensors_of_its_dtype(room, name, dtype):
    made = getattr(room, name)([1, 0])
    assert type(made) is proa.Tensor
    assert made.dtype == dtype
    assert made.astype("int64").tolist() == [1, 0]
    assert isinstance(made, getattr(room, name))
    assert not isinstance(proa.zeros([1], "complex64"), getattr(room, name))
    assert not isinstance(made.numpy(), getattr(room, name))


def test_takes_lengths_values_or_nothing():
    assert proa.FloatTensor(2, 3).shape == [2, 3]
    assert proa.FloatTensor((2, 3)).tolist() == [2.0, 3.0]
    assert proa.FloatTensor().shape == [0]
    assert proa.LongTensor(proa.to_tensor([1.5])).tolist() == [1]
    assert proa.IntTensor([1], device="cpu").tolist() == [1]


def test_refuses_other_arguments():
    with pytest.raises(InvalidArgumentError, match="`FloatTensor` is given `dtype`"):
        proa.FloatTensor([1.0], dtype="int32")
    with pytest.raises(InvalidArgumentError, match=r"`FloatTensor\(\[1\], 2\)`"):
        proa.FloatTensor([1], 2)


def test_tensor_takes_torch_keywords():
    made = proa.tensor([1, 2], dtype="float64", device="cpu", requires_grad=True)
    assert made.dtype == "float64"
    assert not made.stop_gradient
    assert proa.tensor(3).dtype == "int64"
