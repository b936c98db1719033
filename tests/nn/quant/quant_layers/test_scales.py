"""Numbers under "paddle 3.3.1" were computed with it."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.nn.quant import quant_layers as L

X = np.array(
    [[-5.0883937, 2.1905506, -5.5724497, 1.1477944], [-2.660713, 2.6349113, 0.25935757, 0.7431191]],
    "float32",
)
T = proa.to_tensor


def numbers(layer):
    return {name.rpartition(".")[2]: t.numpy() for name, t in layer.state_dict().items()}


# paddle 3.3.1
def test_largest_magnitude():
    layer = L.FakeQuantAbsMax(quant_on_weight=True)
    assert layer._scale.item() == np.float32(0.001)
    assert layer._scale.stop_gradient
    np.testing.assert_allclose(
        layer(T(X))[0], [-5.0897965, 2.193878, -5.5724497, 1.1408166], rtol=1e-6
    )
    np.testing.assert_allclose(numbers(layer)["_scale"], [5.5724497])
    assert L.FakeQuantAbsMax()(T(X)).numpy()[0, 0] == layer(T(X)).numpy()[0, 0]


# paddle 3.3.1
def test_a_scale_per_channel():
    layer = L.FakeQuantChannelWiseAbsMax(None, 4, quant_axis=1, quant_on_weight=True)
    np.testing.assert_allclose(
        layer(T(X))[1], [-2.644362, 2.6349113, 0.26326534, 0.7410956], rtol=1e-6
    )
    np.testing.assert_allclose(layer._scale, np.abs(X).max(0))
    with pytest.raises(InvalidArgumentError, match="FakeQuantMovingAverageAbsMax"):
        L.FakeQuantChannelWiseAbsMax(channel_num=4)


# paddle 3.3.1
def test_a_moving_average():
    layer = L.FakeQuantMovingAverageAbsMax()
    first = layer(T(X))
    np.testing.assert_allclose(first[0, 0], -3.4065526, rtol=1e-6)
    np.testing.assert_allclose(numbers(layer)["_accum"], [6.47245], rtol=1e-6)
    layer(T(X))
    layer.eval()
    np.testing.assert_allclose(layer(T(X))[1, 0], -2.6493082, rtol=1e-6)
    kept = numbers(layer)
    np.testing.assert_allclose(kept["_scale"], [4.2057767], rtol=1e-6)
    np.testing.assert_allclose(kept["_state"], [2.71], rtol=1e-6)


# paddle 3.3.1
def test_watching_changes_nothing():
    layer = L.MovingAverageAbsMaxScale()
    np.testing.assert_array_equal(layer(T(X)), X)
    layer(T(X))
    kept = numbers(layer)
    np.testing.assert_allclose([kept["_state"][0], kept["_accum"][0]], [1.9, 10.587654], rtol=1e-6)
    assert L.QuantStub is L.MovingAverageAbsMaxScale


# paddle 3.3.1
def test_outputs_of_a_layer():
    watched = L.MAOutputScaleLayer(proa.nn.ReLU())
    watched(T(X))
    assert "_ma_output_scale._scale" in watched.state_dict()
    np.testing.assert_allclose(numbers(watched)["_scale"], [2.6349113])
    pair = L.MAOutputScaleLayer(Twice())
    assert pair(T(X))[0].shape == [2, 4]
    rounded = L.FakeQuantMAOutputScaleLayer(proa.nn.ReLU())
    np.testing.assert_allclose(rounded(T(X))[0, 1], 1.8604796, rtol=1e-6)


class Twice(proa.nn.Layer):
    def forward(self, x):
        return [x, x]


def test_compiled_training_updates_the_average():
    layer = L.FakeQuantMovingAverageAbsMax()
    run = proa.jit.to_static(layer.forward)
    run(T(X))
    run(T(X))
    np.testing.assert_allclose(numbers(layer)["_state"], [2.71], rtol=1e-6)


def test_names_are_those_of_what_they_belong_to():
    with proa.utils.unique_name.guard():
        assert L.FakeQuantMovingAverageAbsMax("nm")._state.name == "nm.state_0"
        assert L.MovingAverageAbsMaxScale("nm")._state.name == "nm.state_1"
