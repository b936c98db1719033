from __future__ import annotations

import numpy as np

import proa
from proa.ops._fake_quantize import fake_quantize, largest_magnitude, moving_magnitude

X = np.array([[0.5, -1.5, 4.0], [-2.0, 0.25, 0.0]])
T = proa.to_tensor


def test_rounds_within_the_scale_and_passes_gradients():
    x = T(X, stop_gradient=False)
    out = fake_quantize(x, T([3.0]), 3, None)
    np.testing.assert_allclose(out, [[1, -2, 3], [-2, 0, 0]])
    (out * T(X)).sum().backward()
    np.testing.assert_allclose(x.grad, X)
    by_row = fake_quantize(T(X), T([4.0, 2.0]), 2, -2)
    np.testing.assert_allclose(by_row, [[0, 0, 4], [-2, 0, 0]])
    assert fake_quantize(T(X * 0), T([0.0]), 8, None).abs().sum().item() == 0


def test_magnitudes():
    assert largest_magnitude(T(X), None).tolist() == [4]
    assert largest_magnitude(T(X), 1).tolist() == [2, 1.5, 4]
    scale, state, total = moving_magnitude(T(X), T([1.0]), T([1.0]), 0.5)
    assert [t.item() for t in (scale, state, total)] == [3, 1.5, 4.5]
