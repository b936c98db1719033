"""Distributions on the line given by a location and a scale, and the uniform one."""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import (
    abs as abs_,
)
from proa.ops import (
    atan,
    clip,
    digamma,
    exp,
    expm1,
    full_like,
    lgamma,
    log,
    log1p,
    logical_and,
    rsqrt,
    sign,
    square,
    standard_gamma,
    tan,
    where,
    zeros_like,
)

from ._distribution import Distribution
from ._draw import draw_normal, draw_open, seeded
from ._kl_registry import register_kl
from ._parameters import as_parameters, require, require_positive, require_scale


class Uniform(Distribution):
    """Uniform distribution on an interval.

    `p(x) = 1 / (high - low)` for `low < x < high`

    Args:
        low: lower end, a number, list, array or Tensor.
        high: upper end, likewise; both broadcast.
        name: not used.

    Raises:
        InvalidArgumentError: `low` above `high`, or shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Uniform(0.0, [2.0, 4.0])
        >>> x.prob(proa.to_tensor(3.0)).tolist()
        [0.0, 0.25]

    Differs: `sample` passes gradients on, as in Paddle. `rsample`, `mean`, `variance`, `cdf` and
        `icdf` are there too.
    """

    _sample_has_gradient = True

    def __init__(self, low: Any, high: Any, name: str | None = None) -> None:
        self.name = name or "Uniform"
        self.low, self.high = as_parameters("Uniform", low=low, high=high)
        self.dtype = self.low.dtype
        width = (self.high - self.low).detach()
        require("Uniform", "high - low", width, lambda v: v < 0, "low <= high", "swap the two ends")
        super().__init__(self.low.shape)

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Draws from the distribution; gradients pass to the parameters.

        Args:
            shape: how many draws, as a shape.
            seed: 0 draws from the generator; another number gives the same draws on each call.
        """
        with seeded(seed):
            return super().sample(shape)

    def _mean(self) -> Any:
        return 0.5 * (self.low + self.high)

    def _variance(self) -> Any:
        return square(self.high - self.low) / 12.0

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        drawn = draw_open(self._extend_shape(shape), self.dtype)
        return self.low + drawn * (self.high - self.low)

    def _log_prob(self, value: Any) -> Any:
        density = -log(self.high - self.low) + 0.0 * value
        inside = logical_and(value > self.low, value < self.high)
        return where(inside, density, full_like(density, -math.inf))

    def _cdf(self, value: Any) -> Any:
        return clip((value - self.low) / (self.high - self.low), 0.0, 1.0)

    def _icdf(self, value: Any) -> Any:
        return self.low + value * (self.high - self.low)

    def _entropy(self) -> Any:
        return log(self.high - self.low)


class Laplace(Distribution):
    """Laplace distribution.

    `p(x) = exp(-|x - loc| / scale) / (2 scale)`

    Args:
        loc: mean, a number, list, array or Tensor.
        scale: mean distance from `loc`, >= 0, likewise; both broadcast.

    Raises:
        InvalidArgumentError: a negative scale, or shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Laplace(0.0, 1.0)
        >>> round(x.cdf(1.0).item(), 4), round(x.icdf(0.9).item(), 4)
        (0.8161, 1.6094)
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = as_parameters("Laplace", loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        require_scale("Laplace", self.scale)
        super().__init__(self.loc.shape)

    def _mean(self) -> Any:
        return self.loc

    def _variance(self) -> Any:
        return 2.0 * square(self.scale)

    @property
    def stddev(self) -> Any:
        """Standard deviation, `sqrt(2) scale`."""
        return math.sqrt(2.0) * self.scale

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self._icdf(draw_open(self._extend_shape(shape), self.dtype))

    def _log_prob(self, value: Any) -> Any:
        return -abs_(value - self.loc) / self.scale - log(2.0 * self.scale)

    def _cdf(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return 0.5 - 0.5 * sign(z) * expm1(-abs_(z))

    def _icdf(self, value: Any) -> Any:
        # The nearer end is taken, so that both tails keep their digits.
        z = where(value < 0.5, log(2.0 * value), -log(2.0 * (1.0 - value)))
        return self.loc + self.scale * z

    def _entropy(self) -> Any:
        return 1.0 + log(2.0 * self.scale)


class Cauchy(Distribution):
    """Cauchy distribution; it has no mean and no variance.

    `p(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2))`

    Args:
        loc: median, a number, list, array or Tensor.
        scale: half width at half height, >= 0, likewise; both broadcast.
        name: not used.

    Raises:
        InvalidArgumentError: a negative scale, or the mean, variance or deviation is asked for.

    Examples:
        >>> import proa
        >>> round(proa.distribution.Cauchy(0.0, 1.0).cdf(1.0).item(), 4)
        0.75
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Cauchy"
        self.loc, self.scale = as_parameters("Cauchy", loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        require_scale("Cauchy", self.scale)
        super().__init__(self.loc.shape)

    def sample(self, shape: Any = (), name: str | None = None) -> Any:
        """Draws from the distribution; no gradient passes.

        Args:
            shape: how many draws, as a shape.
            name: not used.
        """
        return super().sample(shape)

    def rsample(self, shape: Any = (), name: str | None = None) -> Any:
        """Draws as a differentiable function of the parameters.

        Args:
            shape: how many draws, as a shape.
            name: not used.
        """
        return super().rsample(shape)

    def _mean(self) -> Any:
        raise InvalidArgumentError(
            "a moment (mean, variance, stddev) of `Cauchy`",
            expected="a distribution whose tails are light enough for it",
            fix="use `loc` (the median) and `scale` (half the distance between quartiles)",
        )

    _variance = _mean

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self._icdf(draw_open(self._extend_shape(shape), self.dtype))

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return -math.log(math.pi) - log(self.scale) - log1p(square(z))

    def _cdf(self, value: Any) -> Any:
        return atan((value - self.loc) / self.scale) / math.pi + 0.5

    def _icdf(self, value: Any) -> Any:
        return self.loc + self.scale * tan(math.pi * (value - 0.5))

    def _entropy(self) -> Any:
        return math.log(4.0 * math.pi) + log(self.scale)


class StudentT(Distribution):
    """Student's t distribution, moved and scaled.

    `p(x) = Gamma((df + 1) / 2) / (Gamma(df / 2) sqrt(pi df) scale) (1 + z^2 / df)^(-(df + 1) / 2)`
    with `z = (x - loc) / scale`

    Args:
        df: degrees of freedom > 0, a number, list, array or Tensor.
        loc: centre, likewise.
        scale: scale >= 0, likewise; all broadcast.
        name: not used.

    Raises:
        InvalidArgumentError: `df` not positive, a negative scale, shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> proa.distribution.StudentT(df=4.0, loc=0.0, scale=1.0).variance.item()
        2.0

    Differs: `rsample` is there too.
    """

    def __init__(self, df: Any, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "StudentT"
        self.df, self.loc, self.scale = as_parameters("StudentT", df=df, loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        require_positive("StudentT", "df", self.df)
        require_scale("StudentT", self.scale)
        super().__init__(self.loc.shape)

    def _mean(self) -> Any:
        return where(self.df > 1.0, self.loc, full_like(self.loc, math.nan))

    def _variance(self) -> Any:
        # Where it is not finite another number takes the place of `df`: no NaN in the gradient.
        df = where(self.df > 2.0, self.df, full_like(self.df, 3.0))
        finite = square(self.scale) * df / (df - 2.0)
        heavy = where(self.df > 1.0, full_like(df, math.inf), full_like(df, math.nan))
        return where(self.df > 2.0, finite, heavy)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        extents = self._extend_shape(shape)
        drawn = draw_normal(extents, self.dtype)
        half = 0.5 * self.df + zeros_like(drawn)
        return self.loc + self.scale * drawn * rsqrt(standard_gamma(half) / half)

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        half = 0.5 * (self.df + 1.0)
        constant = lgamma(half) - lgamma(0.5 * self.df) - 0.5 * log(math.pi * self.df)
        return constant - log(self.scale) - half * log1p(square(z) / self.df)

    def _entropy(self) -> Any:
        half, df = 0.5 * (self.df + 1.0), 0.5 * self.df
        beta = lgamma(df) + 0.5 * math.log(math.pi) - lgamma(half)
        spread = half * (digamma(half) - digamma(df))
        return log(self.scale) + spread + 0.5 * log(self.df) + beta


@register_kl(Uniform, Uniform)
def _kl_uniform(p: Uniform, q: Uniform) -> Any:
    result = log((q.high - q.low) / (p.high - p.low))
    within = logical_and(q.low <= p.low, p.high <= q.high)
    return where(within, result, full_like(result, math.inf))


@register_kl(Laplace, Laplace)
def _kl_laplace(p: Laplace, q: Laplace) -> Any:
    distance = abs_(p.loc - q.loc)
    near = p.scale * exp(-distance / p.scale)
    return log(q.scale / p.scale) + (near + distance) / q.scale - 1.0


@register_kl(Cauchy, Cauchy)
def _kl_cauchy(p: Cauchy, q: Cauchy) -> Any:
    both = square(p.scale + q.scale) + square(p.loc - q.loc)
    return log(both / (4.0 * p.scale * q.scale))
