"""Draws one by one from Paddle's stream; its numbers were printed by Paddle 3.3.1, seed 2023."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

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


def test_large_poisson_rates_and_very_many_draws_use_keys(monkeypatch):
    assert _random_host.poisson_noise(Mersenne(1), proa.to_tensor([12.0])) is None
    monkeypatch.setattr(_random_host, "_MOST", 1)
    assert _random_host.gamma_noise(Mersenne(1), proa.ones([2])) is None
    proa.poisson(proa.to_tensor([30.0]))
    assert proa.rand([1]).item() == pytest.approx(0.86583614)
