"""Categorical and Multinomial against SciPy and values recorded from paddle 3.3.1."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import Categorical, Multinomial
from tests.distribution.checks import check_gradient, check_moments, close, tensor

LOGITS = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0]])
P = np.array([[0.2, 0.3, 0.5], [2.0, 2.0, 4.0]])


@pytest.mark.parametrize(
    ("logits", "value", "wanted"),
    [
        (LOGITS[0], 1, 1 / 3),
        (LOGITS[0], [0, 2], [1 / 6, 1 / 2]),
        (LOGITS[0], [[0], [2]], [[1 / 6], [1 / 2]]),
        (LOGITS, [0, 2], [[1 / 6, 1 / 2], [0.6, 0.2]]),
        (LOGITS, [[0, 2], [1, 1]], [[1 / 6, 1 / 2], [0.2, 0.2]]),
        (LOGITS, [[0], [1]], [[1 / 6], [0.2]]),
    ],
)
def test_probabilities_as_recorded(logits, value, wanted):
    made = Categorical(logits)
    close(made.probs(proa.to_tensor(value)), wanted)
    close(made.log_prob(proa.to_tensor(value)), np.log(wanted))


def test_samples_follow_the_softmax():
    proa.seed(5)
    drawn = Categorical(LOGITS).sample([20000])
    assert drawn.shape == [20000, 2]
    assert drawn.dtype.name == "int64"
    weights = np.exp(LOGITS) / np.exp(LOGITS).sum(-1, keepdims=True)
    shares = np.stack([(drawn.numpy() == k).mean(0) for k in range(3)], -1)
    np.testing.assert_allclose(shares, weights, atol=0.02)
    assert Categorical(LOGITS[0]).sample([4, 2]).shape == [4, 2]
    assert Categorical(LOGITS[0]).sample([0]).shape == [0]


def test_entropy_and_divergence():
    # Recorded with paddle 3.3.1.
    made = Categorical(LOGITS)
    np.testing.assert_allclose(made.entropy().numpy(), [0.8324, 0.66557], atol=1e-5)
    other = Categorical([[1.0, 1.0, 3.0], [3.0, 2.0, 1.0]])
    np.testing.assert_allclose(made.kl_divergence(other).numpy(), [[0.07667], [0.06155]], atol=1e-5)
    check_gradient(lambda x: Categorical(x).entropy(), LOGITS)
    check_gradient(lambda x: Categorical(x).log_prob(proa.to_tensor([0, 2])), LOGITS)


def test_multinomial_equals_scipy():
    made = Multinomial(5, P)
    known = [stats.multinomial(5, row / row.sum()) for row in P]
    at = np.array([1.0, 2.0, 2.0])
    close(made.log_prob(tensor(at)), [row.logpmf(at) for row in known])
    close(made.entropy(), [row.entropy() for row in known])
    close(made.mean, 5 * P / P.sum(-1, keepdims=True))
    close(made.variance, [np.diag(row.cov()) for row in known])
    check_moments(made, made.mean.numpy(), made.variance.numpy())
    assert made.sample([2, 3]).shape == [2, 3, 2, 3]
    assert (made.sample([9]).sum(-1).numpy() == 5).all()
    assert made.prob(tensor([1.0, 1.0, 1.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Categorical(1.0), ValueError, "`logits` of `Categorical` is a single number"),
        (
            lambda: Categorical([-1.0, 2.0]).log_prob([0]),
            ValueError,
            "`logits` of `Categorical` holds -1(.|\n)*softmax",
        ),
        (lambda: Categorical(P).probs(np.zeros((1, 1, 1), int)), ValueError, "`value`(.|\n)*axes"),
        (lambda: Categorical(P).probs([True]), TypeError, "dtype bool(.|\n)*integers"),
        (lambda: Multinomial(0, P), ValueError, "`total_count` of `Multinomial` is 0"),
        (lambda: Multinomial(2, 0.5), ValueError, "`probs` of `Multinomial` is a single"),
        (lambda: Multinomial(2, [-1.0, 2.0]), ValueError, "`probs` of `Multinomial` holds -1"),
    ],
)
def test_errors(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
