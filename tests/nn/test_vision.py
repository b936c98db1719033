"""Layers for images; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np

import proa
from proa import nn


# PT#183523, PT#79361: paddle 3.3.1 gives the corner, 0.0.
def test_the_mean_of_the_middle_for_a_single_place():
    x = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    assert nn.Upsample(size=[1, 1], mode="bilinear")(x).tolist() == [[[[7.5]]]]


def test_nearest_places_are_rounded_down():
    x = proa.arange(4, dtype="float32").reshape([1, 1, 1, 4])
    found = nn.UpsamplingNearest2D(size=[1, 6])(x).numpy().reshape(-1)
    assert found.tolist() == [0.0, 0.0, 1.0, 2.0, 2.0, 3.0]


def test_shuffling_back_and_forth():
    x = proa.rand([2, 4, 6, 6])
    back = nn.PixelUnshuffle(2)(nn.PixelShuffle(2)(x))
    np.testing.assert_array_equal(back.numpy(), x.numpy())


def test_printing():
    assert repr(nn.PixelShuffle(2, "NHWC", "p")) == (
        "PixelShuffle(upscale_factor=2, data_format=NHWC, name=p)"
    )
    assert repr(nn.UpsamplingBilinear2D(size=[2, 2], name="u")) == (
        "UpsamplingBilinear2D(size=[2, 2], data_format=NCHW, name=u)"
    )
    assert repr(nn.Unfold(2, name="u")) == (
        "Unfold(kernel_size=2, dilation=1, padding=0, stride=1, name=u)"
    )
