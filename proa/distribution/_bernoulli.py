"""Distributions of one trial, and of how many trials a success takes."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError
from proa.ops import (
    abs as abs_,
)
from proa.ops import (
    cast,
    clip,
    expm1,
    floor,
    full_like,
    log,
    log1p,
    logical_and,
    logical_or,
    ones_like,
    softplus,
    square,
    where,
    zeros_like,
)

from ._distribution import Distribution, ExponentialFamily
from ._draw import draw_open
from ._kl_registry import register_kl
from ._parameters import as_parameters, require_probabilities


def times_log(x: Any, y: Any) -> Any:
    """`x log y`, which is 0 where both are 0."""
    is_nothing = logical_and(x == 0, y == 0)
    return x * log(where(is_nothing, ones_like(y), y))


def _inside(x: Any) -> Any:
    """Probabilities kept so far from 0 and 1 that their logits are finite."""
    eps = float(jnp.finfo(x.dtype.numpy).eps)
    return clip(x, eps, 1.0 - eps)


class Bernoulli(ExponentialFamily):
    """Bernoulli distribution, of a trial that succeeds (1) or not (0).

    `p(1) = probs`, `p(0) = 1 - probs`

    Args:
        probs: probability of 1, a number, list, array or Tensor.
        name: not used.

    Raises:
        InvalidArgumentError: a probability outside [0, 1].

    Examples:
        >>> import proa
        >>> x = proa.distribution.Bernoulli([0.25, 0.5])
        >>> [round(p, 2) for p in x.prob(proa.ones([2])).tolist()]
        [0.25, 0.5]
    """

    probs: Any

    def __init__(self, probs: Any, name: str | None = None) -> None:
        self.name = name or "Bernoulli"
        (self.probs,) = as_parameters("Bernoulli", probs=probs)
        self.dtype = self.probs.dtype
        require_probabilities("Bernoulli", self.probs)
        kept = _inside(self.probs)
        #: Logarithm of the odds, finite also where `probs` is 0 or 1.
        self.logits = log(kept) - log1p(-kept)
        super().__init__(self.probs.shape)

    def _mean(self) -> Any:
        return self.probs

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def rsample(self, shape: Any = (), temperature: float = 1.0) -> Any:
        """Draws relaxed logits: a sigmoid makes of them numbers that tend to 0 and 1.

        `(logits + log u - log(1 - u)) / temperature`, with `u` uniform in (0, 1)

        Args:
            shape: how many draws, as a shape.
            temperature: > 0; the lower, the nearer to 0 and 1 the sigmoid's results are.

        Raises:
            InvalidArgumentError: a temperature that is not positive.
        """
        if not temperature > 0:
            raise InvalidArgumentError(
                f"`temperature` of `Bernoulli.rsample` is {temperature}",
                expected="a number > 0",
                fix="use sample() for the limit of temperature 0",
            )
        return super().rsample(shape) / temperature

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        drawn = draw_open(self._extend_shape(shape), self.dtype)
        return self.logits + log(drawn) - log1p(-drawn)

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        drawn = draw_open(self._extend_shape(shape), self.dtype)
        return cast(drawn < self.probs, self.dtype)

    def _log_prob(self, value: Any) -> Any:
        return value * self.logits - softplus(self.logits)

    def _cdf(self, value: Any) -> Any:
        below: Any = zeros_like(self.probs + value)
        step = where(value < 1, 1.0 - self.probs + below, below + 1.0)
        return where(value < 0, below, step)

    def _entropy(self) -> Any:
        kept = _inside(self.probs)
        return softplus(self.logits) - kept * self.logits

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        return softplus(x)


class ContinuousBernoulli(Distribution):
    """Continuous Bernoulli distribution, on [0, 1].

    `p(x) = C probs^x (1 - probs)^(1 - x)` with `C = 2 atanh(1 - 2 probs) / (1 - 2 probs)`

    Args:
        probs: parameter in (0, 1), a number, list, array or Tensor.
        lims: where `probs` lies between these two, a series takes the place of the formulas,
            which are 0 / 0 at 1/2.

    Raises:
        InvalidArgumentError: `probs` outside [0, 1], or limits that do not enclose 1/2.

    Examples:
        >>> import proa
        >>> x = proa.distribution.ContinuousBernoulli([0.2, 0.5])
        >>> [round(m, 4) for m in x.mean.tolist()]
        [0.388, 0.5]

    References:
        Loaiza-Ganem and Cunningham, "The continuous Bernoulli", 2019.
    """

    probs: Any

    def __init__(self, probs: Any, lims: Any = (0.499, 0.501)) -> None:
        (given,) = as_parameters("ContinuousBernoulli", probs=probs)
        require_probabilities("ContinuousBernoulli", given)
        try:
            low, high = (float(limit) for limit in lims)
        except (TypeError, ValueError):
            low = high = 0.5
        if not low < 0.5 < high:
            raise InvalidArgumentError(
                f"`lims` of `ContinuousBernoulli` are {lims}",
                expected="two numbers with 1/2 between them",
                fix="leave the default (0.499, 0.501)",
            )
        # As in Paddle a single number is a batch of one.
        self.probs = _inside(given if given.shape else given.reshape([1]))
        self.dtype, self.lims = self.probs.dtype, (low, high)
        super().__init__(self.probs.shape)

    def _near_and_far(self) -> tuple[Any, Any, Any]:
        """Where the series holds; distance from 1/2; `probs`, moved away from there."""
        near = 1 - cast(logical_or(self.probs <= self.lims[0], self.probs >= self.lims[1]), "int32")
        near = cast(near, "bool")
        return near, self.probs - 0.5, where(near, full_like(self.probs, 0.25), self.probs)

    def _log_constant(self) -> Any:
        near, distance, far = self._near_and_far()
        steps = abs_(1.0 - 2.0 * far)
        exact = log(log1p(steps) - log1p(-steps)) - log(steps)
        squared = square(distance)
        return where(near, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * squared) * squared, exact)

    def _mean(self) -> Any:
        near, distance, far = self._near_and_far()
        exact = far / (2.0 * far - 1.0) + 1.0 / (log1p(-far) - log(far))
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * square(distance)) * distance
        return where(near, series, exact)

    def _variance(self) -> Any:
        near, distance, far = self._near_and_far()
        odds = log1p(-far) - log(far)
        exact = far * (far - 1.0) / square(1.0 - 2.0 * far) + 1.0 / square(odds)
        squared = square(distance)
        return where(near, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * squared) * squared, exact)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self._icdf(draw_open(self._extend_shape(shape), self.dtype))

    def _log_prob(self, value: Any) -> Any:
        density = value * log(self.probs) + (1.0 - value) * log1p(-self.probs)
        density = density + self._log_constant()
        outside = logical_or(value < 0, value > 1)
        return where(outside, full_like(density, -math.inf), density)

    def _cdf(self, value: Any) -> Any:
        near, _, far = self._near_and_far()
        within = clip(value, 0.0, 1.0)
        odds = log(far) - log1p(-far)
        return where(near, within + zeros_like(far), expm1(within * odds) / expm1(odds))

    def _icdf(self, value: Any) -> Any:
        near, _, far = self._near_and_far()
        odds = log(far) - log1p(-far)
        return where(near, value + zeros_like(far), log1p(value * expm1(odds)) / odds)

    def _entropy(self) -> Any:
        odds = log(self.probs) - log1p(-self.probs)
        return -self._log_constant() - log1p(-self.probs) - self.mean * odds


class Geometric(Distribution):
    """Geometric distribution, of how many trials fail before the first that succeeds.

    `p(k) = (1 - probs)^k probs`, k = 0, 1, 2, ...

    Args:
        probs: probability of success, in (0, 1], a number, list, array or Tensor.

    Raises:
        InvalidArgumentError: a probability outside [0, 1].

    Examples:
        >>> import proa
        >>> x = proa.distribution.Geometric(0.25)
        >>> x.mean.item(), x.pmf(1).item()
        (3.0, 0.1875)

    Differs: the divergence of two geometric distributions is per draw (Paddle's is `probs` times
        that); `log_prob` and `prob` are there too.
    """

    probs: Any

    def __init__(self, probs: Any) -> None:
        (self.probs,) = as_parameters("Geometric", probs=probs)
        self.dtype = self.probs.dtype
        require_probabilities("Geometric", self.probs)
        super().__init__(self.probs.shape)

    def _mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    def _variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        drawn = draw_open(self._extend_shape(shape), self.dtype)
        return floor(log(drawn) / log1p(-self.probs))

    def pmf(self, k: Any) -> Any:
        """Probability of `k` failures.

        Args:
            k: number of failures, >= 0.
        """
        return self.prob(k)

    def log_pmf(self, k: Any) -> Any:
        """Logarithm of the probability of `k` failures.

        Args:
            k: number of failures, >= 0.
        """
        return self.log_prob(k)

    def cdf(self, k: Any) -> Any:
        """Probability of at most `k` failures.

        Args:
            k: number of failures, >= 0.
        """
        return super().cdf(k)

    def _log_prob(self, value: Any) -> Any:
        count = clip(value, 0.0)
        density = times_log(count, 1.0 - self.probs) + log(self.probs)
        return where(value < 0, full_like(density, -math.inf), density)

    def _cdf(self, value: Any) -> Any:
        reached = -expm1((clip(value, 0.0) + 1.0) * log1p(-self.probs))
        return where(value < 0, zeros_like(reached), reached)

    def _entropy(self) -> Any:
        fails = 1.0 - self.probs
        return -(times_log(self.probs, self.probs) + times_log(fails, fails)) / self.probs


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli(p: Bernoulli, q: Bernoulli) -> Any:
    slope = _inside(p.probs) * (p.logits - q.logits)
    return slope + softplus(q.logits) - softplus(p.logits)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Any:
    slope = p.mean * (log(q.probs) - log1p(-q.probs))
    return -p.entropy() - q._log_constant() - log1p(-q.probs) - slope


@register_kl(Geometric, Geometric)
def _kl_geometric(p: Geometric, q: Geometric) -> Any:
    fails = log1p(-p.probs) - log1p(-q.probs)
    return log(p.probs / q.probs) + (1.0 - p.probs) / p.probs * fails
