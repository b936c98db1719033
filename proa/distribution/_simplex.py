"""Distributions of proportions: beta and Dirichlet."""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import all as all_
from proa.ops import (
    digamma,
    full_like,
    lgamma,
    log,
    log1p,
    logical_and,
    sigmoid,
    softmax,
    square,
    stack,
    where,
)
from proa.ops import sum as sum_

from ._distribution import ExponentialFamily
from ._draw import draw_log_gamma
from ._kl_registry import register_kl
from ._parameters import as_parameters, require_positive, shape_of


class Beta(ExponentialFamily):
    """Beta distribution, of a proportion.

    `p(x) = x^(alpha - 1) (1 - x)^(beta - 1) / B(alpha, beta)` for `0 < x < 1`

    Args:
        alpha: weight towards 1, > 0, a number, list, array or Tensor.
        beta: weight towards 0, > 0, likewise; both broadcast.

    Raises:
        InvalidArgumentError: a parameter that is not positive, shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Beta(2.0, 2.0)
        >>> x.mean.item(), round(x.prob(0.5).item(), 4)
        (0.5, 1.5)

    Differs: `rsample` is there too; outside (0, 1) the density is 0.
    """

    def __init__(self, alpha: Any, beta: Any) -> None:
        self.alpha, self.beta = as_parameters("Beta", alpha=alpha, beta=beta)
        self.dtype = self.alpha.dtype
        require_positive("Beta", "alpha", self.alpha)
        require_positive("Beta", "beta", self.beta)
        super().__init__(self.alpha.shape)

    def _mean(self) -> Any:
        return self.alpha / (self.alpha + self.beta)

    def _variance(self) -> Any:
        total = self.alpha + self.beta
        return self.alpha * self.beta / (square(total) * (total + 1.0))

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        both = stack([self.alpha, self.beta], -1)
        logs = draw_log_gamma(both.expand((*self._extend_shape(shape), 2)))
        return sigmoid(logs[..., 0] - logs[..., 1])

    def _log_prob(self, value: Any) -> Any:
        inside = logical_and(value > 0, value < 1)
        safe = where(inside, value, full_like(value, 0.5))
        density = (self.alpha - 1.0) * log(safe) + (self.beta - 1.0) * log1p(-safe)
        density = density - self._log_normalizer(self.alpha, self.beta)
        return where(inside, density, full_like(density, -math.inf))

    def _entropy(self) -> Any:
        total = self.alpha + self.beta
        return (
            self._log_normalizer(self.alpha, self.beta)
            - (self.alpha - 1.0) * digamma(self.alpha)
            - (self.beta - 1.0) * digamma(self.beta)
            + (total - 2.0) * digamma(total)
        )

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return self.alpha, self.beta

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return lgamma(x) + lgamma(y) - lgamma(x + y)


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution, of proportions that sum to 1.

    `p(x) = prod_i x_i^(concentration_i - 1) / B(concentration)` on the simplex

    Args:
        concentration: weights > 0, a list, array or Tensor; proportions along the last axis.

    Raises:
        InvalidArgumentError: weights that are not positive, or a single number.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Dirichlet([1.0, 3.0])
        >>> x.mean.tolist(), x.event_shape
        ([0.25, 0.75], (2,))

    Differs: `rsample` is there too; where a proportion is not positive the density is 0.
    """

    def __init__(self, concentration: Any) -> None:
        (self.concentration,) = as_parameters("Dirichlet", concentration=concentration)
        self.dtype = self.concentration.dtype
        if not shape_of(self.concentration):
            raise InvalidArgumentError(
                "`concentration` of `Dirichlet` is a single number",
                expected="at least one axis, the last for the proportions",
                fix="pass a list; Beta is the distribution of a single proportion",
            )
        require_positive("Dirichlet", "concentration", self.concentration)
        shape = self.concentration.shape
        super().__init__(shape[:-1], shape[-1:])

    def _mean(self) -> Any:
        return self.concentration / sum_(self.concentration, -1, keepdim=True)

    def _variance(self) -> Any:
        total = sum_(self.concentration, -1, keepdim=True)
        rest = total - self.concentration
        return self.concentration * rest / (square(total) * (total + 1.0))

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        extents = self._extend_shape(shape)
        return softmax(draw_log_gamma(self.concentration.expand(extents)), -1)

    def _log_prob(self, value: Any) -> Any:
        inside = value > 0
        safe = where(inside, value, full_like(value, 0.5))
        density = sum_((self.concentration - 1.0) * log(safe), -1)
        density = density - self._log_normalizer(self.concentration)
        return where(all_(inside, -1), density, full_like(density, -math.inf))

    def _entropy(self) -> Any:
        total = sum_(self.concentration, -1)
        count = shape_of(self.concentration)[-1]
        return (
            self._log_normalizer(self.concentration)
            + (total - float(count)) * digamma(total)
            - sum_((self.concentration - 1.0) * digamma(self.concentration), -1)
        )

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return sum_(lgamma(x), -1) - lgamma(sum_(x, -1))


@register_kl(Beta, Beta)
def _kl_beta(p: Beta, q: Beta) -> Any:
    total_p, total_q = p.alpha + p.beta, q.alpha + q.beta
    return (
        q._log_normalizer(q.alpha, q.beta)
        - p._log_normalizer(p.alpha, p.beta)
        + (p.alpha - q.alpha) * digamma(p.alpha)
        + (p.beta - q.beta) * digamma(p.beta)
        + (total_q - total_p) * digamma(total_p)
    )


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet(p: Dirichlet, q: Dirichlet) -> Any:
    slope = digamma(p.concentration) - digamma(sum_(p.concentration, -1, keepdim=True))
    return (
        q._log_normalizer(q.concentration)
        - p._log_normalizer(p.concentration)
        + sum_((p.concentration - q.concentration) * slope, -1)
    )
