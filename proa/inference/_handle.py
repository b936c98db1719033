"""Handles: the named inputs and outputs of Paddle's API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    UnsupportedError,
)
from proa.core import Tensor as ProaTensor

from ._types import DataType, data_type_of


class Tensor:
    """A named input or output of one predictor in one thread.

    Args:
        name: its name.
        declared: its recorded shape, with -1 for unknown sizes.
    """

    def __init__(self, name: str, declared: Sequence[int] = ()) -> None:
        self.name = name
        self._shape = [int(extent) for extent in declared]
        self._array: Any = None

    def copy_from_cpu(self, data: Any) -> None:
        """Sets an input to a copy of an array.

        Raises:
            InvalidTypeError: strings, which no input takes.
        """
        array = np.array(data)
        if array.dtype.kind in "OSU":
            raise InvalidTypeError(
                f"`{self.name}` was given {array.dtype}",
                expected="an array of numbers",
                fix="turn text into numbers first, as the model's tokenizer does",
            )
        self._array = array

    def share_external_data(self, data: Any) -> None:
        """Sets an input to an array or Tensor without a copy.

        The array must not be written to until the run is over.

        Raises:
            InvalidTypeError: neither.
        """
        if isinstance(data, ProaTensor):
            data = data._data
        if not hasattr(data, "dtype") or not hasattr(data, "shape"):
            raise InvalidTypeError(
                f"`{self.name}` was given a {type(data).__name__}",
                expected="a NumPy array or a Tensor",
                fix="use copy_from_cpu for lists and numbers",
            )
        self._array = data

    def share_external_data_by_ptr_name(self, *args: Any) -> None:
        """Kept for Paddle's API; use `share_external_data`.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            "memory of a device by its address was given",
            expected="a NumPy array or a Tensor",
            fix="use share_external_data(tensor)",
        )

    def copy_to_cpu(self) -> np.ndarray:
        """Returns a copy of what the handle holds.

        Raises:
            PreconditionError: nothing was set or computed yet in this thread.
        """
        return np.array(self._held())

    def _held(self) -> Any:
        if self._array is None:
            raise PreconditionError(
                f"`{self.name}` holds nothing",
                expected="copy_from_cpu() on an input, run() before reading an output",
                fix="call predictor.run() in this thread first",
            )
        return self._array

    def reshape(self, shape: Sequence[int] | int) -> None:
        """Gives what the handle holds another shape; with a new size it holds nothing then.

        Raises:
            InvalidArgumentError: a negative size.
        """
        made = [shape] if isinstance(shape, int) else [int(extent) for extent in shape]
        if any(extent < 0 for extent in made):
            raise InvalidArgumentError(
                f"`{self.name}` was to have the shape {made}",
                expected="sizes of 0 and more",
                fix="pass the shape of the array that follows, or leave reshape out",
            )
        self._shape = made
        if self._array is not None:
            fits = int(np.prod(made)) == self._array.size
            self._array = self._array.reshape(made) if fits else None

    def shape(self) -> list[int]:
        """Returns the shape of what the handle holds, or else the one it is to have."""
        return list(self._shape if self._array is None else self._array.shape)

    def type(self) -> DataType:
        """Returns the dtype of what the handle holds.

        Raises:
            PreconditionError: nothing was set or computed yet in this thread.
        """
        return data_type_of(self._held().dtype)

    def lod(self) -> list[list[int]]:
        """Returns an empty list: there are no levels of detail; lengths are inputs here."""
        return []

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Kept for Paddle's API.

        Raises:
            UnsupportedError: levels are given.
        """
        if any(len(level) for level in lod):
            raise UnsupportedError(
                f"`{self.name}` was given levels of detail {list(lod)}"[:200],
                expected="padded inputs",
                fix="pad the sequences and pass their lengths as an input",
            )
