"""Layers that only change the shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa.ops import flatten, unflatten

from ._common import named
from ._layer import Layer


class Flatten(Layer):
    """Joins neighbouring axes into one.

    Args:
        start_axis: first of the axes.
        stop_axis: last of the axes.

    Raises:
        OutOfRangeError: (at the call) the input has no such axes.

    Examples:
        >>> import proa
        >>> proa.nn.Flatten()(proa.ones([2, 3, 4])).shape
        [2, 12]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Any) -> Any:
        """Returns the flattened input."""
        return flatten(input, self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """Splits an axis into several.

    Args:
        axis: the axis.
        shape: sizes it is split into; one of them may be -1.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (at the call) the sizes do not make up the axis.

    Examples:
        >>> import proa
        >>> proa.nn.Unflatten(1, [2, -1])(proa.ones([3, 4])).shape
        [3, 2, 2]
    """

    def __init__(self, axis: int, shape: Sequence[int], name: str | None = None) -> None:
        super().__init__()
        self.axis, self.shape = axis, shape
        self.name = name

    def forward(self, input: Any) -> Any:
        """Returns the input with more axes."""
        return unflatten(input, self.axis, self.shape)

    def extra_repr(self) -> str:
        """Returns the axis and the sizes."""
        return named(f"axis={self.axis}, shape={self.shape}", self.name)
