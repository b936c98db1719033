"""Arguments of padding layers; values are in test_layer_catalogue.py."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError


def test_one_number_stands_for_all_sides():
    assert nn.Pad3D(2).padding == [2] * 6
    assert nn.ZeroPad2D([1, 2, 3, 4])(proa.ones([1, 1, 2, 2])).shape == [1, 1, 9, 5]


def test_channels_last():
    assert nn.Pad2D(1, data_format="NHWC")(proa.ones([1, 2, 2, 1])).shape == [1, 4, 4, 1]


def test_a_list_of_another_length_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"Pad2D: `padding` is \[1, 2\]"):
        nn.Pad2D([1, 2])


def test_names_in_lower_case_and_printing():
    assert nn.ConstantPad2d is nn.ConstantPad2D
    assert nn.CircularPad1d is nn.CircularPad1D
    shown = "ConstantPad1D(padding=[1, 1], mode=constant, value=2.0, data_format=NCL, name=c)"
    assert repr(nn.ConstantPad1D(1, 2.0, name="c")) == shown
