"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import (
    broadcast_shape,
    cholesky,
    diagonal,
    expand,
    eye,
    flip,
    log,
    matmul,
    matrix_transpose,
    square,
    squeeze,
    triangular_solve,
    unsqueeze,
)
from proa.ops import sum as sum_

from ._distribution import Distribution
from ._draw import draw_normal
from ._kl_registry import register_kl
from ._parameters import as_parameters, shape_of

_LOG_TWO_PI = math.log(2.0 * math.pi)
_FORMS = ("covariance_matrix", "precision_matrix", "scale_tril")


def _lower_of_precision(precision: Any) -> Any:
    """The lower factor of the covariance, without forming the covariance.

    With `P = U U'` for an upper triangular `U`, the inverse of `P` is `L L'` with `L = U'^-1`.
    """
    upper = flip(cholesky(flip(precision, [-2, -1])), [-2, -1])
    identity = expand(eye(shape_of(precision)[-1], dtype=precision.dtype), shape_of(precision))
    return triangular_solve(matrix_transpose(upper), identity, upper=False)


def _solve(lower: Any, right: Any) -> Any:
    """`lower^-1 right`, over broadcast batches of matrices."""
    batch = broadcast_shape(shape_of(lower)[:-2], shape_of(right)[:-2])
    lower = expand(lower, (*batch, *shape_of(lower)[-2:]))
    return triangular_solve(lower, expand(right, (*batch, *shape_of(right)[-2:])), upper=False)


def _log_diagonal(lower: Any) -> Any:
    return sum_(log(diagonal(lower, axis1=-2, axis2=-1)), -1)


class MultivariateNormal(Distribution):
    """Normal distribution of vectors.

    `p(x) = exp(-(x - loc)' covariance^-1 (x - loc) / 2) / sqrt((2 pi)^k det(covariance))`

    Args:
        loc: mean, a list, array or Tensor whose last axis holds the k entries.
        covariance_matrix: covariance, [..., k, k], symmetric and positive definite.
        precision_matrix: its inverse; in its place.
        scale_tril: its lower triangular Cholesky factor; in its place.

    Raises:
        InvalidArgumentError: not exactly one of the three matrices, shapes that do not fit, or a
            matrix that is not positive definite (eager mode).

    Examples:
        >>> import proa
        >>> x = proa.distribution.MultivariateNormal([1.0, 2.0], proa.eye(2))
        >>> round(x.log_prob(proa.to_tensor([1.0, 2.0])).item(), 4)
        -1.8379
    """

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
    ) -> None:
        given = {"loc": loc}
        forms = (covariance_matrix, precision_matrix, scale_tril)
        chosen = [pair for pair in zip(_FORMS, forms, strict=True) if pair[1] is not None]
        if len(chosen) != 1:
            names = ", ".join(name for name, _ in chosen) or "none"
            raise InvalidArgumentError(
                f"`MultivariateNormal` was given {names} of the three matrices",
                expected="exactly one of " + ", ".join(_FORMS),
                fix="leave the others out",
            )
        ((form, matrix),) = chosen
        (center,), (matrix,) = (
            as_parameters("MultivariateNormal", **given),
            as_parameters("MultivariateNormal", **{form: matrix}),
        )
        self._check_shapes(center, matrix, form)
        lower = {
            "covariance_matrix": cholesky,
            "precision_matrix": _lower_of_precision,
            "scale_tril": lambda x: x,
        }[form](matrix)
        batch = broadcast_shape(shape_of(center)[:-1], shape_of(lower)[:-2])
        size = shape_of(center)[-1]
        self.loc = expand(center, (*batch, size))
        self.scale_tril = expand(lower, (*batch, size, size))
        self.dtype = self.loc.dtype
        self._form, self._matrix = form, expand(matrix, (*batch, size, size))
        super().__init__(batch, (size,))

    @staticmethod
    def _check_shapes(center: Any, matrix: Any, form: str) -> None:
        left, right = shape_of(center), shape_of(matrix)
        if not left or len(right) < 2 or right[-1] != right[-2] or right[-1] != left[-1]:
            raise InvalidArgumentError(
                f"`loc` {list(left)} and `{form}` {list(right)} of `MultivariateNormal`",
                expected="[..., k] and [..., k, k]",
                fix="one number is a vector of one entry: use Normal, or loc.unsqueeze(0)",
            )

    @property
    def covariance_matrix(self) -> Any:
        """Covariance, of the shape batch + [k, k]."""
        if self._form == "covariance_matrix":
            return self._matrix
        return matmul(self.scale_tril, self.scale_tril, transpose_y=True)

    @property
    def precision_matrix(self) -> Any:
        """Inverse of the covariance, of the shape batch + [k, k]."""
        if self._form == "precision_matrix":
            return self._matrix
        inverse = _solve(self.scale_tril, eye(self._event_shape[0], dtype=self.dtype))
        return matmul(inverse, inverse, transpose_x=True)

    def _mean(self) -> Any:
        return self.loc

    def _variance(self) -> Any:
        return sum_(square(self.scale_tril), -1)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        drawn = unsqueeze(draw_normal(self._extend_shape(shape), self.dtype), -1)
        return self.loc + squeeze(matmul(self.scale_tril, drawn), -1)

    def _log_prob(self, value: Any) -> Any:
        whitened = squeeze(_solve(self.scale_tril, unsqueeze(value - self.loc, -1)), -1)
        constant = 0.5 * _LOG_TWO_PI * float(self._event_shape[0])
        return -0.5 * sum_(square(whitened), -1) - constant - _log_diagonal(self.scale_tril)

    def _entropy(self) -> Any:
        half = 0.5 * (1.0 + _LOG_TWO_PI) * float(self._event_shape[0])
        return half + _log_diagonal(self.scale_tril)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Any:
    spread = sum_(square(_solve(q.scale_tril, p.scale_tril)), [-2, -1])
    moved = squeeze(_solve(q.scale_tril, unsqueeze(q.loc - p.loc, -1)), -1)
    logs = _log_diagonal(q.scale_tril) - _log_diagonal(p.scale_tril)
    size = float(p._event_shape[0])
    return logs + 0.5 * (spread + sum_(square(moved), -1) - size)
