"""What all initialisers share: values are drawn on the host, then put on the device.

Drawing on the host needs no compilation, which would otherwise cost more than the drawing
for each new shape. The stream still comes from the generator that `proa.seed` restarts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import (
    GradMode,
    InvalidArgumentError,
    Mersenne,
    Tensor,
    UnsupportedError,
    host_stream,
    new_tensor,
    next_key,
    put,
    run_eagerly,
)


class Initializer:
    """Base of the initialisers; an instance fills a parameter when it is called with it.

    A subclass overrides `values`, or `forward` when it needs the parameter itself.
    """

    def __call__(self, param: Tensor, block: Any = None) -> Any:
        """Fills a tensor in place.

        Args:
            param: the tensor to fill.
            block: kept for Paddle's signature.
        """
        return self.forward(param, block)

    def forward(self, param: Tensor, block: Any = None) -> Any:
        """Fills `param` with `values` of its shape and dtype."""
        with GradMode(False):
            param.set_value(draw(self, param.shape, param.dtype))  # type: ignore[attr-defined]

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns the initial values.

        Args:
            shape: shape of the parameter.
            dtype: floating dtype to compute in (float32 also for narrower parameters).
        """
        raise UnsupportedError(
            f"{type(self).__name__} says neither `values` nor `forward`",
            expected="a subclass that overrides one of them",
            fix="return a NumPy array of the given shape from `values(shape, dtype)`",
        )


def draw(initializer: Initializer, shape: Sequence[int], dtype: Any) -> Tensor:
    """Returns a new tensor with an initialiser's values."""
    wide = np.dtype(np.float64 if dtype.name in ("float64", "complex128") else np.float32)
    array = initializer.values(tuple(shape), wide)
    return new_tensor(put(np.ascontiguousarray(array, dtype=dtype.numpy).reshape(tuple(shape))))


class _Twister:
    """The methods of a NumPy generator that initialisers use, on Paddle's stream."""

    def __init__(self, stream: Mersenne) -> None:
        self.random, self.standard_normal = stream.unit, stream.normal

    def uniform(self, low: float, high: float, size: int) -> np.ndarray:
        """Numbers in [low, high), float64."""
        return low + (high - low) * self.random((size,)).astype(np.float64)


def host_generator() -> Any:
    """Returns a NumPy generator started from the next key of the default generator.

    Where draws follow Paddle's stream (`FLAGS_paddle_random`), it stands on that.
    """
    with run_eagerly():
        stream = host_stream()
        if stream is not None:
            return _Twister(stream)
        high, low = next_key().numpy()
    return np.random.Generator(np.random.PCG64DXSM(int(high) << 32 | int(low)))


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Numbers of inputs and outputs of one unit of a layer with this weight.

    A matrix is `[inputs, outputs]`; a convolution's kernel `[outputs, inputs, *window]`.
    """
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    if len(shape) == 2:
        return shape[0], shape[1]
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def require(condition: bool, owner: Any, got: str, expected: str, fix: str) -> None:
    """Raises InvalidArgumentError in the name of an initialiser unless the condition holds."""
    if not condition:
        raise InvalidArgumentError(f"{type(owner).__name__}: {got}", expected=expected, fix=fix)
