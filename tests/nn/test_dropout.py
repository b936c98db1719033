"""Dropout layers."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError


def test_about_the_right_share_is_dropped_and_the_rest_scaled():
    out = nn.Dropout(0.25)(proa.ones([10000])).numpy()
    assert set(np.unique(out).tolist()) == {0.0, np.float32(1 / 0.75).item()}
    assert (out == 0).mean() == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(
    ("layer", "shape"), [(nn.Dropout2D(0.5), [4, 8, 3, 3]), (nn.Dropout3D(0.5), [4, 8, 2, 3, 3])]
)
def test_whole_channels_are_dropped(layer, shape):
    out = layer(proa.ones(shape)).numpy().reshape(32, -1)
    assert (out == out[:, :1]).all()
    assert set(np.unique(out).tolist()) == {0.0, 2.0}


@pytest.mark.parametrize(
    "layer",
    [nn.Dropout(0.9), nn.Dropout2D(0.9), nn.AlphaDropout(0.9), nn.FeatureAlphaDropout(0.9)],
)
def test_nothing_is_dropped_in_evaluation_mode(layer):
    x = proa.rand([2, 3, 4, 4])
    np.testing.assert_array_equal(layer.eval()(x).numpy(), x.numpy())


def test_alpha_dropout_keeps_mean_and_spread():
    out = nn.AlphaDropout(0.3)(proa.randn([50000])).numpy()
    assert out.mean() == pytest.approx(0, abs=0.03)
    assert out.std() == pytest.approx(1, abs=0.03)


def test_the_other_scaling():
    layer = nn.Dropout(0.25, mode="downscale_in_infer")
    assert layer.eval()(proa.ones([1])).tolist() == [0.75]
    assert set(layer.train()(proa.ones([100])).tolist()) == {0.0, 1.0}


def test_a_probability_out_of_range_is_refused():
    with pytest.raises(InvalidArgumentError, match="`p` of `dropout` is 1.5"):
        nn.Dropout(1.5)(proa.ones([1]))
