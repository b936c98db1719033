"""Initialisers that draw from one distribution."""

from __future__ import annotations

import math

import jax
import numpy as np

from ._base import Initializer, host_generator, require


def _moved(drawn: np.ndarray | float, factor: float, offset: float) -> np.ndarray:
    array = np.asarray(drawn)
    # In place: weights are large, and a new buffer costs more than the arithmetic.
    np.multiply(array, factor, out=array, casting="same_kind")
    return np.add(array, offset, out=array, casting="same_kind")


class Normal(Initializer):
    """Draws from the normal distribution.

    Args:
        mean: mean.
        std: standard deviation, not negative.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `std` is negative.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        require(std >= 0, self, f"`std` is {std}", "a number >= 0", "give a standard deviation")
        self.mean, self.std = mean, std

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns draws."""
        return _moved(host_generator().standard_normal(shape, dtype), self.std, self.mean)


class Uniform(Initializer):
    """Draws from the uniform distribution on `[low, high)`.

    Args:
        low: lower bound.
        high: upper bound.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `low` is above `high`.
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None) -> None:
        require(low <= high, self, f"`low` is {low}, `high` {high}", "low <= high", "swap them")
        self.low, self.high = low, high

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns draws."""
        return _moved(host_generator().random(shape, dtype), self.high - self.low, self.low)


class TruncatedNormal(Initializer):
    """Draws from the normal distribution, cut to `[a, b]`.

    Args:
        mean: mean before the cut.
        std: standard deviation before the cut, positive.
        a: lower bound (a value, not a multiple of `std`).
        b: upper bound.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `std` is not positive, or `a` is not below `b`.
    """

    def __init__(
        self,
        mean: float = 0.0,
        std: float = 1.0,
        a: float = -2.0,
        b: float = 2.0,
        name: str | None = None,
    ) -> None:
        require(std > 0, self, f"`std` is {std}", "a positive number", "use Constant for no spread")
        require(a < b, self, f"`a` is {a}, `b` {b}", "a < b", "swap them")
        self.mean, self.std, self.a, self.b = mean, std, a, b

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns draws, by the inverse of the distribution function."""
        low, high = ((bound - self.mean) / self.std for bound in (self.a, self.b))
        # On the right of the mean the function is too near to 1: work with its mirror image.
        mirrored = low > 0
        if mirrored:
            low, high = -high, -low
        lowest, highest = (0.5 * math.erfc(-bound / math.sqrt(2.0)) for bound in (low, high))
        share = host_generator().uniform(lowest, highest, math.prod(shape))
        deviation = _inverse_normal(share).reshape(shape)
        deviation = -deviation if mirrored else deviation
        return np.clip(deviation * self.std + self.mean, self.a, self.b).astype(dtype)


def _inverse_normal(share: np.ndarray) -> np.ndarray:
    # Padded to a power of two, so that a network's many shapes compile a few times only.
    padded = np.full(1 << max(10, (share.size - 1).bit_length()), 0.5)
    padded[: share.size] = share
    return np.asarray(_ndtri(padded))[: share.size]


_ndtri = jax.jit(jax.scipy.special.ndtri)
