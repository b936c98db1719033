"""Uniform, Laplace, Cauchy, Gumbel, StudentT against SciPy and recorded values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import Cauchy, Gumbel, Laplace, StudentT, Uniform
from tests.distribution.checks import check_gradient, check_moments, close, tensor

A, B = np.array([0.0, 1.5, -2.0]), np.array([1.0, 2.5, 0.5])
AT, CHANCES = np.array([0.3, 2.0, -1.0]), np.array([0.1, 0.5, 0.8])
PAIRS = [
    (Uniform(A, A + B), stats.uniform(A, B)),
    (Laplace(A, B), stats.laplace(A, B)),
    (Cauchy(A, B), stats.cauchy(A, B)),
    (Gumbel(A, B), stats.gumbel_r(A, B)),
]
NAMES = ["uniform", "laplace", "cauchy", "gumbel"]


@pytest.mark.parametrize(("made", "known"), PAIRS, ids=NAMES)
def test_equal_scipy(made, known):
    close(made.log_prob(tensor(AT)), known.logpdf(AT))
    close(made.cdf(tensor(AT)), known.cdf(AT))
    close(made.icdf(tensor(CHANCES)), known.ppf(CHANCES))
    close(made.entropy(), known.entropy())
    if not isinstance(made, Cauchy):
        close(made.mean, known.mean())
        close(made.variance, known.var())
        close(made.stddev, known.std())
        check_moments(made, known.mean(), known.var())


def test_student_t_equals_scipy():
    df = np.array([3.0, 5.0, 1.5])
    made, known = StudentT(df, A, B), stats.t(df, A, B)
    close(made.log_prob(tensor(AT)), known.logpdf(AT))
    close(made.entropy(), known.entropy())
    close(made.mean, known.mean())
    close(made.variance, known.var())
    steady = StudentT(np.full(3, 9.0), A, B)
    check_moments(steady, A, steady.variance.numpy())


def test_moments_of_heavy_tails():
    # Recorded with paddle 3.3.1.
    made = StudentT([0.5, 1.0, 1.5, 2.0, 3.0], 0.0, 1.0)
    np.testing.assert_array_equal(made.mean.numpy(), [np.nan, np.nan, 0, 0, 0])
    np.testing.assert_array_equal(made.variance.numpy(), [np.nan, np.nan, np.inf, np.inf, 3])
    with pytest.raises(ValueError, match="`Cauchy`(.|\n)*median"):
        _ = Cauchy(0.0, 1.0).mean
    with pytest.raises(ValueError, match="moment"):
        _ = Cauchy(0.0, 1.0).stddev


def test_the_ends_of_an_interval_are_outside():
    # Recorded with paddle 3.3.1.
    at = proa.to_tensor([-1.0, 0.0, 0.5, 1.0, 2.0])
    inf = np.inf
    assert Uniform(0.0, 1.0).log_prob(at).tolist() == [-inf, -inf, 0.0, -inf, -inf]


@pytest.mark.parametrize("kind", [Laplace, Cauchy, Gumbel])
def test_gradients(kind):
    check_gradient(lambda x, a, b: kind(a, b).log_prob(x), AT, A, B)
    a, b = tensor(A, train=True), tensor(B, train=True)
    drawn = kind(a, b).rsample([4])
    a_grad, b_grad = proa.grad(drawn.sum(), [a, b])
    close(a_grad, np.full(3, 4.0))
    close(b_grad, ((drawn.numpy() - A) / B).sum(0), rtol=1e-7)
    assert kind(a, b).sample().stop_gradient


def test_uniform_samples_pass_gradients():
    high = tensor(A + B, train=True)
    drawn = Uniform(A, high).sample([4], seed=3)
    (slope,) = proa.grad(drawn.sum(), [high])
    close(slope, ((drawn.numpy() - A) / B).sum(0))


def test_student_t_gradients():
    df = np.array([3.0, 5.0, 7.5])
    check_gradient(lambda x, d, a, b: StudentT(d, a, b).log_prob(x), AT, df, A, B)
    df = tensor(df, train=True)
    (slope,) = proa.grad(StudentT(df, A, B).rsample([4]).sum(), [df])
    assert np.isfinite(slope.numpy()).all()


def test_divergences():
    # Recorded with paddle 3.3.1, but for the uniform ones, which have a closed form.
    def both(kind):
        return kind([0.1], [1.0]), kind([1.1], [2.0])

    for kind, wanted in ((Laplace, 0.37709), (Cauchy, 0.22314)):
        p, q = both(kind)
        assert p.kl_divergence(q).item() == pytest.approx(wanted, abs=1e-5)
    inner, outer = Uniform(0.0, 1.0), Uniform(-1.0, 2.0)
    assert inner.kl_divergence(outer).item() == pytest.approx(np.log(3))
    assert outer.kl_divergence(inner).item() == np.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Uniform(2.0, 1.0), "`high - low` of `Uniform`(.|\n)*swap"),
        (lambda: Laplace(0.0, -1.0), "`scale` of `Laplace` holds -1"),
        (lambda: Cauchy(0.0, -1.0), "`scale` of `Cauchy` holds -1"),
        (lambda: Gumbel(0.0, -1.0), "`scale` of `Gumbel` holds -1"),
        (lambda: StudentT(0.0, 0.0, 1.0), "`df` of `StudentT` holds 0(.|\n)*> 0"),
        (lambda: StudentT(1.0, 0.0, -1.0), "`scale` of `StudentT`"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
