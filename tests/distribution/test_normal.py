"""Normal and LogNormal against SciPy, and against values recorded from paddle 3.3.1."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from proa.distribution import LogNormal, Normal
from tests.distribution.checks import check_gradient, check_moments, close, tensor

LOC, SCALE, AT = np.array([0.0, 1.5, -2.0]), np.array([1.0, 0.5, 2.0]), np.array([0.3, 2.0, -5.0])


def test_normal_equals_scipy():
    made, known = Normal(LOC, SCALE), stats.norm(LOC, SCALE)
    close(made.log_prob(tensor(AT)), known.logpdf(AT))
    close(made.prob(tensor(AT)), known.pdf(AT))
    close(made.probs(tensor(AT)), known.pdf(AT))
    close(made.cdf(tensor(AT)), known.cdf(AT))
    close(made.icdf(tensor([0.1, 0.5, 0.9])), known.ppf([0.1, 0.5, 0.9]), rtol=1e-7)
    close(made.entropy(), known.entropy())
    close(made.mean, LOC)
    close(made.variance, SCALE**2)
    close(made.stddev, SCALE)


def test_log_normal_equals_scipy():
    made, known = LogNormal(LOC, SCALE), stats.lognorm(SCALE, scale=np.exp(LOC))
    at = np.array([0.3, 2.0, 5.0])
    close(made.log_prob(tensor(at)), known.logpdf(at))
    close(made.cdf(tensor(at)), known.cdf(at))
    close(made.icdf(tensor([0.1, 0.5, 0.9])), known.ppf([0.1, 0.5, 0.9]), rtol=1e-7)
    close(made.entropy(), known.entropy())
    close(made.mean, known.mean())
    close(made.variance, known.var())


def test_recorded_values():
    # Recorded with paddle 3.3.1.
    made = Normal(0.0, 2.0)
    at = proa.to_tensor(0.4)
    assert made.log_prob(at).item() == pytest.approx(-1.63209, abs=1e-5)
    assert made.entropy().item() == pytest.approx(2.11209, abs=1e-5)
    assert LogNormal(0.0, 1.0).prob(at).item() == pytest.approx(0.65544, abs=1e-5)


def test_samples_have_the_moments_and_the_shape():
    check_moments(Normal(LOC, SCALE), LOC, SCALE**2)
    assert Normal(LOC, SCALE).sample([2, 4]).shape == [2, 4, 3]
    assert Normal(0.0, 1.0).sample().shape == []


def test_a_seed_gives_the_same_draws_and_leaves_the_generator_alone():
    made = Normal(0.0, 1.0)
    proa.seed(1)
    first = made.sample([3]).tolist()
    proa.seed(1)
    once, again = made.sample([3], seed=5).tolist(), made.sample([3], seed=5).tolist()
    assert once == again
    assert made.sample([3]).tolist() == first


@pytest.mark.parametrize("method", ["sample", "rsample"])
def test_gradients_pass_through_samples(method):
    loc, scale = tensor(LOC, train=True), tensor(SCALE, train=True)
    made = Normal(loc, scale)
    drawn = getattr(made, method)([4])
    loc_grad, scale_grad = proa.grad(drawn.sum(), [loc, scale])
    close(loc_grad, np.full(3, 4.0))
    close(scale_grad, ((drawn.numpy() - LOC) / SCALE).sum(0))


def test_gradients_of_densities():
    check_gradient(lambda x, m, s: Normal(m, s).log_prob(x), AT, LOC, SCALE)
    check_gradient(lambda m, s: LogNormal(m, s).entropy(), LOC, SCALE)


def test_divergences():
    left, right = Normal(LOC, SCALE), Normal(LOC + 1, SCALE * 2)
    wanted = np.log(2.0) + (SCALE**2 + 1) / (8 * SCALE**2) - 0.5
    close(left.kl_divergence(right), wanted)
    close(LogNormal(LOC, SCALE).kl_divergence(LogNormal(LOC + 1, SCALE * 2)), wanted)


@pytest.mark.parametrize("kind", [Normal, LogNormal])
def test_a_negative_scale_is_refused(kind):
    with pytest.raises(ValueError, match="`scale` of `Normal` holds -1(.|\n)*>= 0(.|\n)*softplus"):
        kind(0.0, [1.0, -1.0])
