"""Norms within a sample; most values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError


def test_root_mean_square_norm():
    layer = nn.RMSNorm(3, epsilon=1e-6, name="r")
    layer.weight.set_value([1.0, 2.0, 3.0])
    x = np.array([[1.0, 2.0, 2.0]], np.float32)
    expected = x / np.sqrt((x**2).mean() + 1e-6) * [1, 2, 3]
    np.testing.assert_allclose(layer(proa.to_tensor(x)).numpy(), expected, rtol=1e-6)
    assert repr(layer) == "RMSNorm(normalized_shape=[3], epsilon=1e-06, name=r)"
    assert nn.RMSNorm(3, weight_attr=False).weight is None


def test_low_precision_statistics_are_computed_in_float32():
    layer = nn.LayerNorm(4096).bfloat16()
    x = np.random.default_rng(0).normal(100, 1, [1, 4096]).astype(np.float32)
    x = proa.to_tensor(x).astype("bfloat16")
    wide = x.astype("float32").numpy()
    expected = (wide - wide.mean()) / wide.std()
    found = layer(x).astype("float32").numpy()
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.02)


def test_parameters_that_can_be_left_out():
    assert list(nn.LayerNorm(3, bias=False).state_dict()) == ["weight"]
    assert list(nn.LayerNorm(3, weight_attr=False).state_dict()) == ["bias"]
    assert list(nn.GroupNorm(1, 3, bias_attr=False).state_dict()) == ["weight"]
    assert nn.LayerNorm(3, dtype="float64").weight.dtype == "float64"


def test_spectral_norm_divides_by_the_largest_singular_value():
    weight = np.random.default_rng(0).normal(size=[4, 3, 2]).astype(np.float32)
    layer = nn.SpectralNorm([4, 3, 2], dim=1, power_iters=50)
    before = layer.weight_u.numpy()
    largest = np.linalg.svd(np.moveaxis(weight, 1, 0).reshape(3, 8))[1][0]
    found = layer(proa.to_tensor(weight)).numpy()
    np.testing.assert_allclose(found, weight / largest, rtol=1e-4)
    np.testing.assert_array_equal(layer.weight_u.numpy(), before)


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: nn.GroupNorm(3, 4), "`num_groups` is 3, `num_channels` 4"),
        (lambda: nn.GroupNorm(0, 4), "`num_groups` is 0"),
        (lambda: nn.SpectralNorm([0, 2]), r"`weight_shape` is \[0, 2\]"),
        (lambda: nn.SpectralNorm([2, 2])(proa.ones([3, 2])), r"weight float32\[3, 2\]"),
        (lambda: nn.InstanceNorm2D(3)(proa.ones([1, 3, 4])), r"InstanceNorm2D got .*\[1, 3, 4\]"),
        (lambda: nn.LayerNorm(3)(proa.ones([2, 4])), r"float32\[2, 4\]"),
    ],
)
def test_misuse(misuse, message):
    with pytest.raises(InvalidArgumentError, match=message):
        misuse()
