"""Computed weights; names and shapes as recorded from paddle 3.3.1."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, PreconditionError, UnknownNameError
from proa.utils import unique_name

X = proa.to_tensor([[1.0, -2.0]])


@pytest.mark.parametrize(("dim", "shape"), [(0, [2]), (1, [3]), (None, []), (-1, [])])
def test_weight_norm_keeps_the_weight(dim, shape):
    layer = nn.Linear(2, 3)
    weight, before = layer.weight.numpy(), layer(X).numpy()
    assert nn.utils.weight_norm(layer, dim=dim) is layer
    assert layer.weight_g.shape == shape
    np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-5)
    np.testing.assert_allclose(layer(X).numpy(), before, rtol=1e-5)
    layer.weight_g.set_value(layer.weight_g * 2)
    np.testing.assert_allclose(layer(X).numpy(), before * 2, rtol=1e-5)


def test_weight_norm_names_and_gradients():
    with unique_name.guard():
        layer = nn.utils.weight_norm(nn.Linear(2, 3))
    assert [(k, p.name) for k, p in layer.named_parameters()] == [
        ("bias", "linear_0.b_0"),
        ("weight_v", "linear_0.w_1"),
        ("weight_g", "linear_0.w_2"),
    ]
    layer(X).sum().backward()
    direction = layer.weight_v.numpy()
    # A change of the direction's length changes nothing: the gradient is perpendicular.
    along = (layer.weight_v.grad.numpy() * direction).sum(axis=1)
    np.testing.assert_allclose(along, [0, 0], atol=1e-6)
    assert layer.weight_g.grad.shape == [2]


def test_weight_norm_comes_off():
    layer = nn.utils.weight_norm(nn.Linear(2, 3))
    before = layer(X).numpy()
    assert nn.utils.remove_weight_norm(layer) is layer
    assert list(layer.state_dict()) == ["bias", "weight"]
    np.testing.assert_allclose(layer(X).numpy(), before, rtol=1e-6)
    assert not layer._forward_pre_hooks


def test_spectral_norm_reaches_a_largest_singular_value_of_one():
    layer = nn.utils.spectral_norm(nn.Linear(2, 3))
    assert list(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    assert (layer.weight_u.shape, layer.weight_v.shape) == ([3], [2])
    for _ in range(30):
        layer(X)
    assert np.linalg.svd(layer.weight.numpy())[1][0] == pytest.approx(1, rel=1e-4)
    kept = layer.weight_u.numpy()
    layer.eval()(X)
    np.testing.assert_array_equal(layer.weight_u.numpy(), kept)
    layer(X).sum().backward()
    assert layer.weight_orig.grad.shape == [2, 3]


@pytest.mark.parametrize(
    ("layer", "size"),
    [(nn.Conv2D(2, 4, 3), 4), (nn.Conv2DTranspose(2, 4, 3), 4), (nn.Conv1D(2, 4, 3), 4)],
)
def test_the_axis_of_the_outputs(layer, size):
    assert nn.utils.spectral_norm(layer).weight_u.shape == [size]


@pytest.mark.parametrize("apply", [nn.utils.weight_norm, nn.utils.spectral_norm])
def test_compiled_steps_follow_the_parameters(apply):
    layer = apply(nn.Linear(2, 3)).eval()
    recordings = []

    def call(x):
        recordings.append(1)
        return layer(x)

    compiled = proa.jit.to_static(call)
    for _ in range(3):
        np.testing.assert_allclose(compiled(X).numpy(), layer(X).numpy(), rtol=1e-5)
        parameter = layer.parameters()[-1]
        parameter.set_value(parameter * 1.5)
    assert len(recordings) == 1


def test_a_copy_computes_from_its_own_parameters():
    layer = nn.utils.weight_norm(nn.Linear(2, 3))
    layer(X)
    twin = copy.deepcopy(layer)
    twin.weight_g.set_value(twin.weight_g * 0)
    assert (twin(X).numpy() == 0).all()
    assert (layer(X).numpy() != 0).any()


@pytest.mark.parametrize(
    ("misuse", "error", "message"),
    [
        (lambda: nn.utils.weight_norm(nn.ReLU()), UnknownNameError, "no parameter 'weight'"),
        (lambda: nn.utils.weight_norm(nn.Linear(1, 1), dim=2), InvalidArgumentError, "`dim`"),
        (
            lambda: nn.utils.weight_norm(nn.utils.weight_norm(nn.Linear(1, 1))),
            PreconditionError,
            "weight_norm is already applied to 'weight'",
        ),
        (
            lambda: nn.utils.remove_weight_norm(nn.Linear(1, 1)),
            PreconditionError,
            "weight_norm is not applied",
        ),
        (
            lambda: nn.utils.spectral_norm(nn.Linear(1, 1), n_power_iterations=0),
            InvalidArgumentError,
            "`n_power_iterations` of `spectral_norm` is 0",
        ),
        (
            lambda: nn.utils.spectral_norm(nn.Linear(1, 1), "w"),
            UnknownNameError,
            r"no parameter 'w'(.|\n)*weight, bias",
        ),
    ],
)
def test_misuse(misuse, error, message):
    with pytest.raises(error, match=message):
        misuse()
