"""The divergence that members of any exponential family have."""

from __future__ import annotations

from typing import Any

from proa.core import UnsupportedError

from ._distribution import ExponentialFamily, sum_rightmost
from ._kl_registry import register_kl
from ._parameters import shape_of


@register_kl(ExponentialFamily, ExponentialFamily)
def kl_exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Any:
    """The Bregman divergence of the log normaliser between two members of one family.

    `F(theta_q) - F(theta_p) - (theta_q - theta_p) . F'(theta_p)`

    Raises:
        UnsupportedError: two different families.
    """
    if type(p) is not type(q):
        raise UnsupportedError(
            f"`kl_divergence` of `{type(p).__name__}` and `{type(q).__name__}`",
            expected="two members of one exponential family, or a registered formula",
            fix="add one with @proa.distribution.register_kl, or average over samples of p",
        )
    parameters, normalizer, slopes = p._normalizer_and_slopes()
    others = q._natural_parameters
    result = q._log_normalizer(*others) - normalizer
    for theta, other, slope in zip(parameters, others, slopes, strict=True):
        extra = len(shape_of(theta)) - len(shape_of(normalizer))
        result = result - sum_rightmost((other - theta) * slope, extra)
    return result
