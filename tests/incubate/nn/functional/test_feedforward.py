from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
X, W1, W2, B1, B2, SCALE, SHIFT = (
    RNG.standard_normal(s) for s in ([2, 3, 4], [4, 5], [5, 4], [5], [4], [4], [4])
)
T = proa.to_tensor


def norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * SCALE + SHIFT


def run(**settings):
    weights = (T(X), T(W1), T(W2), T(B1), T(B2))
    return F.fused_feedforward(*weights, dropout1_rate=0.0, dropout2_rate=0.0, **settings).numpy()


def inner(x):
    return (x @ W1 + B1).clip(0) @ W2 + B2


def test_normalised_after_and_before():
    after = run(ln2_scale=T(SCALE), ln2_bias=T(SHIFT))
    np.testing.assert_allclose(after, norm(X + inner(X)), rtol=1e-7)
    before = run(ln1_scale=T(SCALE), ln1_bias=T(SHIFT), pre_layer_norm=True)
    np.testing.assert_allclose(before, X + inner(norm(X)), rtol=1e-7)
    alone = run(pre_layer_norm=True, add_residual=False)
    assert alone.shape == (2, 3, 4)


def test_an_unknown_activation():
    with pytest.raises(InvalidArgumentError, match="the name of an activation"):
        run(activation="bump")
