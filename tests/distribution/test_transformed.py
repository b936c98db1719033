"""Independent and TransformedDistribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import (
    AbsTransform,
    AffineTransform,
    Bernoulli,
    ExpTransform,
    Independent,
    MultivariateNormal,
    Normal,
    StickBreakingTransform,
    TanhTransform,
    TransformedDistribution,
)
from tests.distribution.checks import close, tensor

LOC, SCALE = np.array([0.0, 1.0]), np.array([1.0, 2.0])


def test_independent_sums_over_the_event():
    made = Independent(Normal(LOC, SCALE), 1)
    known = stats.norm(LOC, SCALE)
    assert (made.batch_shape, made.event_shape) == ((), (2,))
    close(made.log_prob(tensor([0.5, 0.4])), known.logpdf([0.5, 0.4]).sum())
    close(made.entropy(), known.entropy().sum())
    close(made.mean, LOC)
    close(made.variance, SCALE**2)
    assert made.sample([3]).shape == made.rsample([3]).shape == [3, 2]
    other = Independent(Normal(LOC + 1, SCALE), 1)
    close(made.kl_divergence(other), (0.5 / SCALE**2).sum())


def test_a_chain_of_transforms():
    # Recorded with paddle 3.3.1.
    base = Normal([0.0, 1.0], [1.0, 2.0])
    made = TransformedDistribution(base, [AffineTransform(1.0, 2.0), TanhTransform()])
    np.testing.assert_allclose(made.log_prob(0.4).numpy(), [-1.47925, -2.3383], atol=1e-5)
    made = TransformedDistribution(base, [ExpTransform()])
    at = proa.to_tensor([0.2, 0.3])
    np.testing.assert_allclose(made.prob(at).numpy(), [0.54627, 0.36229], atol=1e-5)


def test_transforms_of_vectors_make_events():
    # Recorded with paddle 3.3.1.
    base = Normal(proa.to_tensor([[0.0, 1.0], [0.0, 0.0]]), proa.to_tensor([1.0, 2.0]))
    made = TransformedDistribution(base, [StickBreakingTransform()])
    assert (made.batch_shape, made.event_shape) == ((2,), (3,))
    logs = made.log_prob(proa.to_tensor([0.2, 0.3, 0.5]))
    np.testing.assert_allclose(logs.numpy(), [0.44998, 0.70269], atol=1e-5)
    drawn = made.sample([5])
    assert drawn.shape == [5, 2, 3]
    np.testing.assert_allclose(drawn.sum(-1).numpy(), 1, rtol=1e-6)


def test_a_shared_scale_counts_for_each_entry_of_an_event():
    made = TransformedDistribution(
        MultivariateNormal(LOC, np.eye(2)), [AffineTransform(tensor(1.0), tensor(3.0))]
    )
    known = stats.multivariate_normal(1 + 3 * LOC, 9 * np.eye(2))
    close(made.log_prob(tensor([0.3, 0.4])), known.logpdf([0.3, 0.4]))


def test_gradients_reach_base_and_transform():
    loc, factor = tensor(0.0, train=True), tensor(2.0, train=True)
    made = TransformedDistribution(Normal(loc, tensor(1.0)), [AffineTransform(tensor(0.0), factor)])
    slope, _ = proa.grad(made.rsample([4]).sum(), [loc, factor])
    close(slope, 8.0)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Independent(3, 1), TypeError, "`base` of `Independent` is 3"),
        (lambda: Independent(Normal(0.0, 1.0), 1), ValueError, "is 1, the batch shape"),
        (lambda: TransformedDistribution(3, []), TypeError, "`base`(.|\n)*a Distribution"),
        (
            lambda: TransformedDistribution(Normal(0.0, 1.0), ExpTransform()),
            TypeError,
            "`transforms`(.|\n)*list",
        ),
        (
            lambda: TransformedDistribution(Normal(0.0, 1.0), [StickBreakingTransform()]),
            ValueError,
            "at least 1 axes",
        ),
        (
            lambda: TransformedDistribution(Normal(0.0, 1.0), [AbsTransform()]).log_prob(1.0),
            NotImplementedError,
            "transformed by `AbsTransform`",
        ),
        (lambda: Independent(Bernoulli([0.5]), 1).cdf(0.0), NotImplementedError, "`cdf`"),
    ],
)
def test_errors(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


def test_divergence_of_other_events_is_refused():
    base = Normal(np.zeros((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="1 and 2 reinterpreted"):
        Independent(base, 1).kl_divergence(Independent(base, 2))
