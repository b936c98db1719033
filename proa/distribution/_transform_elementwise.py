"""Transforms that act on each number by itself."""

from __future__ import annotations

import math
from typing import Any

from proa.core import to_tensor
from proa.ops import (
    abs as abs_,
)
from proa.ops import (
    atanh,
    broadcast_shape,
    exp,
    log,
    logit,
    pow,
    sigmoid,
    softplus,
    tanh,
)

from ._parameters import as_parameters, shape_of
from ._transform import Transform, Type


class AbsTransform(Transform):
    """Absolute value, `y = |x|`; its inverse gives both signs.

    Examples:
        >>> import proa
        >>> minus, plus = proa.distribution.AbsTransform().inverse(proa.to_tensor([2.0]))
        >>> minus.item(), plus.item()
        (-2.0, 2.0)
    """

    _type = Type.SURJECTION

    def _forward(self, x: Any) -> Any:
        return abs_(x)

    def _inverse(self, y: Any) -> Any:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        zero = to_tensor(0.0, dtype=y.dtype)
        return zero, zero


class AffineTransform(Transform):
    """Scale and shift, `y = loc + scale * x`.

    Args:
        loc: shift, a number or Tensor.
        scale: factor other than 0, a number or Tensor.

    Examples:
        >>> import proa
        >>> proa.distribution.AffineTransform(1.0, 2.0).forward(proa.to_tensor([3.0])).item()
        7.0
    """

    _type = Type.BIJECTION

    def __init__(self, loc: Any, scale: Any) -> None:
        super().__init__()
        (self._loc,) = as_parameters("AffineTransform", loc=loc)
        (self._scale,) = as_parameters("AffineTransform", scale=scale)

    @property
    def loc(self) -> Any:
        """The shift."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The factor."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        return self._loc + self._scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log(abs_(self._scale))

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        own = broadcast_shape(shape_of(self._loc), shape_of(self._scale))
        return tuple(broadcast_shape(shape, own))

    _inverse_shape = _forward_shape


class ExpTransform(Transform):
    """Exponential, `y = exp(x)`.

    Examples:
        >>> import proa
        >>> proa.distribution.ExpTransform().forward_log_det_jacobian(proa.to_tensor(2.0)).item()
        2.0
    """

    _type = Type.BIJECTION

    def _forward(self, x: Any) -> Any:
        return exp(x)

    def _inverse(self, y: Any) -> Any:
        return log(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return x


class PowerTransform(Transform):
    """Power, `y = x ^ power`, for positive numbers.

    Args:
        power: exponent other than 0, a number or Tensor.

    Examples:
        >>> import proa
        >>> proa.distribution.PowerTransform(2.0).inverse(proa.to_tensor([9.0])).item()
        3.0
    """

    _type = Type.BIJECTION

    def __init__(self, power: Any) -> None:
        super().__init__()
        (self._power,) = as_parameters("PowerTransform", power=power)

    @property
    def power(self) -> Any:
        """The exponent."""
        return self._power

    def _forward(self, x: Any) -> Any:
        return pow(x, self._power)

    def _inverse(self, y: Any) -> Any:
        return pow(y, 1.0 / self._power)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log(abs_(self._power * pow(x, self._power - 1.0)))

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(broadcast_shape(shape, shape_of(self._power)))

    _inverse_shape = _forward_shape


class SigmoidTransform(Transform):
    """Logistic function, `y = 1 / (1 + exp(-x))`.

    Examples:
        >>> import proa
        >>> proa.distribution.SigmoidTransform().forward(proa.to_tensor([0.0])).item()
        0.5
    """

    _type = Type.BIJECTION

    def _forward(self, x: Any) -> Any:
        return sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return logit(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -softplus(-x) - softplus(x)


class TanhTransform(Transform):
    """Hyperbolic tangent, `y = tanh(x)`.

    Examples:
        >>> import proa
        >>> round(proa.distribution.TanhTransform().forward(proa.to_tensor(1.0)).item(), 4)
        0.7616
    """

    _type = Type.BIJECTION

    def _forward(self, x: Any) -> Any:
        return tanh(x)

    def _inverse(self, y: Any) -> Any:
        return atanh(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # log(1 - tanh(x)^2) without the difference, which loses its digits for large x.
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))
