"""Shapes and element counts as users see them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, overload


class Size(list):
    """A shape: a list of integers that keeps its kind under slicing and joining.

    Args:
        extents: the lengths of the axes.

    Examples:
        >>> import proa
        >>> shape = proa.ones([2, 3, 4]).shape
        >>> shape[1:] + [5], shape.numel()
        ([3, 4, 5], 24)
    """

    __slots__ = ()

    #: How shapes print: as plain lists, or (while `import paddle` means Proa) as Paddle's do.
    word = ""

    def numel(self) -> Any:
        """Number of elements of a tensor of this shape."""
        total: Any = 1
        for extent in self:
            total = total * extent
        return total

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        found = list.__getitem__(self, index)
        return Size(found) if index.__class__ is slice else found

    def __eq__(self, other: object) -> bool:
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __add__(self, other: Iterable[Any]) -> Size:  # type: ignore[override]
        return Size([*self, *other])

    def __radd__(self, other: Iterable[Any]) -> Size:
        return Size([*other, *self])

    def __mul__(self, times: SupportsIndex) -> Size:
        return Size(list.__mul__(self, times))

    def __repr__(self) -> str:
        plain = list.__repr__(self)
        return f"{self.word}({plain})" if self.word else plain

    __hash__ = None  # type: ignore[assignment]


class ElementCount(int):
    """`tensor.size`: the number of elements, and called, the shape or one of its lengths."""

    shape: tuple[Any, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return Size(self.shape) if dim is None else self.shape[dim]


def count_elements(shape: tuple[Any, ...]) -> Any:
    """Returns the number of elements; an expression where a dimension is symbolic."""
    total: Any = 1
    for extent in shape:
        total = total * extent
    if total.__class__ is not int:
        return total
    count = ElementCount(total)
    count.shape = shape
    return count
