from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import proa
from tests.ops.harness import same

DRAWS = 4000


def row():
    return proa.zeros([DRAWS])


DISTRIBUTIONS = [
    (lambda: row().uniform_(-2.0, 3.0), stats.uniform(-2, 5)),
    (lambda: row().normal_(2.0, 3.0), stats.norm(2, 3)),
    (lambda: row().log_normal_(0.5, 0.25), stats.lognorm(0.25, scale=np.exp(0.5))),
    (lambda: row().exponential_(2.0), stats.expon(scale=0.5)),
    (lambda: row().cauchy_(1.0, 2.0), stats.cauchy(1, 2)),
    (lambda: row().geometric_(0.3), stats.expon(scale=-1 / np.log(0.7))),
    (lambda: proa.standard_gamma(proa.full([DRAWS], 2.0)), stats.gamma(2)),
]


@pytest.mark.parametrize(("draw", "expected"), DISTRIBUTIONS)
def test_continuous_distributions(draw, expected):
    drawn = draw().numpy()
    assert drawn.dtype == np.float32
    assert stats.kstest(drawn, expected.cdf).pvalue > 1e-3


COUNTS = [
    (lambda: proa.bernoulli(proa.full([DRAWS], 0.3)), stats.bernoulli(0.3)),
    (lambda: row().bernoulli_(0.3), stats.bernoulli(0.3)),
    (lambda: proa.bernoulli(row() + 5, 0.3), stats.bernoulli(0.3)),
    (lambda: proa.poisson(proa.full([DRAWS], 3.0)), stats.poisson(3.0)),
    (lambda: proa.binomial(proa.full([DRAWS], 8.0), proa.full([DRAWS], 0.4)), stats.binom(8, 0.4)),
    (lambda: row().random_(2, 6), stats.randint(2, 6)),
    (lambda: proa.multinomial(proa.to_tensor([1.0, 3.0]), DRAWS, True), stats.bernoulli(0.75)),
]


@pytest.mark.parametrize(("draw", "expected"), COUNTS)
def test_discrete_distributions(draw, expected):
    drawn = draw().numpy()
    mean, variance = expected.stats()
    assert abs(drawn.mean() - mean) < 4 * np.sqrt(variance / DRAWS)
    assert abs(drawn.var() - variance) < 0.2 * variance


def test_random_draws_from_the_given_generator():
    streams = [proa.Generator().manual_seed(3) for _ in range(2)]
    first = row().random_(-50, 50, generator=streams[0])
    proa.rand([1])
    same(row().random_(-50, 50, generator=streams[1]), first.numpy())
    assert first.numpy().min() < 0


def test_certain_outcomes():
    same(proa.bernoulli(proa.to_tensor([0.0, 1.0])), [0.0, 1.0])
    same(proa.poisson(proa.to_tensor([0.0])), [0.0])
    same(proa.binomial(proa.to_tensor([5, 7]), proa.to_tensor([0.0, 1.0])), [0, 7], "int64")
    same(proa.multinomial(proa.to_tensor([0.0, 0.0, 2.0])), [2], "int64")


def test_sampling_without_replacement_never_repeats():
    drawn = proa.multinomial(proa.ones([50, 4]), 4)
    assert drawn.shape == [50, 4]
    assert (np.sort(drawn.numpy(), -1) == np.arange(4)).all()
    assert 0 not in proa.multinomial(proa.to_tensor([0.0, 1.0, 1.0]), 2).tolist()


def test_in_place_forms_return_the_tensor_and_keep_its_dtype():
    x = proa.zeros([3], "float16")
    for fill in (x.uniform_, x.normal_, x.exponential_, x.cauchy_, x.bernoulli_, x.random_):
        assert fill() is x
        assert x.dtype == "float16"
    assert (proa.zeros([100], "int32").random_() >= 0).all()
    assert (proa.zeros([100], "uint8").random_(7) < 7).all()


def test_bernoulli_leaves_its_input_alone():
    x = proa.to_tensor([5.0, 6.0])
    proa.bernoulli(x, 0.5)
    same(x, [5.0, 6.0])


def test_gradient_of_gamma_samples():
    x = proa.to_tensor([2.0, 3.0], stop_gradient=False)
    proa.standard_gamma(x).sum().backward()
    assert bool((x.grad > 0).all())


ERRORS = [
    (lambda: proa.bernoulli(proa.to_tensor([5.0, 1.0])), IndexError, "`bernoulli` was given"),
    (lambda: proa.ones([1]).bernoulli_(2.0), IndexError, "`p` of `bernoulli_` is 2.0"),
    (
        lambda: proa.poisson(proa.to_tensor([-1.0])),
        IndexError,
        "`poisson` was given values from -1",
    ),
    (
        lambda: proa.binomial(proa.to_tensor([-1]), proa.to_tensor([0.5])),
        IndexError,
        "counts >= 0",
    ),
    (
        lambda: proa.binomial(proa.to_tensor([1]), proa.to_tensor([1.5])),
        IndexError,
        "probabilities in",
    ),
    (lambda: proa.multinomial(proa.to_tensor([1.0, 0.0]), 2), ValueError, "1 positive weights"),
    (lambda: proa.multinomial(proa.to_tensor([-1.0, 2.0])), ValueError, "negative or not finite"),
    (lambda: proa.multinomial(proa.ones([1, 1, 1])), ValueError, r"from shape \[1, 1, 1\]"),
    (lambda: proa.ones([1]).exponential_(0.0), IndexError, "`lam` of `exponential_` is 0.0"),
    (lambda: proa.ones([1]).random_(3, 3), ValueError, "`random_` from 3"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
