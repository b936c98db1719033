"""MultivariateNormal against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import MultivariateNormal
from tests.distribution.checks import check_gradient, close, tensor

LOC, COV = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 3]])
FORMS = {
    "covariance_matrix": COV,
    "precision_matrix": np.linalg.inv(COV),
    "scale_tril": np.linalg.cholesky(COV),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_equals_scipy(form):
    made = MultivariateNormal(LOC, **{form: FORMS[form]})
    known = stats.multivariate_normal(LOC, COV)
    at = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 2.0]])
    close(made.log_prob(tensor(at)), known.logpdf(at))
    close(made.entropy(), known.entropy())
    close(made.mean, LOC)
    close(made.variance, np.diag(COV))
    for name, matrix in FORMS.items():
        close(getattr(made, name), matrix, atol=1e-9)


def test_samples_of_a_batch():
    made = MultivariateNormal(np.stack([LOC, -LOC]), COV)
    assert (made.batch_shape, made.event_shape) == ((2,), (3,))
    proa.seed(2)
    drawn = made.sample([20000])
    assert drawn.stop_gradient
    np.testing.assert_allclose(drawn.numpy().mean(0), [LOC, -LOC], atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.numpy()[:, 1].T), COV, atol=0.1)


def test_gradients():
    check_gradient(
        lambda m, f: MultivariateNormal(m, scale_tril=f).log_prob(tensor([0.0, 1.0, 2.0])),
        LOC,
        np.linalg.cholesky(COV),
    )
    loc = tensor(LOC, train=True)
    (slope,) = proa.grad(MultivariateNormal(loc, COV).rsample([4]).sum(), [loc])
    close(slope, np.full(3, 4.0))


def test_divergence():
    # Recorded with paddle 3.3.1.
    left = MultivariateNormal([1.0, 2.0], np.array([[2.0, 1.0], [1.0, 2.0]]))
    right = MultivariateNormal([2.0, 2.0], np.array([[3.0, 1.0], [1.0, 2.0]]))
    assert left.kl_divergence(right).item() == pytest.approx(0.25541, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 1.0],), "given none of the three(.|\n)*exactly one"),
        (([0.0, 1.0], np.eye(2), np.eye(2)), "covariance_matrix, precision_matrix"),
        ((0.0, np.eye(2)), r"`loc` \[\](.|\n)*\[..., k, k\](.|\n)*unsqueeze"),
        (([0.0, 1.0], np.eye(3)), r"`covariance_matrix` \[3, 3\]"),
        (([0.0, 1.0], np.array([[1.0, 2.0], [2.0, 1.0]])), "cholesky"),
    ],
)
def test_bad_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        MultivariateNormal(*arguments)
