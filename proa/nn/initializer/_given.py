"""Initialisers whose values the user gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import Tensor

from ._base import Initializer, require


class Constant(Initializer):
    """Fills with one value.

    Args:
        value: the value.

    Examples:
        >>> import proa
        >>> init = proa.nn.initializer.Constant(0.5)
        >>> proa.nn.Linear(1, 2, weight_attr=init).weight.tolist()
        [[0.5, 0.5]]
    """

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns `value` everywhere."""
        return np.full(shape, self.value, dtype)


class Assign(Initializer):
    """Fills with given values.

    Args:
        value: array, (nested) list or Tensor of the parameter's shape.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (when it is used) the parameter has another shape.

    Differs: Paddle 3.3.1 gives the parameter the shape of `value`.

    Examples:
        >>> import proa
        >>> init = proa.nn.initializer.Assign([[1.0, 2.0]])
        >>> proa.nn.Linear(1, 2, weight_attr=init).weight.tolist()
        [[1.0, 2.0]]
    """

    def __init__(self, value: Any, name: str | None = None) -> None:
        self.value = value.numpy() if isinstance(value, Tensor) else np.array(value)

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns the given values."""
        require(
            self.value.shape == shape,
            self,
            f"`value` has shape {list(self.value.shape)}, the parameter {list(shape)}",
            "values of the parameter's shape",
            "reshape the values",
        )
        return self.value
