"""Ranges of input shapes: checking them, collecting them, and their file."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proa.core import ArtifactError, InvalidArgumentError, NotFoundError, UnknownNameError
from proa.framework import replace_file

#: Per input, the smallest and largest shape.
Ranges = dict[str, tuple[list[int], list[int]]]


class RangeCheck:
    """Refuses inputs outside the ranges that were set.

    Args:
        ranges: per input name, the smallest and largest shape.
        names: the inputs of the model, in order.
        shapes: their recorded shapes, with symbolic dimensions.

    Raises:
        UnknownNameError: a range of something that is no input.
        InvalidArgumentError: a range that the recorded shape does not allow.
    """

    def __init__(self, ranges: Ranges, names: Sequence[str], shapes: Sequence[Any]) -> None:
        for name, (smallest, largest) in ranges.items():
            if name not in names:
                raise UnknownNameError(
                    f"a range was set for {name!r}",
                    expected=f"one of the inputs {list(names)}",
                    fix="set ranges of inputs only: all other sizes follow from them",
                )
            recorded = shapes[names.index(name)]
            fits = len(recorded) == len(smallest) and all(
                low <= extent <= high
                for extent, low, high in zip(recorded, smallest, largest, strict=True)
                if isinstance(extent, int)
            )
            if not fits:
                raise InvalidArgumentError(
                    f"the range of input `{name}` is from {smallest} to {largest}",
                    expected=f"one that holds shapes such as [{', '.join(map(str, recorded))}]",
                    fix="give the recorded size where a size is known",
                )
        self._ranges = [(i, n, *ranges[n]) for i, n in enumerate(names) if n in ranges]

    def check(self, arrays: Sequence[Any]) -> None:
        """Compares shapes with the ranges.

        Raises:
            InvalidArgumentError: a size is outside.
        """
        for position, name, smallest, largest in self._ranges:
            shape = arrays[position].shape
            for axis, (low, size, high) in enumerate(zip(smallest, shape, largest, strict=True)):
                if not low <= size <= high:
                    raise InvalidArgumentError(
                        f"input `{name}` has shape {list(shape)}: {size} on axis {axis} is "
                        f"outside {low} to {high}",
                        expected=f"a shape from {smallest} to {largest}",
                        fix="resize or split the input, or widen Config.set_input_range",
                    )


class ShapeCollector:
    """Keeps the smallest and largest shape per input in a file.

    Args:
        path: the file; what it holds is widened.
        names: the inputs of the model, in order.
    """

    def __init__(self, path: Any, names: Sequence[str]) -> None:
        self._path, self._names = Path(path), names
        self._lock = threading.Lock()
        self._ranges: Ranges = read_shapes(self._path) if self._path.is_file() else {}

    def note(self, arrays: Sequence[Any]) -> None:
        """Looks at the shapes of one run; writes the file when they widen a range."""
        with self._lock:
            pairs = zip(self._names, arrays, strict=True)
            widened = [self._widen(name, array.shape) for name, array in pairs]
            if any(widened):
                with replace_file(self._path) as temporary:
                    temporary.write_text(json.dumps(self._ranges, indent=2))

    def _widen(self, name: str, shape: Sequence[int]) -> bool:
        smallest, largest = self._ranges.get(name, (list(shape), list(shape)))
        made = (
            [min(pair) for pair in zip(smallest, shape, strict=True)],
            [max(pair) for pair in zip(largest, shape, strict=True)],
        )
        is_new = name not in self._ranges or made != (smallest, largest)
        self._ranges[name] = made
        return is_new


def read_shapes(path: Path) -> Ranges:
    """Reads a file of shapes.

    Raises:
        NotFoundError: there is none.
        ArtifactError: it is another kind of file.
    """
    if not path.is_file():
        raise NotFoundError(
            f"no file of shapes at {str(path)!r}",
            expected="a file that Config.collect_shape_range_info wrote",
            fix="run the predictor with collect_shape_range_info first",
        )
    try:
        content = json.loads(path.read_text())
        return {str(name): _pair(value) for name, value in _items(content)}
    except (ValueError, TypeError, AttributeError) as error:
        raise ArtifactError(
            f"{str(path)!r} is no file of shapes: {error}",
            expected="a file that Config.collect_shape_range_info wrote",
            fix="collect the shapes anew",
        ) from error


def _items(content: Any) -> Any:
    if not isinstance(content, Mapping):
        raise TypeError("it holds no names")
    return content.items()


def _pair(value: Any) -> tuple[list[int], list[int]]:
    smallest, largest = value
    return [int(v) for v in smallest], [int(v) for v in largest]
