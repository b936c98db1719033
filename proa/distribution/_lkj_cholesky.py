"""The distribution of Cholesky factors of correlation matrices."""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import (
    arange,
    concat,
    cumprod,
    diag_embed,
    diagonal,
    lgamma,
    log,
    ones_like,
    sqrt,
    square,
    tril,
    unsqueeze,
    zeros_like,
)
from proa.ops import sum as sum_

from ._distribution import Distribution
from ._draw import draw_normal
from ._parameters import as_parameters, as_sample_shape, require_positive
from ._simplex import Beta


class LKJCholesky(Distribution):
    """Distribution of lower Cholesky factors of correlation matrices.

    `p(L) = C prod_(i >= 2) L_ii^(dim - i + 2 (concentration - 1))`; the correlation matrix
    `L L'` has a density in proportion to `det(L L')^(concentration - 1)`.

    Args:
        dim: number of rows, >= 2.
        concentration: 1 makes all correlation matrices equally likely, more draws them towards
            the identity; a number > 0, list, array or Tensor.
        sample_method: "onion" (row by row) or "cvine" (from partial correlations).

    Raises:
        InvalidArgumentError: `dim` below 2, a concentration that is not positive, an unknown
            method.

    Examples:
        >>> import proa
        >>> x = proa.distribution.LKJCholesky(3, 1.0).sample()
        >>> [round(d, 4) for d in (x @ x.T).diagonal().tolist()]
        [1.0, 1.0, 1.0]

    References:
        Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and
        extended onion method", 2009.
    """

    def __init__(
        self, dim: int = 2, concentration: Any = 1.0, sample_method: str = "onion"
    ) -> None:
        if not isinstance(dim, int) or dim < 2:
            raise InvalidArgumentError(
                f"`dim` of `LKJCholesky` is {dim!r}"[:200],
                expected="an integer >= 2",
                fix="a correlation matrix of one row is always [[1.0]]",
            )
        if sample_method not in ("onion", "cvine"):
            raise InvalidArgumentError(
                f"`sample_method` of `LKJCholesky` is {sample_method!r}"[:200],
                expected='"onion" or "cvine"',
                fix="leave the default; both draw from the same distribution",
            )
        (self.concentration,) = as_parameters("LKJCholesky", concentration=concentration)
        require_positive("LKJCholesky", "concentration", self.concentration)
        self.dim, self.sample_method = dim, sample_method
        self.dtype = self.concentration.dtype
        super().__init__(self.concentration.shape, (dim, dim))

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draws factors; no gradient passes.

        Args:
            sample_shape: how many draws, as a shape.
        """
        return super().sample(as_sample_shape("LKJCholesky", sample_shape))

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        below, squared = self._cvine(shape) if self.sample_method == "cvine" else self._onion(shape)
        # `below` holds rows 2 ... dim without their last column, `squared` their diagonal.
        body = concat([zeros_like(below[..., :1, :]), below], -2)
        body = concat([body, zeros_like(body[..., :1])], -1)
        ends = concat([ones_like(squared[..., :1]), sqrt(squared)], -1)
        return body + diag_embed(ends)

    def _steps(self) -> Any:
        return arange(self.dim - 1, dtype=self.dtype)

    def _onion(self, shape: tuple[Any, ...]) -> tuple[Any, Any]:
        """Row i is a direction times a length whose square has a beta distribution."""
        size, steps = self.dim - 1, self._steps()
        rest = unsqueeze(self.concentration, -1) + 0.5 * (float(size - 1) - steps)
        lengths = Beta(0.5 * (steps + 1.0) + zeros_like(rest), rest).sample(shape)
        directions = tril(draw_normal((*shape, *self._batch_shape, size, size), self.dtype))
        norms = sqrt(sum_(square(directions), -1, keepdim=True))
        return directions / norms * unsqueeze(sqrt(lengths), -1), 1.0 - lengths

    def _cvine(self, shape: tuple[Any, ...]) -> tuple[Any, Any]:
        """Entries from partial correlations, each with a beta distribution on (-1, 1)."""
        size = self.dim - 1
        rest = unsqueeze(self.concentration, -1) + 0.5 * (float(size - 1) - self._steps())
        weights = unsqueeze(rest, -2) + zeros_like(unsqueeze(rest, -1))
        partial = tril(2.0 * Beta(weights, weights).sample(shape) - 1.0)
        left = cumprod(1.0 - square(partial), -1)
        before = concat([ones_like(left[..., :1]), left[..., :-1]], -1)
        return partial * sqrt(before), left[..., -1]

    def _log_prob(self, value: Any) -> Any:
        size = float(self.dim - 1)
        diagonals = diagonal(value, axis1=-2, axis2=-1)[..., 1:]
        orders = 2.0 * (unsqueeze(self.concentration, -1) - 1.0) + (size - 1.0 - self._steps())
        return sum_(orders * log(diagonals), -1) - self._log_constant(size)

    def _log_constant(self, size: float) -> Any:
        top = unsqueeze(self.concentration, -1) + 0.5 * size
        gammas = sum_(lgamma(top - 0.5 - 0.5 * self._steps()), -1) - size * lgamma(top[..., 0])
        return gammas + (0.25 * size * (size - 1.0) + 0.5 * size) * math.log(math.pi)
