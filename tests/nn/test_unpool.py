"""Unpooling; values are in test_layer_catalogue.py."""

from __future__ import annotations

import proa
from proa import nn


def test_unpooling_puts_values_back():
    x = proa.to_tensor([[[[1.0, 5.0, 2.0, 0.0], [3.0, 4.0, 1.0, 9.0]]]])
    pooled, positions = nn.MaxPool2D(2, return_mask=True)(x)
    back = nn.MaxUnPool2D(2)(pooled, positions)
    assert back.tolist() == [[[[0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 9.0]]]]


def test_the_output_size_may_be_given_at_the_call():
    pooled, positions = nn.MaxPool1D(2, return_mask=True)(proa.to_tensor([[[1.0, 5.0, 2.0]]]))
    assert nn.MaxUnPool1D(2)(pooled, positions).shape == [1, 1, 2]
    assert nn.MaxUnPool1D(2)(pooled, positions, output_size=[1, 1, 3]).shape == [1, 1, 3]
    assert nn.MaxUnPool1D(2, output_size=[1, 1, 3])(pooled, positions).shape == [1, 1, 3]


def test_the_norm_of_a_window():
    layer = nn.LPPool1D(2, 2)
    assert layer(proa.to_tensor([[[3.0, 4.0]]])).tolist() == [[[5.0]]]
    assert repr(layer) == "LPPool1D(norm_type=2.0, kernel_size=2, stride=None, padding=0)"
    assert nn.LPPool2d is nn.LPPool2D
