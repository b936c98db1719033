"""The base classes, names and use within compiled functions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import proa
from proa import distribution
from proa.distribution import Categorical, Distribution, ExponentialFamily, Gamma, Normal
from tests.distribution.checks import close, tensor

RECORD = Path(__file__).parents[1] / "e2e" / "paddle_3.3.1_signatures.json"


def test_every_recorded_name_is_there():
    names = [n for n in json.loads(RECORD.read_text("utf-8")) if ".distribution." in n]
    assert len(names) > 40
    for name in names:
        found = distribution
        for part in name.split(".")[2:]:
            found = getattr(found, part)


def test_shapes():
    made = Distribution([2], [3])
    assert (made.batch_shape, made.event_shape) == ((2,), (3,))
    assert made._extend_shape([4]) == (4, 2, 3)


@pytest.mark.parametrize(
    "use",
    [
        lambda d: d.mean,
        lambda d: d.variance,
        lambda d: d.stddev,
        lambda d: d.sample(),
        lambda d: d.rsample(),
        lambda d: d.log_prob(1.0),
        lambda d: d.prob(1.0),
        lambda d: d.probs(1.0),
        lambda d: d.cdf(1.0),
        lambda d: d.icdf(0.5),
        lambda d: d.entropy(),
        lambda d: d.kl_divergence(d),
    ],
)
def test_what_a_subclass_does_not_give_is_refused(use):
    with pytest.raises(NotImplementedError, match="`(.|\n)*Distribution`(.|\n)*Fix:"):
        use(Distribution())


def test_a_subclass_in_paddles_way():
    class Fixed(Distribution):
        def __init__(self, at):
            self.at = at
            super().__init__(at.shape)

        @property
        def mean(self):
            return self.at

        def sample(self, shape=()):
            return self.at.expand(self._extend_shape(shape))

        def log_prob(self, value):
            return -abs(value - self.at)

    made = Fixed(proa.zeros([2]))
    assert made.sample([3]).shape == [3, 2]
    assert made.prob(proa.zeros([2])).tolist() == made.probs(proa.zeros([2])).tolist() == [1.0, 1.0]


def test_entropy_of_an_exponential_family():
    class Waiting(ExponentialFamily):
        def __init__(self, rate):
            self.rate = rate
            super().__init__(rate.shape)

        @property
        def _natural_parameters(self):
            return (-self.rate,)

        def _log_normalizer(self, x):
            return -proa.log(-x)

        @property
        def _mean_carrier_measure(self):
            return 0.0

    rate = tensor([1.0, 2.0], train=True)
    entropy = Waiting(rate).entropy()
    close(entropy, 1 - np.log([1.0, 2.0]))
    close(proa.grad(entropy.sum(), [rate])[0], [-1.0, -0.5])
    with proa.no_grad():
        close(Waiting(tensor([1.0, 2.0])).entropy(), 1 - np.log([1.0, 2.0]))


def test_half_precision_stays():
    made = Normal(proa.zeros([2], "bfloat16"), 1.0)
    assert made.sample([3]).dtype.name == made.log_prob(0.0).dtype.name == "bfloat16"


def test_within_a_compiled_function():
    def loss(loc, scale, at):
        made = Normal(loc, scale)
        drawn = made.rsample([4])
        entropy = Gamma(scale, 1.0).entropy() + Categorical(loc).entropy()
        prior = made.kl_divergence(Normal(0.0, 1.0))
        return (made.log_prob(at) + entropy + prior).sum() + 0 * drawn.sum(), drawn

    compiled = proa.jit.to_static(loss)
    results = []
    for function in (loss, compiled):
        given = [proa.to_tensor(v, stop_gradient=False) for v in ([0.0, 1.0], [1.0, 2.0])]
        value, drawn = function(*given, proa.to_tensor([0.3, 0.4]))
        value.backward()
        results.append((value.item(), [g.grad.numpy() for g in given]))
        assert drawn.shape == [4, 2]
    (eager, eager_grads), (static, static_grads) = results
    assert static == pytest.approx(eager, rel=1e-5)
    np.testing.assert_allclose(static_grads, eager_grads, rtol=1e-5)


def test_compiled_draws_differ_from_call_to_call():
    @proa.jit.to_static
    def draw(loc):
        return Normal(loc, 1.0).sample([3])

    first, second = draw(proa.zeros([2])), draw(proa.zeros([2]))
    assert (first != second).all()


def test_a_shape_that_is_none_is_refused():
    with pytest.raises(TypeError, match="`batch_shape` is None"):
        proa.distribution.Distribution(None)
