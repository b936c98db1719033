from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ArtifactError, InvalidArgumentError, InvalidTypeError
from proa.formats import Artifact, read_artifact, write_artifact
from proa.jit import load, save
from proa.static import InputSpec

nn = proa.nn


@pytest.fixture
def saved(tmp_path):
    proa.seed(0)
    net = nn.Linear(4, 2)
    return net, save(net, tmp_path / "net", [InputSpec([None, 4])], samples=[proa.ones([1, 4])])


def test_a_loaded_layer_can_be_trained_further(saved):
    _, path = saved
    layer = load(path)
    optimizer = proa.optimizer.SGD(0.5, parameters=layer.parameters())
    x, y = proa.ones([3, 4]), proa.zeros([3], "int64")
    losses = []
    for _ in range(5):
        loss = nn.functional.cross_entropy(layer(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0] * 0.7


def test_a_loaded_layer_trains_in_a_compiled_step_too(saved):
    _, path = saved
    layers = [load(path) for _ in range(2)]
    steps = []
    for layer in layers:
        optimizer = proa.optimizer.SGD(0.5, parameters=layer.parameters())

        def step(x, layer=layer, optimizer=optimizer):
            loss = (layer(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        steps.append(step)
    compiled = proa.jit.to_static(steps[1], full_graph=True)
    for _ in range(3):
        x = proa.ones([3, 4])
        np.testing.assert_allclose(float(steps[0](x)), float(compiled(x)), rtol=1e-5)


def test_it_is_a_layer_among_layers(saved):
    net, path = saved
    stack = nn.Sequential(load(path), nn.ReLU())
    x = proa.ones([2, 4])
    np.testing.assert_allclose(stack(x).numpy(), nn.functional.relu(net(x)).numpy(), rtol=1e-6)
    assert len(stack.parameters()) == 2


def test_golden_samples_are_checked_at_load(saved, tmp_path):
    artifact = read_artifact(saved[1])
    artifact.golden["0/output/0"] = artifact.golden["0/output/0"] + 1
    wrong = write_artifact(
        Artifact(artifact.programs, artifact.weights, artifact.golden, artifact.manifest),
        tmp_path / "wrong",
    )
    with pytest.raises(ArtifactError, match="golden sample 0 gives other outputs"):
        load(wrong)
    load(wrong, check=False)


def test_inputs_that_do_not_fit_are_refused_by_name(saved):
    layer = load(saved[1])
    with pytest.raises(InvalidArgumentError, match="input `x0` has shape"):
        layer(proa.ones([2, 5]))
    with pytest.raises(InvalidTypeError, match="input `x0` is float64"):
        layer(proa.ones([2, 4], "float64"))
    with pytest.raises(InvalidArgumentError, match="2 inputs were given"):
        layer(proa.ones([2, 4]), proa.ones([2, 4]))
    with pytest.raises(InvalidTypeError, match="`path` is a int"):
        load(3)
