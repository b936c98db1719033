"""Bernoulli, ContinuousBernoulli and Geometric against SciPy and recorded values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

import proa
from proa.distribution import Bernoulli, ContinuousBernoulli, Geometric
from tests.distribution.checks import check_gradient, check_moments, close, tensor

P = np.array([0.2, 0.5, 0.9])


def test_bernoulli_equals_scipy():
    made, known = Bernoulli(P), stats.bernoulli(P)
    for at in (0.0, 1.0):
        close(made.log_prob(at), known.logpmf(at))
    close(made.entropy(), known.entropy())
    close(made.mean, P)
    close(made.variance, known.var())
    check_moments(made, P, known.var())


def test_bernoulli_edges():
    # Recorded with paddle 3.3.1.
    at = proa.to_tensor([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(Bernoulli(0.3).cdf(at).numpy(), [0, 0.7, 0.7, 1, 1], rtol=1e-6)
    ends = Bernoulli(0.0).log_prob(proa.to_tensor([0.0, 1.0])).numpy()
    np.testing.assert_allclose(ends, [0, -15.94238], atol=1e-5)
    assert Bernoulli(1.0).entropy().item() == pytest.approx(0, abs=1e-5)


def test_relaxed_draws_have_gradients():
    p = tensor(P, train=True)
    proa.seed(1)
    drawn = Bernoulli(p).rsample([4], temperature=0.5)
    (slope,) = proa.grad(drawn.sum(), [p])
    close(slope, 4 / (0.5 * P * (1 - P)))
    hard = (proa.nn.functional.sigmoid(Bernoulli(P).rsample([20000], 1e-3)) > 0.5).numpy()
    np.testing.assert_allclose(hard.mean(0), P, atol=0.02)


def test_continuous_bernoulli_integrates_to_one():
    for p in (0.2, 0.45, 0.9):
        made = ContinuousBernoulli(np.array([p]))
        points = np.linspace(0, 1, 2001)
        masses = made.prob(tensor(points)).numpy()
        assert integrate.simpson(masses, points) == pytest.approx(1, abs=1e-9)
        mean = integrate.simpson(masses * points, points)
        close(made.mean, [mean])
        close(made.variance, [integrate.simpson(masses * points**2, points) - mean**2], rtol=1e-8)
        close(made.entropy(), [-integrate.simpson(masses * np.log(masses), points)], atol=1e-9)
        close(made.icdf(made.cdf(tensor(0.3))), [0.3])


def test_continuous_bernoulli_recorded_values():
    # Recorded with paddle 3.3.1; the last two lie where the series is used.
    made = ContinuousBernoulli([0.2, 0.5, 0.4995])
    at = proa.to_tensor(0.3)
    for got, wanted in (
        (made.cdf(at), [0.45366, 0.3, 0.3]),
        (made.icdf(at), [0.18387, 0.3, 0.3]),
        (made.log_prob(at), [0.19843, 0.0, 0.0004]),
        (made.mean, [0.38801, 0.5, 0.49983]),
        (made.variance, [0.0759, 0.08333, 0.08333]),
        (made.entropy(), [-0.07641, 0.0, 0.0]),
    ):
        np.testing.assert_allclose(got.numpy(), wanted, atol=1.2e-5)
    check_moments(
        ContinuousBernoulli(P), ContinuousBernoulli(P).mean, ContinuousBernoulli(P).variance
    )
    assert ContinuousBernoulli(0.3).batch_shape == (1,)


def test_geometric_equals_scipy():
    made, known = Geometric(P), stats.geom(P, loc=-1)
    close(made.log_pmf(tensor(2.0)), known.logpmf(2))
    close(made.pmf(2), known.pmf(2))
    close(made.cdf(tensor(2.0)), known.cdf(2))
    close(made.entropy(), known.entropy())
    close(made.mean, known.mean())
    close(made.variance, known.var())
    close(made.stddev, known.std())
    check_moments(made, known.mean(), known.var())
    assert made.pmf(-1).tolist() == [0.0] * 3
    assert made.cdf(-1).tolist() == [0.0] * 3


def test_gradients():
    check_gradient(lambda p: Bernoulli(p).log_prob(tensor([1.0, 0.0, 1.0])), P)
    check_gradient(lambda p: Geometric(p).log_pmf(tensor([0.0, 1.0, 3.0])), P)
    check_gradient(
        lambda p: ContinuousBernoulli(p).log_prob(tensor(0.3)), np.array([0.2, 0.4999, 0.9])
    )


def test_divergences():
    # Recorded with paddle 3.3.1.
    def kl(kind):
        return kind([0.2]).kl_divergence(kind([0.45])).item()

    assert kl(Bernoulli) == pytest.approx(0.13757, abs=1e-5)
    assert kl(ContinuousBernoulli) == pytest.approx(0.05562, abs=1e-5)
    # Paddle 3.3.1 gives 0.13757 here, the divergence of one trial.
    counts = np.arange(400)
    p, q = stats.geom(0.2, loc=-1), stats.geom(0.45, loc=-1)
    wanted = (p.pmf(counts) * (p.logpmf(counts) - q.logpmf(counts))).sum()
    assert kl(Geometric) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bernoulli(1.5), r"`probs` of `Bernoulli` holds 1.5(.|\n)*\[0, 1\](.|\n)*sigmoid"),
        (lambda: Geometric(-1.0), "`probs` of `Geometric` holds -1"),
        (lambda: ContinuousBernoulli(2.0), "`probs` of `ContinuousBernoulli` holds 2"),
        (lambda: ContinuousBernoulli(0.2, lims=(0.6, 0.7)), "`lims`(.|\n)*1/2 between"),
        (lambda: Bernoulli(0.5).rsample([2], temperature=0.0), "`temperature`(.|\n)*> 0"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
