"""Random ops of the room."""

from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.distribution as dist
from proa.distribution._draw import draw_counts, draw_log_gamma, draw_open, seeded


@pytest.mark.parametrize("dtype", [proa.float16, proa.bfloat16, proa.float32, proa.float64])
def test_ends_are_not_drawn(dtype):
    proa.seed(0)
    drawn = draw_open([20000], dtype)
    assert drawn.dtype == dtype
    values = drawn.astype("float64").numpy()
    assert ((values > 0) & (values < 1)).all()
    assert values.mean() == pytest.approx(0.5, abs=0.02)


def test_logarithms_of_gamma_numbers():
    proa.seed(0)
    drawn = draw_log_gamma(proa.full([20000], 3.0, "float64")).exp().numpy()
    assert drawn.mean() == pytest.approx(3.0, abs=0.07)
    assert np.isfinite(draw_log_gamma(proa.full([100], 1e-3)).numpy()).all()


def test_counts_sum_to_the_total():
    counts = draw_counts(7, proa.to_tensor([0.2, 0.8]), (4,), proa.float32)
    assert counts.sum(-1).tolist() == [7.0] * 4


def test_the_generator_goes_on_after_a_seed():
    proa.seed(1)
    wanted = proa.rand([2]).tolist()
    proa.seed(1)
    with seeded(3):
        proa.rand([2])
    assert proa.rand([2]).tolist() == wanted
    with seeded(0):
        assert proa.rand([2]).tolist() != wanted


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        # What Paddle 3.3.1 printed after paddle.seed(2023), on a CPU.
        (lambda: dist.Categorical(proa.to_tensor([0.1, 0.5, 0.4])).sample([3]), [2, 1, 0]),
        (
            lambda: dist.Categorical(proa.to_tensor([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])).sample(
                [3]
            ),
            [[2, 2], [1, 1], [0, 1]],
        ),
        (
            lambda: dist.Multinomial(6, proa.to_tensor([0.1, 0.5, 0.4])).sample([3]),
            [[0, 2, 4], [0, 3, 3], [1, 5, 0]],
        ),
        (
            lambda: dist.Beta(proa.to_tensor([0.5, 2.0]), proa.to_tensor([1.5, 3.0])).sample([2]),
            [[0.0239, 0.2221], [0.5503, 0.3946]],
        ),
        (
            lambda: dist.Dirichlet(proa.to_tensor([0.5, 1.0, 3.0])).sample([2]),
            [[0.0008, 0.0034, 0.9959], [0.0002, 0.1228, 0.8770]],
        ),
        (
            lambda: dist.Exponential(proa.to_tensor([0.5, 2.0])).sample([1]),
            [[0.2881, 0.3268]],
        ),
    ],
)
def test_with_paddles_stream_draws_are_paddles(draw, expected):
    proa.set_flags({"FLAGS_paddle_random": True})
    try:
        proa.seed(2023)
        np.testing.assert_allclose(draw().numpy(), expected, atol=1e-4)
    finally:
        proa.set_flags({"FLAGS_paddle_random": False})


def test_gradients_of_drawn_log_gamma_numbers_are_those_of_the_logarithm():
    proa.set_flags({"FLAGS_paddle_random": True})
    try:
        slopes = []
        for draw in (draw_log_gamma, lambda x: proa.standard_gamma(x).log()):
            proa.seed(2023)
            x = proa.to_tensor([0.5, 3.0], stop_gradient=False)
            draw(x).sum().backward()
            slopes.append(x.grad.numpy())
        np.testing.assert_allclose(*slopes, rtol=1e-5)
        assert (slopes[0] > 0).all()
    finally:
        proa.set_flags({"FLAGS_paddle_random": False})
