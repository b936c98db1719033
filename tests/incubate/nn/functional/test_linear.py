from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
X, Y, BIAS = (RNG.standard_normal(s).astype("float32") for s in ([2, 3, 4], [4, 5], [5]))
T = proa.to_tensor


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_product_and_bias():
    close(F.fused_matmul_bias(T(X), T(Y), T(BIAS)), X @ Y + BIAS)
    swapped = X.swapaxes(1, 2).copy()
    close(F.fused_matmul_bias(T(swapped), T(Y.T), None, True, True), X @ Y)
    close(F.fused_linear(T(X), T(Y.T), T(BIAS), transpose_weight=True), X @ Y + BIAS)


def test_activation():
    close(F.fused_linear_activation(T(X), T(Y), T(BIAS), activation="relu"), (X @ Y + BIAS).clip(0))
    close(F.fused_linear_activation(T(X), T(Y), T(BIAS)), X @ Y + BIAS)
    with pytest.raises(InvalidArgumentError, match="'gelu', 'relu' or None"):
        F.fused_linear_activation(T(X), T(Y), T(BIAS), activation="silu")
