from __future__ import annotations

import numpy as np

import proa
from proa.incubate import nn

X = proa.to_tensor(np.random.default_rng(0).standard_normal([2, 4]), "float32")


def test_linear():
    layer = nn.FusedLinear(4, 3, transpose_weight=True)
    assert layer.weight.shape == [3, 4]
    expected = X.numpy() @ layer.weight.numpy().T + layer.bias.numpy()
    np.testing.assert_allclose(layer(X), expected, rtol=1e-5, atol=1e-6)
    assert list(layer.state_dict()) == ["weight", "bias"]


def test_dropout_add():
    layer = nn.FusedDropoutAdd(0.5)
    assert repr(layer) == "FusedDropoutAdd(p=0.5, mode=upscale_in_train)"
    np.testing.assert_array_equal(layer.eval()(X, X), 2 * X.numpy())


def test_bias_dropout_residual_layer_norm():
    layer = nn.FusedBiasDropoutResidualLayerNorm(4, 0.0)
    assert list(layer.state_dict()) == ["linear_bias", "ln_scale", "ln_bias"]
    expected = proa.nn.functional.layer_norm(X * 2, 4)
    np.testing.assert_allclose(layer(X, X), expected.numpy(), rtol=1e-4, atol=1e-5)
    assert "embed_dim=4, dropout_rate=0.0" in repr(layer)
