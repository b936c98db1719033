"""Layers in compiled functions: the same values, and guards that see what changes."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn

X = np.sin(np.arange(32)).reshape(2, 4, 2, 2).astype(np.float32)


def traced(layer):
    """Returns a compiled call of the layer and the list of its recordings."""
    recordings = []

    def call(x):
        recordings.append(len(recordings))
        return layer(x)

    return proa.jit.to_static(call), recordings


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Sequential(nn.Conv2D(4, 4, 1), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten()),
        lambda: nn.Sequential(nn.Flatten(2), nn.TransformerEncoderLayer(4, 2, 8, 0.0)),
        lambda: nn.Sequential(nn.GroupNorm(2, 4), nn.AvgPool2D(2), nn.Upsample(scale_factor=2)),
    ],
)
def test_compiled_equals_eager(make):
    layer, x = make(), proa.to_tensor(X)
    state = {name: t.numpy() for name, t in layer.state_dict().items()}
    eager = layer(x).numpy()
    moved = {name: t.numpy() for name, t in layer.state_dict().items()}
    layer.set_state_dict(state)
    compiled, _ = traced(layer)
    np.testing.assert_allclose(compiled(x).numpy(), eager, rtol=1e-5, atol=1e-6)
    for name, tensor in layer.state_dict().items():
        np.testing.assert_allclose(tensor.numpy(), moved[name], rtol=1e-5, atol=1e-6)


def test_the_mode_is_part_of_what_is_compiled():
    layer, x = nn.Sequential(nn.Dropout(0.5)), proa.to_tensor(X)
    compiled, recordings = traced(layer)
    assert (compiled(x).numpy() == 0).any()
    layer.eval()
    for _ in range(2):
        np.testing.assert_array_equal(compiled(x).numpy(), X)
    assert len(recordings) == 2


def test_loaded_values_are_seen_without_a_new_recording():
    layer, x = nn.Linear(2, 1, bias_attr=False), proa.ones([1, 2])
    compiled, recordings = traced(layer)
    compiled(x)
    layer.set_state_dict({"weight": np.full([2, 1], 3.0)})
    assert compiled(x).tolist() == [[6.0]]
    assert len(recordings) == 1


def test_replaced_members_and_hooks_are_seen():
    layer, x = nn.Sequential(nn.Linear(2, 1, bias_attr=False)), proa.ones([1, 2])
    compiled, _ = traced(layer)
    compiled(x)
    layer[0].weight = layer.create_parameter([2, 1], nn.initializer.Constant(3.0))
    assert compiled(x).tolist() == [[6.0]]
    layer[0] = nn.Linear(2, 1, nn.initializer.Constant(1.0), False)
    assert compiled(x).tolist() == [[2.0]]
    layer.register_forward_post_hook(lambda layer, inputs, output: output * 10)
    assert compiled(x).tolist() == [[20.0]]


def test_results_left_in_attributes_do_not_compile_again():
    class Keeps(nn.Layer):
        def __init__(self):
            super().__init__()
            self.scale, self.last = proa.ones([1]), None

        def forward(self, x):
            self.last = x * self.scale
            return self.last

    layer, x = Keeps(), proa.ones([1])
    compiled, recordings = traced(layer)
    for _ in range(3):
        compiled(x)
    layer(x)
    compiled(x)
    assert len(recordings) == 1
    layer.scale = proa.full([1], 5.0)
    assert compiled(x).tolist() == [5.0]
