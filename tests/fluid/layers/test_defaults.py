"""Where Paddle 1 has other defaults, orders or results; values by hand."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.fluid import layers

x = proa.to_tensor([[3.0, 1.0], [2.0, 4.0]])

CASES = [
    (lambda: layers.argmax(x), [0, 1]),
    (lambda: layers.argmin(x), [1, 0]),
    (lambda: layers.argsort(x)[0], [[1, 3], [2, 4]]),
    (lambda: layers.argsort(x, descending=True)[1], [[0, 1], [1, 0]]),
    (lambda: layers.expand(x, [1, 2]), [[3, 1, 3, 1], [2, 4, 2, 4]]),
    (lambda: layers.flatten(proa.ones([2, 3, 4]), 2).shape, [6, 4]),
    (lambda: layers.hard_sigmoid(proa.to_tensor([-5.0, 1.0])), [0.0, 0.7]),
    (
        lambda: layers.l2_normalize(proa.to_tensor([[3.0, 4.0], [0.0, 0.0]]), 1),
        [[0.6, 0.8], [0, 0]],
    ),
    (lambda: layers.leaky_relu(proa.to_tensor([-1.0, 1.0])), [-0.02, 1.0]),
    (lambda: layers.pad(x, [0, 1, 1, 0], 9.0), [[9, 3, 1], [9, 2, 4], [9, 9, 9]]),
    (lambda: layers.split(x, 2)[1], [[1], [4]]),
    (lambda: layers.split(x, [1, 1], dim=0)[0], [[3, 1]]),
    (lambda: layers.squeeze(proa.ones([1, 2, 1]), axes=[0]).shape, [2, 1]),
    (lambda: layers.squeeze(proa.ones([1, 2, 1]), []).shape, [2]),
    (lambda: layers.unsqueeze(x, axes=[0, 3]).shape, [1, 2, 2, 1]),
    (lambda: layers.sum([x, x]), [[6, 2], [4, 8]]),
]


@pytest.mark.parametrize(("call", "expected"), CASES)
def test_results_are_those_of_old(call, expected):
    got = call()
    np.testing.assert_allclose(
        got.numpy() if isinstance(got, proa.Tensor) else got, expected, rtol=1e-6
    )


def test_gaussian_numbers():
    proa.seed(1)
    drawn = layers.gaussian_random([2000], mean=3.0, std=0.5).numpy()
    assert abs(drawn.mean() - 3.0) < 0.05
    assert abs(drawn.std() - 0.5) < 0.05
