"""The normal distribution and what is made of it by an exponential."""

from __future__ import annotations

import math
from typing import Any

from proa.ops import erf, erfinv, exp, expm1, log, square

from ._distribution import Distribution
from ._draw import draw_normal, seeded
from ._kl_registry import kl_divergence, register_kl
from ._parameters import as_parameters, require_scale
from ._transform_elementwise import ExpTransform
from ._transformed import TransformedDistribution

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


class Normal(Distribution):
    """Normal (Gaussian) distribution.

    `p(x) = exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi))`

    Args:
        loc: mean, a number, list, array or Tensor.
        scale: standard deviation >= 0, likewise; both broadcast.
        name: not used.

    Raises:
        InvalidArgumentError: a negative scale, or shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Normal([0.0, 1.0], [1.0, 2.0])
        >>> [round(p, 4) for p in x.log_prob(proa.zeros([2])).tolist()]
        [-0.9189, -1.7371]
        >>> x.rsample([3]).shape
        [3, 2]

    Differs: `sample` passes gradients on, as in Paddle, unlike that of most classes.
    """

    _sample_has_gradient = True

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Normal"
        self.loc, self.scale = as_parameters("Normal", loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        require_scale("Normal", self.scale)
        super().__init__(self.loc.shape)

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Draws from the distribution; gradients pass to the parameters.

        Args:
            shape: how many draws, as a shape.
            seed: 0 draws from the generator; another number gives the same draws on each call.
        """
        with seeded(seed):
            return super().sample(shape)

    def _mean(self) -> Any:
        return self.loc

    def _variance(self) -> Any:
        return square(self.scale)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self.loc + self.scale * draw_normal(self._extend_shape(shape), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        return -0.5 * square((value - self.loc) / self.scale) - log(self.scale) - _LOG_ROOT_TWO_PI

    def _cdf(self, value: Any) -> Any:
        return 0.5 * (1.0 + erf((value - self.loc) / (self.scale * math.sqrt(2.0))))

    def _icdf(self, value: Any) -> Any:
        return self.loc + self.scale * math.sqrt(2.0) * erfinv(2.0 * value - 1.0)

    def _entropy(self) -> Any:
        return log(self.scale) + (0.5 + _LOG_ROOT_TWO_PI)


class LogNormal(TransformedDistribution):
    """Distribution of the exponential of a normal number.

    `p(x) = exp(-(log x - loc)^2 / (2 scale^2)) / (x scale sqrt(2 pi))` for `x > 0`

    Args:
        loc: mean of the logarithm, a number, list, array or Tensor.
        scale: standard deviation of the logarithm, >= 0.

    Raises:
        InvalidArgumentError: a negative scale, or shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> round(proa.distribution.LogNormal(0.0, 1.0).mean.item(), 4)
        1.6487

    Differs: `sample` passes gradients on, as in Paddle.
    """

    _sample_has_gradient = True

    def __init__(self, loc: Any, scale: Any) -> None:
        base = Normal(loc, scale)
        self.loc, self.scale = base.loc, base.scale
        super().__init__(base, [ExpTransform()])

    def _mean(self) -> Any:
        return exp(self.loc + 0.5 * square(self.scale))

    def _variance(self) -> Any:
        squared = square(self.scale)
        return expm1(squared) * exp(2.0 * self.loc + squared)

    def _cdf(self, value: Any) -> Any:
        return self._base.cdf(log(value))

    def _icdf(self, value: Any) -> Any:
        return exp(self._base.icdf(value))

    def _entropy(self) -> Any:
        return self._base.entropy() + self.loc


@register_kl(Normal, Normal)
def _kl_normal(p: Normal, q: Normal) -> Any:
    ratio = square(p.scale / q.scale)
    distance = square((p.loc - q.loc) / q.scale)
    return 0.5 * (ratio + distance - 1.0 - log(ratio))


@register_kl(LogNormal, LogNormal)
def _kl_log_normal(p: LogNormal, q: LogNormal) -> Any:
    return kl_divergence(p._base, q._base)
