"""Draws one by one from Paddle's stream; its numbers were printed by Paddle 3.3.1, seed 2023."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

import proa
from proa.core import Mersenne
from proa.ops import _random_host


@pytest.fixture(autouse=True)
def _paddles_stream() -> Iterator[None]:
    proa.set_flags({"FLAGS_paddle_random": True})
    proa.seed(2023)
    yield
    proa.set_flags({"FLAGS_paddle_random": False})


@pytest.mark.parametrize(
    ("draw", "expected", "next_number"),
    [
        (
            lambda: proa.standard_gamma(proa.to_tensor([0.5, 3.0, 1.0, 7.0, 0.2, 30.0])),
            [0.0022, 0.6418, 0.7723, 11.9506, 0.0724, 22.4176],
            0.4646,
        ),
        (lambda: proa.poisson(proa.full([5], 3.0)), [4, 6, 3, 2, 3], None),
        (lambda: proa.poisson(proa.to_tensor([0.0, 0.5, 8.0])), [0, 0, 10], 0.7196),
        (
            lambda: proa.poisson(proa.to_tensor([12.0, 30.0, 3.0, 77.7, 1e4, 12.5, 400.0])),
            [12, 18, 5, 84, 9969, 8, 415],
            0.2230,
        ),
        (lambda: proa.binomial(proa.full([4], 10), proa.full([4], 0.4)), [5, 5, 3, 3], None),
        (
            lambda: proa.binomial(proa.full([4], 100), proa.full([4], 0.6)),
            [54, 61, 60, 43],
            None,
        ),
        (
            lambda: proa.binomial(
                proa.full([6], 1000), proa.to_tensor([0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
            ),
            [112, 297, 501, 703, 909, 990],
            0.755,
        ),
        (lambda: proa.binomial(proa.full([2], 3), proa.to_tensor([0.0, 1.0])), [0, 3], 0.8658),
    ],
)
def test_draws_are_paddles(draw, expected, next_number):
    np.testing.assert_allclose(draw().numpy(), expected, atol=1e-4)
    if next_number is not None:
        assert proa.rand([1]).item() == pytest.approx(next_number, abs=1e-4)


def test_gradients_of_gamma_draws_pass_to_the_shapes():
    x = proa.to_tensor([0.5, 3.0], stop_gradient=False)
    drawn = proa.standard_gamma(x)
    drawn.sum().backward()
    # By the implicit function theorem: d draw / d shape = -(dP / d shape) / density, at the draw.
    np.testing.assert_allclose(x.grad.numpy(), [0.02763912, 0.44119501], rtol=1e-4)


@pytest.mark.parametrize("rate", [12.0, 31.5, 2000.0])
def test_large_poisson_numbers_have_the_distribution(rate):
    drawn = _random_host.poisson_noise(Mersenne(3), np.full(4000, rate))
    edges = np.linspace(rate - 2 * rate**0.5, rate + 2 * rate**0.5, 9).round()
    counts = np.bincount(np.searchsorted(edges, drawn), minlength=10)
    below = np.append(stats.poisson(rate).cdf(edges), 1.0)
    assert stats.chisquare(counts, 4000 * np.diff(below, prepend=0.0)).pvalue > 1e-3


@pytest.mark.parametrize("rate", [np.inf, np.nan])
def test_rates_without_a_distribution_are_left_to_the_op(rate):
    with pytest.raises((ValueError, OverflowError)):
        _random_host.poisson_noise(Mersenne(1), np.array([rate]))


def test_very_many_draws_use_keys(monkeypatch):
    monkeypatch.setattr(_random_host, "_MOST", 1)
    assert _random_host.gamma_noise(Mersenne(1), proa.ones([2])) is None
    proa.poisson(proa.to_tensor([3.0, 3.0]))
    assert proa.rand([1]).item() == pytest.approx(0.86583614)
