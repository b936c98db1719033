"""Beta and Dirichlet against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import Beta, Dirichlet
from tests.distribution.checks import check_gradient, check_moments, close, tensor

A, B, AT = np.array([0.5, 2.0, 7.0]), np.array([1.0, 3.0, 0.5]), np.array([0.3, 0.6, 0.9])
WEIGHTS, POINT = np.array([[1.0, 2.0, 3.0], [0.5, 0.7, 4.0]]), np.array([0.2, 0.3, 0.5])


def test_beta_equals_scipy():
    made, known = Beta(A, B), stats.beta(A, B)
    close(made.log_prob(tensor(AT)), known.logpdf(AT))
    close(made.entropy(), known.entropy())
    close(made.mean, known.mean())
    close(made.variance, known.var())
    check_moments(made, known.mean(), known.var())
    assert made.log_prob(1.5).tolist() == [-np.inf] * 3


def test_dirichlet_equals_scipy():
    made, known = Dirichlet(WEIGHTS), [stats.dirichlet(row) for row in WEIGHTS]
    assert (made.batch_shape, made.event_shape) == ((2,), (3,))
    close(made.log_prob(tensor(POINT)), [row.logpdf(POINT) for row in known])
    close(made.entropy(), [row.entropy() for row in known])
    close(made.mean, [row.mean() for row in known])
    close(made.variance, [row.var() for row in known])
    check_moments(made, made.mean.numpy(), made.variance.numpy())
    assert made.log_prob(tensor([1.2, -0.4, 0.2])).tolist() == [-np.inf] * 2


def test_small_weights_do_not_underflow():
    proa.seed(0)
    drawn = Beta(0.002, 0.002).sample([1000]).numpy()
    assert np.isfinite(drawn).all()
    assert 0.4 < (drawn > 0.5).mean() < 0.6
    assert ((drawn < 0.01) | (drawn > 0.99)).mean() > 0.95


def test_gradients():
    check_gradient(lambda x, a, b: Beta(a, b).log_prob(x), AT, A, B)
    check_gradient(lambda w: Dirichlet(w).entropy(), WEIGHTS)
    a, b = tensor(A, train=True), tensor(B, train=True)
    proa.seed(3)
    slope, _ = proa.grad(Beta(a, b).rsample([20000]).mean(0).sum(), [a, b])
    close(slope, B / (A + B) ** 2, rtol=0.1)


def test_divergences():
    # Recorded with paddle 3.3.1.
    assert Beta([1.0], [2.0]).kl_divergence(Beta([2.0], [3.0])).item() == pytest.approx(
        0.20824, abs=1e-5
    )
    kl = Dirichlet([1.0, 2.0, 3.0]).kl_divergence(Dirichlet([2.0, 2.0, 3.0]))
    assert kl.item() == pytest.approx(0.49157, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Beta(-1.0, 1.0), "`alpha` of `Beta` holds -1"),
        (lambda: Beta(1.0, 0.0), "`beta` of `Beta` holds 0"),
        (lambda: Dirichlet(1.0), "`concentration` of `Dirichlet` is a single number(.|\n)*Beta"),
        (lambda: Dirichlet([1.0, 0.0]), "`concentration` of `Dirichlet` holds 0"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
