from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.incubate import asp


@pytest.fixture(autouse=True)
def usual_layers():
    yield
    asp.reset_excluded_layers()


def net():
    proa.seed(5)
    nn = proa.nn
    return nn.Sequential(
        nn.Linear(8, 4), nn.Conv2D(4, 2, 3), nn.Conv2D(3, 2, 3), nn.Conv1D(4, 4, 2)
    )


def densities(model):
    return [asp.calculate_density(layer.weight) for layer in model]


@pytest.mark.parametrize("algorithm", ["mask_1d", "mask_2d_greedy", "mask_2d_best"])
def test_weights_are_sparse_along_input_channels(algorithm):
    model = net()
    masks = asp.prune_model(model, mask_algo=algorithm)
    assert list(masks) == [model[0].weight.name, model[1].weight.name]
    assert densities(model) == [0.5, 0.5, 1.0, 1.0] or algorithm == "mask_2d_greedy"
    assert asp.check_sparsity(model[0].weight.numpy().T)
    assert asp.check_sparsity(model[1].weight.numpy().T)
    np.testing.assert_array_equal(
        masks[model[0].weight.name].numpy() != 0, model[0].weight.numpy() != 0
    )


def train(model, optimizer):
    model[0](proa.ones([2, 8])).sum().backward()
    optimizer.step()


def test_steps_keep_to_the_masks():
    model = net()
    optimizer = proa.optimizer.AdamW(0.1, parameters=model.parameters())
    assert asp.decorate(asp.decorate(optimizer)) is optimizer
    assert isinstance(optimizer, proa.optimizer.AdamW)
    asp.prune_model(model)
    before = model[0].weight.numpy()
    train(model, optimizer)
    after = model[0].weight.numpy()
    assert ((after != 0) == (before != 0)).all()
    assert (after != before).any()


def test_without_masks_steps_are_free():
    model = net()
    optimizer = asp.decorate(proa.optimizer.SGD(0.1, parameters=model.parameters()))
    asp.prune_model(model, with_mask=False)
    train(model, optimizer)
    assert asp.calculate_density(model[0].weight) == 1.0


def test_excluded_layers():
    model = net()
    asp.set_excluded_layers([model[0].full_name(), model[1].weight.name])
    assert asp.prune_model(model) == {}
    asp.reset_excluded_layers()
    assert len(asp.prune_model(model)) == 2


def test_further_layers():
    asp.add_supported_layer(proa.nn.Conv1D)
    calls = []

    def own(weight, m, n, algorithm, name):
        calls.append((m, n, name))
        return weight * 0, weight * 0

    class Special(proa.nn.Linear):
        pass

    asp.add_supported_layer("Special", own)
    model, special = net(), Special(2, 2)
    assert len(asp.prune_model(model)) == 3
    assert densities(model)[3] == 0.5
    asp.prune_model(special, 1, 2)
    assert calls == [(2, 1, special.weight.name)]
    assert special.weight.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="`mask_algo` is 'x'"):
        asp.prune_model(net(), mask_algo="x")
    with pytest.raises(InvalidTypeError, match="`model` of `prune_model` is a Tensor"):
        asp.prune_model(proa.ones([4, 4]))
    with pytest.raises(InvalidArgumentError, match="a pattern of 5:4"):
        asp.prune_model(net(), n=5)
    with pytest.raises(InvalidTypeError, match="`layer` of `add_supported_layer`"):
        asp.add_supported_layer(3)
    with pytest.raises(InvalidTypeError, match="`optimizer` of `asp.decorate`"):
        asp.decorate(net())
