"""Which weights an optimizer may change: what the file says, else what the ops say."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.formats import read_artifact, read_model, trainable_names


@pytest.fixture
def layer() -> nn.Layer:
    net = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1D(2))
    net[0].bias.stop_gradient = True
    net.eval()
    return net


def test_the_manifest_names_parameters_that_are_not_frozen(layer, tmp_path) -> None:
    file = proa.jit.save(layer, tmp_path / "net", [proa.ones([2, 4])])
    wanted = {"0.weight", "1.weight", "1.bias"}
    assert trainable_names(read_artifact(file)) == wanted
    again = proa.jit.load(file)
    assert len(again.parameters()) == 3
    assert len(again.state_dict()) == 6


def test_running_statistics_are_known_without_a_manifest(layer, tmp_path) -> None:
    file = proa.jit.save(layer, tmp_path / "net", [proa.ones([2, 4])], format="paddle")
    assert trainable_names(read_model(file)) == {"0.weight", "0.bias", "1.weight", "1.bias"}


def test_training_goes_on_after_loading(layer, tmp_path) -> None:
    x = proa.to_tensor(np.linspace(-1, 1, 8).reshape(2, 4).astype("float32"))
    again = proa.jit.load(proa.jit.save(layer, tmp_path / "net", [x], format="paddle"))
    before = {name: t.numpy().copy() for name, t in again.state_dict().items()}
    step = proa.optimizer.SGD(0.1, parameters=again.parameters())
    again(x).square().sum().backward()
    step.step()
    changed = {n for n, t in again.state_dict().items() if not np.array_equal(t.numpy(), before[n])}
    assert changed == {n for n in before if not n.endswith(("_mean", "_variance"))}
