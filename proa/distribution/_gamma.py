"""Gamma, chi-squared and exponential distributions, on the positive numbers."""

from __future__ import annotations

import math
from typing import Any

from proa.ops import (
    clip,
    digamma,
    expm1,
    full_like,
    lgamma,
    log,
    log1p,
    ones_like,
    square,
    standard_gamma,
    where,
)

from ._distribution import ExponentialFamily
from ._draw import draw_open
from ._kl_registry import register_kl
from ._parameters import as_parameters, require_positive


class Gamma(ExponentialFamily):
    """Gamma distribution.

    `p(x) = rate^concentration x^(concentration - 1) exp(-rate x) / Gamma(concentration)`, x > 0

    Args:
        concentration: shape parameter > 0, a number, list, array or Tensor.
        rate: inverse of the scale, > 0, likewise; both broadcast.

    Raises:
        InvalidArgumentError: a parameter that is not positive, shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Gamma(2.0, 4.0)
        >>> x.mean.item(), x.variance.item()
        (0.5, 0.125)

    Differs: the gradient of `rsample` reaches `concentration` too.
    """

    def __init__(self, concentration: Any, rate: Any) -> None:
        owner = type(self).__name__
        self.concentration, self.rate = as_parameters(owner, concentration=concentration, rate=rate)
        self.dtype = self.rate.dtype
        require_positive(owner, "concentration", self.concentration)
        require_positive(owner, "rate", self.rate)
        super().__init__(self.rate.shape)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / square(self.rate)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        drawn = standard_gamma(self.concentration.expand(self._extend_shape(shape)))
        return drawn / self.rate

    def _log_prob(self, value: Any) -> Any:
        inside = value > 0
        safe = where(inside, value, ones_like(value))
        density = (
            self.concentration * log(self.rate)
            + (self.concentration - 1.0) * log(safe)
            - self.rate * safe
            - lgamma(self.concentration)
        )
        return where(inside, density, full_like(density, -math.inf))

    def _entropy(self) -> Any:
        a = self.concentration
        return a - log(self.rate) + lgamma(a) + (1.0 - a) * digamma(a)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return self.concentration - 1.0, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return lgamma(x + 1.0) - (x + 1.0) * log(-y)


class Chi2(Gamma):
    """Chi-squared distribution: the sum of `df` squared standard normal numbers.

    A Gamma distribution of concentration `df / 2` and rate 1/2.

    Args:
        df: degrees of freedom > 0, a number, list, array or Tensor.

    Raises:
        InvalidArgumentError: `df` is not positive.

    Examples:
        >>> import proa
        >>> proa.distribution.Chi2(3.0).mean.item()
        3.0
    """

    def __init__(self, df: Any) -> None:
        (self.df,) = as_parameters("Chi2", df=df)
        require_positive("Chi2", "df", self.df)
        super().__init__(0.5 * self.df, full_like(self.df, 0.5))


class Exponential(ExponentialFamily):
    """Exponential distribution, of the time until an event.

    `p(x) = rate exp(-rate x)` for `x >= 0`

    Args:
        rate: events in a unit of time, > 0, a number, list, array or Tensor.

    Raises:
        InvalidArgumentError: a rate that is not positive.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Exponential(2.0)
        >>> round(x.cdf(1.0).item(), 4)
        0.8647

    Differs: below 0 the density and `cdf` are 0; Paddle carries the formulas on.
    """

    def __init__(self, rate: Any) -> None:
        (self.rate,) = as_parameters("Exponential", rate=rate)
        self.dtype = self.rate.dtype
        require_positive("Exponential", "rate", self.rate)
        super().__init__(self.rate.shape)

    def _mean(self) -> Any:
        return 1.0 / self.rate

    def _variance(self) -> Any:
        return 1.0 / square(self.rate)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        # Not through `_icdf`, whose 1 - u would turn the order of the draws round.
        return -log(draw_open(self._extend_shape(shape), self.dtype)) / self.rate

    def _log_prob(self, value: Any) -> Any:
        density = log(self.rate) - self.rate * value
        return where(value >= 0, density, full_like(density, -math.inf))

    def _cdf(self, value: Any) -> Any:
        return -expm1(-self.rate * clip(value, 0.0))

    def _icdf(self, value: Any) -> Any:
        return -log1p(-value) / self.rate

    def _entropy(self) -> Any:
        return 1.0 - log(self.rate)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (-self.rate,)

    def _log_normalizer(self, x: Any) -> Any:
        return -log(-x)


@register_kl(Gamma, Gamma)
def _kl_gamma(p: Gamma, q: Gamma) -> Any:
    return (
        q.concentration * log(p.rate / q.rate)
        + lgamma(q.concentration)
        - lgamma(p.concentration)
        + (p.concentration - q.concentration) * digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Exponential, Exponential)
def _kl_exponential(p: Exponential, q: Exponential) -> Any:
    ratio = q.rate / p.rate
    return ratio - 1.0 - log(ratio)
