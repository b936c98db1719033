"""Dimensions and dtypes that annotations name; XLA finds both out by itself."""

from __future__ import annotations

from typing import Any


class DimVar:
    """A dimension: a number, or a name with limits.

    Args:
        name_or_value: its size, or its name.
        min: smallest size, or `None`.
        max: largest size, or `None`.
    """

    def __init__(
        self, name_or_value: str | int, min: int | None = None, max: int | None = None
    ) -> None:
        self.name_or_value, self.min, self.max = name_or_value, min, max

    def __repr__(self) -> str:
        return f"DimVar({self.name_or_value!r}, min={self.min}, max={self.max})"


class DTypeVar:
    """A dtype out of several.

    Args:
        name: its name.
        candidates: names of the dtypes it can be.
    """

    def __init__(self, name: str, *candidates: str) -> None:
        self.name, self.candidates = name, candidates

    def __repr__(self) -> str:
        return f"DTypeVar({self.name!r}, {', '.join(map(repr, self.candidates))})"


class Tensor:
    """What a parameter is, in an annotation: a tensor with such dimensions and dtype.

    Args:
        shape: sizes, or `DimVar`s.
        dtype: a dtype, or a `DTypeVar`.
    """

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype

    def __repr__(self) -> str:
        return f"Tensor({self.shape!r}, {self.dtype!r})"
