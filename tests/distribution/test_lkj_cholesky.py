"""LKJCholesky: its density integrates to one, both methods draw from it."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.distribution import LKJCholesky
from tests.distribution.checks import check_gradient, close, tensor

FACTOR = np.array([[1.0, 0, 0], [0.6, 0.8, 0], [0.3, 0.4, 0.75**0.5]])


def test_recorded_density():
    # Recorded with paddle 3.3.1.
    at = tensor(FACTOR)
    assert LKJCholesky(3, 1.5).log_prob(at).item() == pytest.approx(-1.61707, abs=1e-5)
    batch = LKJCholesky(3, np.array([1.0, 2.0])).log_prob(at)
    np.testing.assert_allclose(batch.numpy(), [-1.81946, -1.5726], atol=1e-5)


def test_the_density_of_one_correlation_integrates_to_one():
    corr = np.linspace(-1, 1, 200001)[1:-1]
    rest = np.sqrt(1 - corr**2)
    factors = np.zeros((corr.size, 2, 2))
    factors[:, 0, 0], factors[:, 1, 0], factors[:, 1, 1] = 1, corr, rest
    masses = LKJCholesky(2, np.array(2.5)).prob(tensor(factors)).numpy()
    assert masses.sum() * (corr[1] - corr[0]) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("method", ["onion", "cvine"])
def test_draws_are_factors_of_correlations_with_the_right_spread(method):
    proa.seed(4)
    made = LKJCholesky(3, np.array([1.0, 3.0]), method)
    drawn = made.sample([20000])
    assert drawn.shape == [20000, 2, 3, 3]
    factors = drawn.numpy()
    matrices = factors @ factors.swapaxes(-1, -2)
    np.testing.assert_allclose(np.diagonal(matrices, axis1=-2, axis2=-1), 1, rtol=1e-9)
    assert (np.triu(factors, 1) == 0).all()
    # An entry r of the correlation matrix has (r + 1) / 2 ~ Beta(b, b), b = concentration + 1/2.
    wanted = 1 / (2 * np.array([1.5, 3.5]) + 1)
    for i, j in ((1, 0), (2, 0), (2, 1)):
        np.testing.assert_allclose(matrices[:, :, i, j].var(0), wanted, rtol=0.05)


def test_gradient():
    check_gradient(lambda c: LKJCholesky(3, c).log_prob(tensor(FACTOR)), np.array([1.5, 2.0]))
    close(LKJCholesky(2, 1.0).log_prob(tensor(np.eye(2))), -np.log(2), rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1,), "`dim` of `LKJCholesky` is 1(.|\n)*>= 2"),
        ((2, -1.0), "`concentration` of `LKJCholesky` holds -1"),
        ((2, 1.0, "vine"), "`sample_method`(.|\n)*onion"),
    ],
)
def test_bad_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LKJCholesky(*arguments)
