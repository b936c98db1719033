"""Binomial and Poisson against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proa.distribution import Binomial, Poisson
from tests.distribution.checks import check_gradient, check_moments, close, tensor

N, P, RATE = np.array([10.0, 3.0]), np.array([0.3, 0.9]), np.array([0.5, 3.0])


def test_binomial_equals_scipy():
    made, known = Binomial(N, P), stats.binom(N, P)
    close(made.log_prob(tensor(2.0)), known.logpmf(2))
    close(made.entropy(), [stats.binom(n, p).entropy() for n, p in zip(N, P, strict=True)])
    close(made.mean, known.mean())
    close(made.variance, known.var())
    check_moments(made, known.mean(), known.var())


def test_binomial_edges():
    made = Binomial(3, [0.0, 1.0])
    assert made.log_prob(np.array([0.0, 3.0])).tolist() == pytest.approx([0, 0], abs=1e-6)
    assert made.prob(np.array([1.0, 4.0])).tolist() == [0.0, 0.0]
    assert Binomial(3, 0.5).prob(-1).item() == 0


def test_poisson_equals_scipy():
    made, known = Poisson(RATE), stats.poisson(RATE)
    close(made.log_prob(tensor(2.0)), known.logpmf(2))
    close(made.mean, RATE)
    close(made.variance, RATE)
    check_moments(made, RATE, RATE)
    assert made.prob(-1).tolist() == [0.0, 0.0]
    assert Poisson(3.0).batch_shape == (1,)


def test_poisson_entropy_is_exact_for_small_and_large_rates():
    rates = np.array([0.0, 0.5, 40.0, 63.9, 64.1, 900.0])
    counts = np.arange(2000)
    masses = stats.poisson(rates[:, None]).pmf(counts)
    logs = np.where(masses > 0, np.log(np.where(masses > 0, masses, 1)), 0)
    close(Poisson(rates).entropy(), -(masses * logs).sum(-1), rtol=1e-8, atol=1e-10)


def test_gradients():
    check_gradient(lambda p: Binomial(N, p).log_prob(tensor(2.0)), P)
    check_gradient(lambda p: Binomial(N, p).entropy(), P)
    check_gradient(lambda r: Poisson(r).log_prob(tensor(2.0)), RATE)
    check_gradient(lambda r: Poisson(r).entropy(), np.array([0.5, 3.0, 80.0]))


def test_divergences():
    # Recorded with paddle 3.3.1.
    kl = Binomial(10, [0.2]).kl_divergence(Binomial(10, [0.45]))
    assert kl.item() == pytest.approx(1.37569, abs=1e-5)
    assert Poisson([1.0]).kl_divergence(Poisson([2.0])).item() == pytest.approx(0.30685, abs=1e-5)
    with pytest.raises(ValueError, match="total_count(.|\n)*equal numbers of trials"):
        Binomial(10, 0.2).kl_divergence(Binomial(9, 0.2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Binomial(-1, 0.2), "`total_count` of `Binomial` holds -1"),
        (lambda: Binomial(2.5, 0.2), "`total_count` of `Binomial` holds 2.5(.|\n)*whole"),
        (lambda: Binomial(2, 1.2), "`probs` of `Binomial` holds 1.2"),
        (lambda: Poisson(-1.0), "`rate` of `Poisson` holds -1"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
