"""Batch norms."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError
from proa.utils import unique_name


# P PR#68159, PT#19902.
def test_running_statistics_are_biased_and_momentum_is_what_is_kept():
    layer = nn.BatchNorm2D(1, momentum=0.9)
    layer(proa.arange(12, dtype="float32").reshape([2, 1, 2, 3]))
    assert layer._mean.tolist() == pytest.approx([0.55])
    assert layer._variance.tolist() == pytest.approx([2.09167], rel=1e-5)


def test_evaluation_uses_and_keeps_the_running_statistics():
    layer = nn.BatchNorm1D(2).eval()
    layer._mean.set_value([1.0, 2.0])
    layer._variance.set_value([4.0, 9.0])
    out = layer(proa.to_tensor([[3.0, 5.0]]))
    np.testing.assert_allclose(out.numpy(), [[1.0, 1.0]], rtol=1e-5)
    assert layer._mean.tolist() == [1.0, 2.0]


def test_global_statistics_in_training():
    layer = nn.BatchNorm1D(1, use_global_stats=True)
    out = layer(proa.to_tensor([[3.0], [5.0]]))
    np.testing.assert_allclose(out.numpy(), [[3.0], [5.0]], rtol=1e-4)
    assert layer._mean.tolist() == [0.0]


def test_statistics_are_in_place_and_never_trained():
    layer = nn.BatchNorm1D(2)
    handle = layer._mean
    out = layer(proa.to_tensor([[3.0, 1.0], [5.0, 2.0]]))
    assert layer._mean is handle
    assert handle.tolist() == pytest.approx([0.4, 0.15])
    (out * out).sum().backward()
    assert handle.grad is None
    assert handle.stop_gradient


def test_names_of_the_statistics():
    with unique_name.guard():
        assert nn.BatchNorm(2, moving_mean_name="m", moving_variance_name="v")._mean.name == "m"
        assert nn.BatchNorm1D(2, name="q")._variance.name == "q_variance"


def test_the_plain_batch_norm():
    layer = nn.BatchNorm(2, act="relu", dtype="float64", is_test=True)
    assert layer.weight.dtype == "float64"
    assert not layer.training
    assert layer(proa.to_tensor([[-3.0, 1.0]], dtype="float64")).numpy()[0, 0] == 0
    trainable = nn.BatchNorm(1, trainable_statistics=True).eval()
    assert trainable(proa.to_tensor([[3.0], [3.0]])).tolist() == [[0.0], [0.0]]
    with pytest.raises(InvalidArgumentError, match="BatchNorm: `act` is 'nope'"):
        nn.BatchNorm(2, act="nope")


def test_conversion_to_synchronised_batch_norm():
    model = nn.Sequential(nn.Conv2D(1, 2, 1), nn.Sequential(nn.BatchNorm2D(2, momentum=0.5)))
    old = model[1][0]
    old.eval()
    assert nn.SyncBatchNorm.convert_sync_batchnorm(model) is model
    new = model[1][0]
    assert type(new) is nn.SyncBatchNorm
    assert new.weight is old.weight
    assert new._mean is old._mean
    assert new._momentum == 0.5
    assert not new.training
    assert type(nn.SyncBatchNorm.convert_sync_batchnorm(old)) is nn.SyncBatchNorm


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.BatchNorm1D(3), [2, 3, 2, 2]),
        (nn.BatchNorm2D(3), [2, 3, 2]),
        (nn.BatchNorm3D(3), [2, 3, 2, 2]),
        (nn.BatchNorm2D(3), [1, 4, 2, 2]),
    ],
)
def test_inputs_that_do_not_fit(layer, shape):
    with pytest.raises(InvalidArgumentError, match=r"float32\["):
        layer(proa.ones(shape))
