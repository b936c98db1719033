"""The base of layers that keep the settings of one function."""

from __future__ import annotations

import inspect

import pytest

import proa
from proa import nn


def test_settings_are_attributes_that_may_be_changed():
    layer = nn.LeakyReLU(0.5)
    x = proa.to_tensor([-2.0])
    assert layer(x).tolist() == [-1.0]
    layer.negative_slope = 0.25
    assert layer(x).tolist() == [-0.5]
    assert repr(layer) == "LeakyReLU(negative_slope=0.25)"


def test_settings_by_position_and_by_name():
    assert nn.Hardtanh(-2.0, 3.0).max == nn.Hardtanh(max=3.0).max == 3.0
    assert nn.ReLU(name="r").name == "r"
    assert repr(nn.ELU(name="e")) == "ELU(alpha=1.0, name=e)"


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'slope'"):
        nn.LeakyReLU(slope=1)
    with pytest.raises(TypeError, match="groups"):
        nn.Maxout()


def test_tensors_among_the_settings_move_with_the_layer_and_are_not_saved():
    loss = nn.CrossEntropyLoss(weight=proa.ones([3]))
    assert list(loss.state_dict()) == []
    assert loss.to(dtype="float64").weight.dtype == "float64"


def test_a_subclass_of_ones_own_needs_no_declaration():
    class Leaky(nn.LeakyReLU):
        extra: int = 3

        def __init__(self):
            super().__init__(0.1)

    assert Leaky().negative_slope == 0.1
    assert list(inspect.signature(Leaky).parameters) == []
    assert Leaky()(proa.to_tensor([-1.0])).tolist() == pytest.approx([-0.1])


def test_the_mode_reaches_functions_that_ask_for_it():
    layer = nn.Dropout(1.0)
    x = proa.ones([3])
    assert layer(x).tolist() == [0.0, 0.0, 0.0]
    assert layer.eval()(x).tolist() == [1.0, 1.0, 1.0]
