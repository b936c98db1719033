"""Initialisers that draw; spreads as recorded from paddle 3.3.1."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.nn.initializer import Normal, TruncatedNormal, Uniform


def drawn(initializer, shape=(200, 300)):
    return proa.create_parameter(list(shape), "float32", attr=initializer).numpy()


@pytest.mark.parametrize(
    ("initializer", "mean", "std", "low", "high"),
    [
        (Normal(1.0, 2.0), 1.0, 2.0, -10, 12),
        (Uniform(1.0, 2.0), 1.5, 0.2887, 1.0, 2.0),
        (TruncatedNormal(), 0.0, 0.8796, -2.0, 2.0),
        (TruncatedNormal(5.0, 2.0), 1.1389, 0.7434, -2.0, 2.0),
        (TruncatedNormal(5.0, 2.0, -3.0, 1.0), 0.2595, 0.6628, -3.0, 1.0),
        (TruncatedNormal(0.0, 2.0, -3.0, 1.0), -0.7095, 1.0587, -3.0, 1.0),
        (TruncatedNormal(0.0, 1.0, 8.0, 9.0), 8.12, 0.12, 8.0, 9.0),
    ],
)
def test_mean_spread_and_bounds(initializer, mean, std, low, high):
    values = drawn(initializer)
    assert values.mean() == pytest.approx(mean, abs=0.03)
    assert values.std() == pytest.approx(std, rel=0.03)
    assert values.min() >= low
    assert values.max() <= high


@pytest.mark.parametrize("initializer", [Normal(), Uniform(), TruncatedNormal()])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 1, 1)])
def test_odd_shapes(initializer, shape):
    assert drawn(initializer, shape).shape == shape


def test_no_spread():
    np.testing.assert_array_equal(drawn(Normal(3.0, 0.0), (2,)), [3.0, 3.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal(0.0, -1.0), "Normal: `std` is -1.0"),
        (lambda: Uniform(1.0, 0.0), "Uniform: `low` is 1.0, `high` 0.0"),
        (lambda: TruncatedNormal(std=0.0), "TruncatedNormal: `std` is 0.0"),
        (lambda: TruncatedNormal(a=1.0, b=1.0), "TruncatedNormal: `a` is 1.0, `b` 1.0"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()
