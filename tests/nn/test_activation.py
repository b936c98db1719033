"""Activations with code of their own; values of all are in test_layer_catalogue.py."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError


def test_softmax_over_channels():
    x = proa.zeros([2, 4, 3, 3])
    assert nn.Softmax2D()(x).numpy().max() == 0.25
    assert nn.Softmax2D()(x[0]).shape == [4, 3, 3]
    with pytest.raises(InvalidArgumentError, match=r"Softmax2D got an input float32\[2\]"):
        nn.Softmax2D()(proa.zeros([2]))


def test_a_learnt_slope_per_channel():
    layer = nn.PReLU(2, init=0.5)
    x = proa.to_tensor([[[-2.0], [4.0]], [[-6.0], [-8.0]]])
    assert layer(x).tolist() == [[[-1.0], [4.0]], [[-3.0], [-4.0]]]
    layer(x).sum().backward()
    assert layer._weight.grad.tolist() == [-8.0, -8.0]


def test_random_slopes_in_training_only():
    layer = nn.RReLU(0.25, 0.75)
    x = proa.full([1000], -1.0)
    drawn = layer(x).numpy()
    assert drawn.min() >= -0.75
    assert drawn.max() <= -0.25
    assert drawn.std() > 0.1
    assert layer.eval()(x).numpy()[:2].tolist() == [-0.5, -0.5]
    assert repr(layer) == "RReLU(lower=0.25, upper=0.75, training=False, dtype=float32)"
