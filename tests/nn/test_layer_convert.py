"""Casting and moving layers."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError, UnknownNameError


def make():
    layer = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2))
    layer.register_buffer("steps", proa.to_tensor([1, 2]))
    return layer


def dtypes(layer):
    return {name: tensor.dtype.name for name, tensor in layer.state_dict().items()}


@pytest.mark.parametrize(
    ("cast", "dtype"),
    [
        (lambda layer: layer.to(dtype="float16"), "float16"),
        (lambda layer: layer.astype(proa.bfloat16), "bfloat16"),
        (lambda layer: layer.bfloat16(), "bfloat16"),
        (lambda layer: layer.float16(), "float16"),
        (lambda layer: layer.half(), "float16"),
        (lambda layer: layer.double(), "float64"),
        (lambda layer: layer.double().float(), "float32"),
        (lambda layer: layer.type("float64"), "float64"),
    ],
)
def test_floating_tensors_are_cast_in_place(cast, dtype):
    layer = make()
    handles = dict(layer.state_dict())
    assert cast(layer) is layer
    found = dtypes(layer)
    assert found.pop("steps") == "int64"
    assert set(found.values()) == {dtype}
    assert all(layer.state_dict()[name] is handle for name, handle in handles.items())
    assert layer[0]._dtype == dtype


def test_gradients_are_cast_along():
    layer = nn.Linear(2, 2)
    layer(proa.ones([1, 2])).sum().backward()
    layer.to(dtype="float64")
    assert layer.weight.grad.dtype == "float64"
    assert not layer.weight.stop_gradient


@pytest.mark.parametrize("excluded", [nn.BatchNorm1D, [nn.BatchNorm1D]])
def test_classes_of_layers_can_be_left_out(excluded):
    layer = make().bfloat16(excluded_layers=excluded)
    assert layer[0].weight.dtype == "bfloat16"
    assert layer[1].weight.dtype == "float32"


def test_moving():
    layer = make()
    assert layer.cpu() is layer
    assert layer.to("cpu") is layer
    with pytest.raises(UnknownNameError, match="gpu"):
        layer.cuda()


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="`dtype` is int32"):
        make().to(dtype="int32")
    with pytest.raises(InvalidTypeError, match="'xx' is not a dtype"):
        make().to(dtype="xx")
    with pytest.raises(InvalidArgumentError, match="'xx' is not a place"):
        make().to("xx")
    with pytest.raises(InvalidArgumentError, match="`excluded_layers`"):
        make().float(excluded_layers="BatchNorm1D")
