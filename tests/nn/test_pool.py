"""Pooling layers; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn


# PT#183528, ORT PR#29629: border windows divide by the cells inside input and padding.
def test_border_windows_of_an_average():
    x = proa.arange(1, 17, dtype="float32").reshape([1, 1, 4, 4])
    counted = nn.AvgPool2D(3, 2, 1, ceil_mode=True, exclusive=False)(x).numpy()[0, 0]
    expected = [[14 / 9, 10 / 3, 2], [19 / 3, 11, 6], [4.5, 7.5, 4]]
    np.testing.assert_allclose(counted, expected, rtol=1e-5)
    left_out = nn.AvgPool2D(3, 2, 1, ceil_mode=True)(x).numpy()[0, 0]
    np.testing.assert_allclose(left_out, [[3.5, 5, 6], [9.5, 11, 12], [13.5, 15, 16]])


# onnx/onnx#4958: paddle 3.3.1 gives -3.4e38 and nan.
@pytest.mark.parametrize(("layer", "value"), [(nn.MaxPool1D, 2.0), (nn.AvgPool1D, 1.5)])
def test_a_last_window_that_starts_outside_is_dropped(layer, value):
    x = proa.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])
    assert layer(2, 4, ceil_mode=True)(x).tolist() == [[[value]]]


def test_settings_are_kept_and_printed():
    layer = nn.MaxPool2D(3, stride=2, padding=1, name="m")
    assert repr(layer) == "MaxPool2D(kernel_size=3, stride=2, padding=1, name=m)"
    layer.stride = 1
    assert layer(proa.ones([1, 1, 4, 4])).shape == [1, 1, 4, 4]
    assert nn.AdaptiveMaxPool2d is nn.AdaptiveMaxPool2D
