"""Numbers under "paddle 3.3.1" were computed with it."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

X = np.arange(24, dtype="float32").reshape(2, 3, 4) / 7
W, B = np.array([1, 2, 3, 4], "float32"), np.array([0.1, 0.2, 0.3, 0.4], "float32")
T = proa.to_tensor


def rms(x, axes=(2,)):
    return x / np.sqrt((x**2).mean(axes, keepdims=True) + 1e-5)


def centred(x):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=1e-6)


def test_rms_norm():
    out, none = F.fused_rms_norm(T(X), T(W), T(B), 1e-5, 2)
    close(out, rms(X) * W + B)
    assert none.shape == [0]
    # paddle 3.3.1
    close(out[0, 0], [0.1, 1.26897025, 3.50691056, 6.81382084])
    total = X + B + 2 * X
    out, added = F.fused_rms_norm(T(X), T(W), T(B), 1e-5, 2, T(B), T(2 * X))
    close(out, rms(total) * W + B)
    close(added, total)
    out, _ = F.fused_rms_norm(T(X), proa.ones([12]), None, 1e-5, 1)
    close(out, rms(X, (1, 2)))


def test_layer_norm():
    out, added, mean, inverse = F.fused_layer_norm(T(X), T(W), T(B), 1e-5, 0.5, 2, T(B), T(X))
    close(added, X + B + 0.5 * X)
    close(out, centred(X + B + 0.5 * X) * W + B)
    # paddle 3.3.1
    close(mean[:2], [0.57142860, 1.42857146])
    close(inverse[:2], [2.84578943, 2.84579134])
    close(F.fused_layer_norm(T(X), None, None, 1e-5, 0.5, 2, T(B), T(X))[0], X + B + 0.5 * X)


def test_rounded_to_integers():
    out, _ = F.fused_rms_norm(T(X), T(W), None, 1e-5, 2, None, None, 0.01, 1, 127.0, -127.0)
    assert out.dtype == "int8"
    np.testing.assert_array_equal(out, np.floor(rms(X) * W * 1.27 + 0.5).clip(-127, 127))


def test_with_statistics():
    out, mean, inverse = F.fast_ln(T(X), T(W), T(B))
    close(out, centred(X) * W + B)
    close(mean, X.mean(-1).ravel())
    out, inverse = F.fast_rms_norm(T(X), T(W))
    close(out, rms(X) * W)
    close(inverse, 1 / np.sqrt((X**2).mean(-1) + 1e-5).ravel())
    close(F.fused_rms_norm_ext(T(X), T(W))[0], rms(X) * W)


def test_half_precision_and_gradients():
    x = T(X, "float64", stop_gradient=False)
    out, _ = F.fused_rms_norm(x, T(W, "float64"), None, 1e-5, 2)
    (out * T(X, "float64")).sum().backward()
    step = 1e-6 * np.cos(np.arange(24)).reshape(X.shape)
    wide = X.astype("float64")
    up, down = ((rms(wide + s) * W * wide).sum() for s in (step, -step))
    np.testing.assert_allclose((x.grad.numpy() * step).sum(), (up - down) / 2, rtol=1e-5)
    assert F.fused_rms_norm(T(X, "float16"), T(W), None, 1e-5, 2)[0].dtype == "float16"


def test_errors():
    with pytest.raises(InvalidArgumentError, match="`begin_norm_axis` of `fused_rms_norm`"):
        F.fused_rms_norm(T(X), T(W), None, 1e-5, 3)
