from __future__ import annotations

import numpy as np

import proa
from proa.incubate.nn import functional as F

X, Y = (np.random.default_rng(i).standard_normal([4, 50]).astype("float32") for i in (0, 1))
T = proa.to_tensor


def test_dropout_add():
    kept = F.fused_dropout_add(T(X), T(Y), 0.25).numpy() - Y
    is_kept = np.abs(kept) > 1e-6
    assert 0.5 < is_kept.mean() < 0.95
    np.testing.assert_allclose(kept[is_kept], (X / 0.75)[is_kept], rtol=1e-4, atol=1e-5)
    plain = F.fused_dropout_add(T(X), T(Y), 0.25, training=False, mode="downscale_in_infer")
    np.testing.assert_allclose(plain, X * 0.75 + Y, rtol=1e-5, atol=1e-6)


def test_bias_dropout_residual_layer_norm():
    bias, scale, shift = (np.linspace(i, i + 1, 50, dtype="float32") for i in range(3))
    out = F.fused_bias_dropout_residual_layer_norm(
        T(X), T(Y), T(bias), T(scale), T(shift), dropout_rate=0.0
    )
    total = X + bias + Y
    total = total - total.mean(-1, keepdims=True)
    expected = total / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-5) * scale + shift
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
