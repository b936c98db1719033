"""Distributions of counts: binomial and Poisson."""

from __future__ import annotations

import math
from typing import Any

from proa.ops import (
    arange,
    binomial,
    cast,
    clip,
    exp,
    expand_as,
    full_like,
    lgamma,
    log,
    logical_and,
    logical_not,
    poisson,
    where,
)
from proa.ops import max as max_
from proa.ops import sum as sum_

from ._bernoulli import times_log
from ._distribution import Distribution
from ._kl_registry import register_kl
from ._parameters import as_parameters, require, require_probabilities

# The series for the entropy of a Poisson count is exact to 1e-9 from here on.
_LARGE_RATE = 64.0
# No count up to the large rate lies above this with a probability that a float64 can tell from 0.
_NUM_TERMS = 192


class Binomial(Distribution):
    """Binomial distribution, of how many of `total_count` trials succeed.

    `p(k) = C(total_count, k) probs^k (1 - probs)^(total_count - k)`, k = 0 ... total_count

    Args:
        total_count: number of trials, >= 0, a whole number, list, array or Tensor.
        probs: probability of success, likewise; both broadcast.

    Raises:
        InvalidArgumentError: a negative or broken count, a probability outside [0, 1].

    Examples:
        >>> import proa
        >>> x = proa.distribution.Binomial(4, 0.5)
        >>> x.mean.item(), round(x.prob(2).item(), 4)
        (2.0, 0.375)

    Differs: other values than whole numbers from 0 to `total_count` have probability 0.
    """

    probs: Any

    def __init__(self, total_count: Any, probs: Any) -> None:
        self.total_count, self.probs = as_parameters(
            "Binomial", total_count=total_count, probs=probs
        )
        self.dtype = self.probs.dtype
        require(
            "Binomial",
            "total_count",
            self.total_count,
            lambda v: (v < 0) | (v % 1 != 0),
            "whole numbers >= 0",
            "round the counts",
        )
        require_probabilities("Binomial", self.probs)
        super().__init__(self.probs.shape)

    def _mean(self) -> Any:
        return self.total_count * self.probs

    def _variance(self) -> Any:
        return self.total_count * self.probs * (1.0 - self.probs)

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        extents = self._extend_shape(shape)
        counts = cast(self.total_count.expand(extents), "int64")
        return cast(binomial(counts, self.probs.expand(extents)), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        inside = logical_and(value >= 0, value <= self.total_count)
        count = where(inside, value + 0.0 * self.total_count, 0.0 * value + self.total_count)
        rest = self.total_count - count
        ways = lgamma(self.total_count + 1.0) - lgamma(count + 1.0) - lgamma(rest + 1.0)
        density = ways + times_log(count, self.probs + 0.0 * count)
        density = density + times_log(rest, 1.0 - self.probs + 0.0 * count)
        return where(inside, density, full_like(density, -math.inf))

    def _entropy(self) -> Any:
        last = int(max_(self.total_count).item()) if self.total_count.size else 0
        counts: Any = arange(last + 1, dtype=self.dtype)
        counts = counts.reshape([last + 1] + [1] * len(self._batch_shape))
        densities = self._log_prob(counts)
        masses = exp(densities)
        return -sum_(times_log(masses, masses), 0)


class Poisson(Distribution):
    """Poisson distribution, of how many events happen.

    `p(k) = rate^k exp(-rate) / k!`, k = 0, 1, 2, ...

    Args:
        rate: mean number of events, >= 0, a number, list, array or Tensor.

    Raises:
        InvalidArgumentError: a negative rate.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Poisson([1.0, 4.0])
        >>> x.variance.tolist()
        [1.0, 4.0]
    """

    def __init__(self, rate: Any) -> None:
        (given,) = as_parameters("Poisson", rate=rate)
        # As in Paddle a single number is a batch of one.
        self.rate = given.reshape([1]) if isinstance(rate, int | float) else given
        self.dtype = self.rate.dtype
        require("Poisson", "rate", self.rate, lambda v: v < 0, "rates >= 0", "clip the rates")
        super().__init__(self.rate.shape)

    def _mean(self) -> Any:
        return self.rate

    def _variance(self) -> Any:
        return self.rate

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        return poisson(self.rate.expand(self._extend_shape(shape)))

    def _log_prob(self, value: Any) -> Any:
        count = clip(value, 0.0)
        density = times_log(count, self.rate + 0.0 * count) - self.rate - lgamma(count + 1.0)
        return where(value < 0, full_like(density, -math.inf), density)

    def _entropy(self) -> Any:
        # In float64: the sum and what is taken from it nearly cancel for large rates.
        rate = cast(self.rate, "float64")
        small = clip(rate, 0.0, _LARGE_RATE)
        counts: Any = arange(_NUM_TERMS, dtype="float64")
        counts = counts.reshape([_NUM_TERMS] + [1] * len(self._batch_shape))
        factorials = lgamma(counts + 1.0)
        rates = small + 0.0 * counts
        masses = exp(times_log(expand_as(counts, rates), rates) - rates - factorials)
        summed = small - times_log(small, small) + sum_(masses * factorials, 0)
        large = clip(rate, _LARGE_RATE)
        inverse = 1.0 / large
        tail = 1.0 / 12.0 + inverse * (1.0 / 24.0 + inverse * (19.0 / 360.0 + inverse * 9.0 / 80.0))
        series = 0.5 * log(2.0 * math.pi * math.e * large) - tail * inverse
        return cast(where(rate > _LARGE_RATE, series, summed), self.dtype)


@register_kl(Binomial, Binomial)
def _kl_binomial(p: Binomial, q: Binomial) -> Any:
    fails_p, fails_q = 1.0 - p.probs, 1.0 - q.probs
    per_trial = (
        times_log(p.probs, p.probs)
        - times_log(p.probs, q.probs)
        + times_log(fails_p, fails_p)
        - times_log(fails_p, fails_q)
    )
    result = p.total_count * per_trial
    is_equal = p.total_count == q.total_count
    require_equal = cast(logical_not(is_equal), p.dtype)
    require(
        "kl_divergence of two Binomial",
        "difference of total_count",
        require_equal,
        lambda v: v != 0,
        "equal numbers of trials",
        "average log_prob over samples instead",
    )
    return result


@register_kl(Poisson, Poisson)
def _kl_poisson(p: Poisson, q: Poisson) -> Any:
    return times_log(p.rate, p.rate) - times_log(p.rate, q.rate) - p.rate + q.rate
