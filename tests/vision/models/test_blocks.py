"""Blocks that models share."""

from __future__ import annotations

import pytest

from proa import nn
from proa.vision.models._blocks import ConvNormActivation, even, round_channels


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


def test_even_starts_weight_and_bias_within_the_bound() -> None:
    layer = nn.Linear(50, 40, **even(0.25, bias=True))
    for parameter in (layer.weight, layer.bias):
        largest = float(parameter.abs().max())
        assert 0.2 < largest <= 0.25
    assert float(nn.Linear(3, 2, **even(0.25)).bias.abs().max()) == 0.0
