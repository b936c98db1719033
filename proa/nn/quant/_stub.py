"""A place in a model where an observer is to stand."""

from __future__ import annotations

from typing import Any

from proa.nn._layer import Layer


class Stub(Layer):
    """Hands its input on; quantisation puts an observer in its place.

    Functions called in `forward` are no layers, so that a setting cannot name them: a stub before
    such a call can be named.

    Args:
        observer: what makes the observer, or `None` for the quantisation's own.

    Examples:
        >>> import proa
        >>> proa.nn.quant.Stub()(proa.to_tensor([1.5])).tolist()
        [1.5]
    """

    def __init__(self, observer: Any = None) -> None:
        super().__init__()
        self._observer = observer

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        return input
