from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.compat import nn

image = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])


def test_linear_has_rows_of_outputs():
    layer = nn.Linear(100, 30)
    assert layer.weight.shape == [30, 100]
    assert 0.17 < np.abs(layer.weight.numpy()).max() <= 1 / np.sqrt(30)
    assert 0.05 < np.abs(layer.bias.numpy()).max() <= 0.1
    x = np.random.default_rng(0).normal(size=(2, 100)).astype(np.float32)
    expected = x @ layer.weight.numpy().T + layer.bias.numpy()
    np.testing.assert_allclose(layer(proa.to_tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_linear_takes_pytorch_keywords():
    layer = nn.Linear(2, 3, bias=False, device="cpu", dtype="float64")
    assert layer.bias is None
    assert layer.weight.dtype == "float64"
    assert repr(layer) == "Linear(in_features=2, out_features=3, bias=False)"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[10 / 9, 8 / 3], [17 / 3, 10]]),
        ({"count_include_pad": False}, [[2.5, 4], [8.5, 10]]),
        ({"divisor_override": 2}, [[5, 12], [25.5, 45]]),
    ],
)
def test_pools_of_images(options, expected):
    got = nn.AvgPool2d(3, stride=2, padding=1, **options)(image)
    np.testing.assert_allclose(got.numpy()[0, 0], expected, rtol=1e-6)


def test_pools_of_other_ranks():
    assert nn.AvgPool1d(2)(image[0]).numpy()[0, 0].tolist() == [0.5, 2.5]
    volume = proa.expand(proa.unsqueeze(image, 0), [1, 1, 2, 4, 4])
    assert nn.AvgPool3d(2)(volume).numpy().reshape(-1).tolist() == [2.5, 4.5, 10.5, 12.5]
    assert nn.AvgPool1D is nn.AvgPool1d
    assert repr(nn.AvgPool2D(2)) == "AvgPool2D(kernel_size=2, stride=2, padding=0)"


def test_softmax_and_unfold_keep_their_settings():
    assert nn.Softmax(dim=0)(proa.ones([2, 1])).tolist() == [[0.5], [0.5]]
    assert nn.Softmax()(proa.ones([2, 1, 1])).flatten().tolist() == [0.5, 0.5]
    assert repr(nn.Softmax(1)) == "Softmax(dim=1)"
    assert nn.Unfold(2, stride=2)(image)[0, 0].tolist() == [0, 2, 8, 10]
    assert repr(nn.Unfold(2)) == "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"
