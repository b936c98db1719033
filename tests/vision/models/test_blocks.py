"""Blocks that models share."""

from __future__ import annotations

import pytest

from proa import nn
from proa.vision.models._blocks import ConvNormActivation, round_channels


@pytest.mark.parametrize(
    ("value", "rounded"), [(3, 8), (11, 16), (12, 16), (32, 32), (67, 64), (83, 80), (90, 88)]
)
def test_channels_are_rounded(value: float, rounded: int) -> None:
    assert round_channels(value) == rounded


def test_parts_can_be_left_out() -> None:
    whole = ConvNormActivation(3, 4, 5)
    assert [type(layer) for layer in whole] == [nn.Conv2D, nn.BatchNorm2D, nn.ReLU]
    assert whole[0].bias is None
    bare = ConvNormActivation(3, 4, norm_layer=None, activation_layer=None)
    assert [type(layer) for layer in bare] == [nn.Conv2D]
    assert bare[0].bias.shape == [4]
