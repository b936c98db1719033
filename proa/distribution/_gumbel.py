"""The Gumbel distribution, made from the uniform one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proa.ops import exp, log, ones_like, square, zeros_like

from ._distribution import Distribution
from ._draw import draw_open
from ._location_scale import Uniform
from ._parameters import as_parameters, require_scale
from ._transformed import TransformedDistribution

_EULER = float(np.euler_gamma)


class Gumbel(TransformedDistribution):
    """Gumbel distribution, of the largest of many numbers.

    `p(x) = exp(-z - exp(-z)) / scale` with `z = (x - loc) / scale`

    Args:
        loc: place of the maximum, a number, list, array or Tensor.
        scale: scale >= 0, likewise; both broadcast.

    Raises:
        InvalidArgumentError: a negative scale, or shapes that do not broadcast.

    As in Paddle it is a transformed distribution: `base_dist` is the uniform one on (0, 1), and
    a draw is `loc - scale * log(-log(u))`.

    Examples:
        >>> import proa
        >>> round(proa.distribution.Gumbel(0.0, 1.0).mean.item(), 4)
        0.5772
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = as_parameters("Gumbel", loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        require_scale("Gumbel", self.scale)
        self.base_dist, self.transforms = Uniform(zeros_like(self.loc), ones_like(self.loc)), ()
        super().__init__(self.base_dist, self.transforms)

    def _mean(self) -> Any:
        return self.loc + self.scale * _EULER

    def _variance(self) -> Any:
        return square(self.scale) * (math.pi**2 / 6.0)

    def sample(self, shape: Any = ()) -> Any:
        """Draws without a gradient.

        Args:
            shape: how many draws, as a shape.
        """
        return Distribution.sample(self, shape)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self._icdf(draw_open(self._extend_shape(shape), self.dtype))

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return -(z + exp(-z)) - log(self.scale)

    def _cdf(self, value: Any) -> Any:
        return exp(-exp(-(value - self.loc) / self.scale))

    def _icdf(self, value: Any) -> Any:
        return self.loc - self.scale * log(-log(value))

    def _entropy(self) -> Any:
        return log(self.scale) + (1.0 + _EULER)
