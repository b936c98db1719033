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
