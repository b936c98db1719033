from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.sparse.samples import close, csr

N, F = proa.sparse.nn, proa.sparse.nn.functional


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (N.ReLU(), F.relu),
        (N.ReLU6(), F.relu6),
        (N.LeakyReLU(0.5), lambda x: F.leaky_relu(x, 0.5)),
        (N.Softmax(0), lambda x: F.softmax(x, 0)),
    ],
)
def test_layers_are_their_functions(layer, function):
    close(layer(csr()), function(csr()).numpy())


def test_batch_norm():
    values = np.array([[1.0, 5.0], [3.0, -1.0], [2.0, 2.0]], "float32")
    x = proa.sparse.sparse_coo_tensor([[0, 2, 3]], values, [4, 2])
    layer = N.BatchNorm(2)
    want = (values - values.mean(0)) / np.sqrt(values.var(0) + 1e-5)
    np.testing.assert_allclose(layer(x).values().numpy(), want, 1e-4)
    assert set(layer.state_dict()) == {"weight", "bias", "_mean", "_variance"}


def test_sync_batch_norm():
    values = np.array([[1.0, 5.0], [3.0, -1.0]], "float32")
    x = proa.sparse.sparse_coo_tensor([[0, 2]], values, [3, 2])
    made, other = N.SyncBatchNorm(2)(x), N.BatchNorm(2)(x)
    assert made.values().tolist() == other.values().tolist()


def test_batch_norms_become_synchronised():
    net = proa.nn.Sequential(
        N.BatchNorm(2), N.ReLU(), proa.nn.Sequential(proa.nn.BatchNorm2D(3), N.BatchNorm(4))
    )
    weight = net[0].weight
    made = N.SyncBatchNorm.convert_sync_batchnorm(net)
    assert made is net
    assert type(net[0]) is type(net[2][1]) is N.SyncBatchNorm
    assert type(net[2][0]) is proa.nn.SyncBatchNorm
    assert net[0].weight is weight
    assert "data_format=NDHWC" in repr(net[0])


def test_batch_norm_needs_channels():
    with pytest.raises(proa.core.InvalidArgumentError, match="with 0 dense axes"):
        N.BatchNorm(2)(csr())


def test_max_pool():
    x = proa.ones([1, 4, 4, 4, 2]).to_sparse_coo(4)
    layer = N.MaxPool3D(2, stride=1, return_mask=True)
    assert layer(x).shape == [1, 3, 3, 3, 2]
    assert repr(layer) == "MaxPool3D(kernel_size=2, stride=1, padding=0)"
