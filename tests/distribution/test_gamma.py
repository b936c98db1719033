"""Gamma, Chi2 and Exponential against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import Chi2, Exponential, Gamma
from tests.distribution.checks import check_gradient, check_moments, close, tensor

A, B, AT = np.array([0.5, 2.0, 7.0]), np.array([1.0, 3.0, 0.5]), np.array([0.3, 2.0, 5.0])


@pytest.mark.parametrize(
    ("made", "known"),
    [
        (Gamma(A, B), stats.gamma(A, scale=1 / B)),
        (Chi2(A), stats.chi2(A)),
        (Exponential(B), stats.expon(scale=1 / B)),
    ],
    ids=["gamma", "chi2", "exponential"],
)
def test_equal_scipy(made, known):
    close(made.log_prob(tensor(AT)), known.logpdf(AT))
    assert made.log_prob(-1.0).tolist() == [-np.inf] * 3
    close(made.entropy(), known.entropy())
    close(made.mean, known.mean())
    close(made.variance, known.var())
    check_moments(made, known.mean(), known.var())


def test_exponential_quantiles():
    made, known = Exponential(B), stats.expon(scale=1 / B)
    close(made.cdf(tensor(AT)), known.cdf(AT))
    close(made.icdf(tensor(0.3)), known.ppf(0.3))
    assert made.cdf(-1.0).tolist() == [0.0] * 3


def test_gradients():
    check_gradient(lambda x, a, b: Gamma(a, b).log_prob(x), AT, A, B)
    check_gradient(lambda a: Chi2(a).entropy(), A)
    check_gradient(lambda b: Exponential(b).log_prob(tensor(AT)), B)


def test_reparametrised_draws():
    a, b = tensor(A, train=True), tensor(B, train=True)
    proa.seed(3)
    drawn = Gamma(a, b).rsample([20000]).mean(0)
    a_grad, b_grad = proa.grad(drawn.sum(), [a, b])
    # The mean is a / b, and so the slopes of the sample mean are near these.
    close(a_grad, 1 / B, rtol=0.1)
    close(b_grad, -A / B**2, rtol=0.1)
    rate = tensor(B, train=True)
    times = Exponential(rate).rsample([4])
    (slope,) = proa.grad(times.sum(), [rate])
    close(slope, -(times.numpy() / B).sum(0))
    assert Gamma(a, b).sample().stop_gradient


def test_divergences():
    # Recorded with paddle 3.3.1.
    gamma = Gamma([1.0], [2.0])
    assert gamma.kl_divergence(Gamma([2.0], [3.0])).item() == pytest.approx(0.26629, abs=2e-5)
    assert Chi2([1.0]).kl_divergence(Chi2([2.0])).item() == pytest.approx(0.40939, abs=1e-5)
    assert Chi2([1.0]).kl_divergence(gamma).item() == pytest.approx(0.5231, abs=1e-5)
    times = Exponential([1.0]).kl_divergence(Exponential([2.0]))
    assert times.item() == pytest.approx(0.30685, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gamma(-1.0, 1.0), "`concentration` of `Gamma` holds -1(.|\n)*numbers > 0"),
        (lambda: Gamma(1.0, 0.0), "`rate` of `Gamma` holds 0"),
        (lambda: Chi2(-1.0), "`df` of `Chi2` holds -1"),
        (lambda: Exponential(0.0), "`rate` of `Exponential` holds 0"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
