"""Transforms made of other transforms."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.ops import stack, unstack

from ._parameters import shape_of
from ._transform import (
    Transform,
    Variable,
    apply_transform,
    log_volume,
    require_transforms,
)


class ChainTransform(Transform):
    """Applies transforms one after the other, the first of the list first.

    Args:
        transforms: a list or tuple of transforms.

    Raises:
        InvalidTypeError: something else than transforms.

    Examples:
        >>> import proa
        >>> from proa.distribution import AffineTransform, ChainTransform, ExpTransform
        >>> both = ChainTransform([AffineTransform(0.0, 2.0), ExpTransform()])
        >>> round(both.forward(proa.to_tensor(0.5)).item(), 4)
        2.7183
    """

    def __init__(self, transforms: Any) -> None:
        super().__init__()
        self.transforms = require_transforms("ChainTransform", transforms)

    def _is_injective(self) -> bool:  # type: ignore[override]
        return all(t._is_injective() for t in self.transforms)

    @property
    def _domain(self) -> Any:
        rank = self.transforms[-1]._codomain.event_rank if self.transforms else 0
        for t in reversed(self.transforms):
            inner, outer = t._domain.event_rank, t._codomain.event_rank
            rank = max(rank - outer + inner, inner)
        return Variable(rank)

    @property
    def _codomain(self) -> Any:
        rank = self._domain.event_rank
        for t in self.transforms:
            rank += t._codomain.event_rank - t._domain.event_rank
        return Variable(rank)

    def _forward(self, x: Any) -> Any:
        for t in self.transforms:
            x = t.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for t in reversed(self.transforms):
            y = t.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        total: Any = 0.0
        rank = self._domain.event_rank
        for t in self.transforms:
            total = total + log_volume(t, x, rank)
            x = t.forward(x)
            rank += t._codomain.event_rank - t._domain.event_rank
        return total

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        for t in self.transforms:
            shape = t.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        return shape


class IndependentTransform(Transform):
    """Counts batch axes as part of the event: their log determinants are summed.

    Args:
        base: the transform.
        reinterpreted_batch_rank: how many axes, >= 1.

    Raises:
        InvalidTypeError: `base` is no transform.
        InvalidArgumentError: a number of axes below 1.

    Examples:
        >>> import proa
        >>> from proa.distribution import ExpTransform, IndependentTransform
        >>> rows = IndependentTransform(ExpTransform(), 1)
        >>> rows.forward_log_det_jacobian(proa.ones([2, 3])).tolist()
        [3.0, 3.0]
    """

    def __init__(self, base: Any, reinterpreted_batch_rank: int) -> None:
        super().__init__()
        if not isinstance(base, Transform):
            raise InvalidTypeError(
                f"`base` of `IndependentTransform` is {base!r}"[:200],
                expected="a Transform",
                fix="pass an object such as ExpTransform()",
            )
        if not isinstance(reinterpreted_batch_rank, int) or reinterpreted_batch_rank < 1:
            raise InvalidArgumentError(
                "`reinterpreted_batch_rank` of `IndependentTransform` is "
                f"{reinterpreted_batch_rank!r}",
                expected="an integer >= 1",
                fix="use the base itself where no axis changes its role",
            )
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank

    def _is_injective(self) -> bool:  # type: ignore[override]
        return self._base._is_injective()

    @property
    def _domain(self) -> Any:
        return Variable(self._base._domain.event_rank + self._reinterpreted_batch_rank)

    @property
    def _codomain(self) -> Any:
        return Variable(self._base._codomain.event_rank + self._reinterpreted_batch_rank)

    def _need_rank(self, x: Any, rank: int) -> None:
        if len(shape_of(x)) < rank:
            raise InvalidArgumentError(
                f"`IndependentTransform` of shape {list(shape_of(x))}",
                expected=f"at least {rank} axes",
                fix="lower `reinterpreted_batch_rank`, or add axes",
            )

    def _forward(self, x: Any) -> Any:
        self._need_rank(x, self._domain.event_rank)
        return self._base.forward(x)

    def _inverse(self, y: Any) -> Any:
        self._need_rank(y, self._codomain.event_rank)
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        self._need_rank(x, self._domain.event_rank)
        return log_volume(self._base, x, self._domain.event_rank)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._base.inverse_shape(shape)


class StackTransform(Transform):
    """Applies one transform to each slice along an axis.

    Args:
        transforms: a list or tuple of transforms, one for each slice.
        axis: the axis.

    Raises:
        InvalidTypeError: something else than transforms, or an axis that is no integer.
        InvalidArgumentError: no transform, or an input with another number of slices.

    Examples:
        >>> import proa
        >>> from proa.distribution import ExpTransform, PowerTransform, StackTransform
        >>> each = StackTransform([ExpTransform(), PowerTransform(2.0)], axis=0)
        >>> each.forward(proa.to_tensor([0.0, 3.0])).tolist()
        [1.0, 9.0]
    """

    def __init__(self, transforms: Any, axis: int = 0) -> None:
        super().__init__()
        self._transforms = require_transforms("StackTransform", transforms)
        if not self._transforms:
            raise InvalidArgumentError(
                "`transforms` of `StackTransform` is empty",
                expected="at least one transform",
                fix="pass one for each slice",
            )
        if not isinstance(axis, int):
            raise InvalidTypeError(
                f"`axis` of `StackTransform` is {axis!r} ({type(axis).__name__})"[:200],
                expected="an integer",
                fix="pass 0 for the first axis, -1 for the last",
            )
        self._axis = axis

    @property
    def transforms(self) -> list[Transform]:
        """The transforms, one for each slice."""
        return self._transforms

    @property
    def axis(self) -> int:
        """The axis."""
        return self._axis

    def _is_injective(self) -> bool:  # type: ignore[override]
        return all(t._is_injective() for t in self._transforms)

    @property
    def _domain(self) -> Any:
        return Variable(max(t._domain.event_rank for t in self._transforms))

    @property
    def _codomain(self) -> Any:
        return Variable(max(t._codomain.event_rank for t in self._transforms))

    def _slices(self, x: Any) -> list[Any]:
        shape = shape_of(x)
        inside = -len(shape) <= self._axis < len(shape)
        if not inside or shape[self._axis] != len(self._transforms):
            raise InvalidArgumentError(
                f"`StackTransform` of {len(self._transforms)} transforms along axis {self._axis} "
                f"given shape {list(shape)}",
                expected="as many slices along the axis as transforms",
                fix="correct the axis, or the list of transforms",
            )
        return unstack(x, self._axis)

    def _each(self, method: str, x: Any) -> Any:
        pairs = zip(self._transforms, self._slices(x), strict=True)
        return stack([getattr(t, method)(part) for t, part in pairs], self._axis)

    def _forward(self, x: Any) -> Any:
        return self._each("forward", x)

    def _inverse(self, y: Any) -> Any:
        return self._each("inverse", y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        parts = self._slices(x)
        rank = self._domain.event_rank
        volumes = []
        for t, part in zip(self._transforms, parts, strict=True):
            shape = shape_of(part)
            volume = log_volume(t, part, rank)
            volumes.append(volume.expand(shape[: len(shape) - rank]))
        return stack(volumes, self._axis)


@apply_transform.register
def _chain(x: Transform, transform: Transform) -> ChainTransform:
    return ChainTransform([transform, x])
