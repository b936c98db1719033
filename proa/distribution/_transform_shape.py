"""Transforms of whole vectors and blocks."""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import (
    arange,
    concat,
    cumprod,
    cumsum,
    log,
    log_sigmoid,
    ones_like,
    reshape,
    sigmoid,
    softmax,
    zeros,
)
from proa.ops import sum as sum_

from ._parameters import shape_of
from ._transform import VECTOR, Transform, Type, Variable


def _need_axis(owner: str, shape: tuple[Any, ...], least: int) -> None:
    if len(shape) < 1 or shape[-1] < least:
        raise InvalidArgumentError(
            f"`{owner}` of shape {list(shape)}",
            expected=f"at least one axis, the last of length >= {least}",
            fix="pass vectors along the last axis",
        )


class SoftmaxTransform(Transform):
    """Softmax along the last axis; its inverse takes logarithms.

    Vectors that differ by a constant have one result, so there is no log determinant.

    Examples:
        >>> import proa
        >>> proa.distribution.SoftmaxTransform().forward(proa.zeros([2])).tolist()
        [0.5, 0.5]
    """

    _type = Type.OTHER

    @property
    def _domain(self) -> Any:
        return VECTOR

    _codomain = _domain

    def _forward(self, x: Any) -> Any:
        _need_axis("SoftmaxTransform", shape_of(x), 1)
        return softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return log(y)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        _need_axis("SoftmaxTransform", shape, 1)
        return shape

    _inverse_shape = _forward_shape


class StickBreakingTransform(Transform):
    """Maps k numbers to k + 1 proportions by breaking pieces off a stick.

    Piece i is the part `sigmoid(x_i - log(k + 1 - i))` of what is left; 0 gives equal pieces.

    Examples:
        >>> import proa
        >>> y = proa.distribution.StickBreakingTransform().forward(proa.zeros([3]))
        >>> [round(piece, 4) for piece in y.tolist()]
        [0.25, 0.25, 0.25, 0.25]
    """

    _type = Type.BIJECTION

    @property
    def _domain(self) -> Any:
        return VECTOR

    _codomain = _domain

    def _offsets(self, x: Any, count: Any) -> Any:
        return log(arange(count, 0, -1, dtype=x.dtype))

    def _forward(self, x: Any) -> Any:
        _need_axis("StickBreakingTransform", shape_of(x), 1)
        parts = sigmoid(x - self._offsets(x, shape_of(x)[-1]))
        left = cumprod(1.0 - parts, -1)
        one = ones_like(left[..., :1])
        return concat([parts, one], -1) * concat([one, left], -1)

    def _inverse(self, y: Any) -> Any:
        _need_axis("StickBreakingTransform", shape_of(y), 2)
        pieces = y[..., :-1]
        left = 1.0 - cumsum(pieces, -1)
        return log(pieces) - log(left) + self._offsets(y, shape_of(pieces)[-1])

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        pieces = self._forward(x)[..., :-1]
        moved = x - self._offsets(x, shape_of(x)[-1])
        return sum_(log_sigmoid(-moved) + log(pieces), -1)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        _need_axis("StickBreakingTransform", shape, 1)
        return (*shape[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        _need_axis("StickBreakingTransform", shape, 1)
        return (*shape[:-1], shape[-1] - 1)


class ReshapeTransform(Transform):
    """Gives events another shape.

    Args:
        in_event_shape: shape of an event before, integers.
        out_event_shape: shape of an event after, with as many entries.

    Raises:
        InvalidArgumentError: the shapes differ in the number of entries, or an input does not
            end in the event shape.

    Examples:
        >>> import proa
        >>> flat = proa.distribution.ReshapeTransform((2, 3), (6,))
        >>> flat.forward(proa.zeros([4, 2, 3])).shape
        [4, 6]
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape: Any, out_event_shape: Any) -> None:
        super().__init__()
        self._in_event_shape = self._read_shape(in_event_shape)
        self._out_event_shape = self._read_shape(out_event_shape)
        if math.prod(self._in_event_shape) != math.prod(self._out_event_shape):
            raise InvalidArgumentError(
                f"`ReshapeTransform` from {list(self._in_event_shape)} "
                f"to {list(self._out_event_shape)}",
                expected="two shapes with the same number of entries",
                fix="correct one of them",
            )

    @property
    def in_event_shape(self) -> tuple[Any, ...]:
        """Shape of an event before."""
        return self._in_event_shape

    @property
    def out_event_shape(self) -> tuple[Any, ...]:
        """Shape of an event after."""
        return self._out_event_shape

    @property
    def _domain(self) -> Any:
        return Variable(len(self._in_event_shape))

    @property
    def _codomain(self) -> Any:
        return Variable(len(self._out_event_shape))

    def _swap(self, shape: tuple[Any, ...], old: Any, new: Any) -> tuple[Any, ...]:
        count = len(shape) - len(old)
        if count < 0 or shape[count:] != old:
            raise InvalidArgumentError(
                f"`ReshapeTransform` of shape {list(shape)}",
                expected=f"a shape that ends in the event shape {list(old)}",
                fix="correct the input, or the event shapes",
            )
        return (*shape[:count], *new)

    def _forward(self, x: Any) -> Any:
        return reshape(x, self._forward_shape(shape_of(x)))

    def _inverse(self, y: Any) -> Any:
        return reshape(y, self._inverse_shape(shape_of(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        batch = self._swap(shape_of(x), self._in_event_shape, ())
        return zeros(batch, dtype=x.dtype)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._swap(shape, self._in_event_shape, self._out_event_shape)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._swap(shape, self._out_event_shape, self._in_event_shape)
