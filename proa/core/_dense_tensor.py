"""The values of a tensor as an object of their own, as scopes and `Tensor.get_tensor` give them."""

from __future__ import annotations

import operator
from itertools import accumulate
from typing import Any

import numpy as np

from ._context import run_eagerly
from ._errors import InvalidArgumentError, PreconditionError
from ._place import place_of
from ._tensor import Tensor, concrete, tensor_method
from ._views import set_value

#: More elements than this are not all printed.
_PRINTED = 1000


class DenseTensor:
    """The values of a tensor, to be read and overwritten; an empty one takes any values.

    Args:
        tensor: whose values they are; `None` for values that are still to be set.

    Examples:
        >>> import numpy, proa
        >>> weight = proa.to_tensor([1.0, 2.0])
        >>> weight.get_tensor().set(numpy.array([3.0, 4.0]), proa.CPUPlace())
        >>> weight.tolist()
        [3.0, 4.0]
    """

    def __init__(self, tensor: Tensor | None = None) -> None:
        self._tensor = tensor
        self._is_own = tensor is None
        #: Per level where its sequences begin, and where the last one ends.
        self._offsets: list[list[int]] = []

    @property
    def tensor(self) -> Tensor:
        """The tensor whose values they are.

        Raises:
            PreconditionError: there are no values yet.
        """
        if self._tensor is None:
            raise PreconditionError(
                "a variable without values was read",
                expected="a variable that was set, or that a Program has made",
                fix="call get_tensor().set(array, place) first",
            )
        return self._tensor

    def set(self, value: Any, place: Any = None) -> None:
        """Overwrites the values.

        Args:
            value (ndarray): the new ones; of the tensor's shape where a tensor has them.
            place (Place, optional): makes no difference: values stay where they are.

        Raises:
            InvalidArgumentError: another shape than the tensor's.
        """
        with run_eagerly():
            if self._is_own:
                self._tensor = Tensor(np.asarray(value))
            else:
                set_value(self.tensor, value)

    def shape(self) -> list[int]:
        """Returns the sizes."""
        with run_eagerly():
            return list(self.tensor._data.shape)

    def lod(self) -> list[list[int]]:
        """Returns where sequences of rows begin and the last one ends: a list for each level."""
        return [list(level) for level in self._offsets]

    def set_lod(self, lod: Any) -> None:
        """Divides the rows into sequences, or sequences of sequences.

        Args:
            lod (list[list[int]]): per level the offsets, from 0 on: `[[0, 2, 5]]` are
                sequences of 2 and 3 rows.

        Raises:
            InvalidArgumentError: offsets that do not start with 0, or go back.
        """
        levels = [list(map(int, level)) for level in lod]
        for level in levels:
            if not level or level[0] != 0 or any(map(operator.gt, level, level[1:])):
                raise InvalidArgumentError(
                    f"offsets of sequences {level}",
                    expected="integers that start with 0 and never go back",
                    fix="call set_recursive_sequence_lengths with the lengths instead",
                )
        self._offsets = levels

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """Returns the lengths of the sequences: a list for each level."""
        return [list(map(operator.sub, level[1:], level)) for level in self._offsets]

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: Any) -> None:
        """Divides the rows into sequences by their lengths.

        Args:
            recursive_sequence_lengths (list[list[int]]): per level the lengths; those of the
                last level count rows, those of another one sequences of the next.

        Raises:
            InvalidArgumentError: a negative length.
        """
        self.set_lod([[0, *accumulate(level)] for level in recursive_sequence_lengths])

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Whether each level divides all of the next one, and the last one all rows."""
        if not self._offsets:
            return True
        counts = [len(level) - 1 for level in self._offsets[1:]]
        ends = [level[-1] for level in self._offsets]
        return ends == [*counts, (self.shape() or [0])[0]]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        # A copy in any case: an array of the device's memory would be read-only.
        with run_eagerly():
            return np.array(concrete(self.tensor, "reading its values"), dtype)

    def __repr__(self) -> str:
        if self._tensor is None:
            return "DenseTensor without values"
        with run_eagerly():
            data = concrete(self._tensor, "reading its values")
        levels = ["{" + ", ".join(map(str, level)) + "}" for level in self._offsets]
        lines = (
            *(["lod: {" + ", ".join(levels) + "}"] if levels else []),
            f"shape: {self.shape()}",
            "layout: NCHW",
            f"place: {place_of(data)}",
            f"dtype: {data.dtype}",
            f"data: [{_joined(np.asarray(data).reshape(-1))}]",
        )
        return "\n".join(f"  - {line}" for line in lines)


def _joined(values: np.ndarray) -> str:
    if values.size <= _PRINTED:
        return " ".join(map(_element, values.tolist()))
    ends = values[: _PRINTED // 2], values[-_PRINTED // 2 :]
    return " ... ".join(map(_joined, ends))


def _element(value: Any) -> str:
    if isinstance(value, complex):
        return f"{value.real:g}{value.imag:+g}j"
    return f"{value:g}" if isinstance(value, float) else str(int(value))


@tensor_method
def get_tensor(self: Tensor) -> DenseTensor:
    """Returns the tensor's values as an object that can overwrite them."""
    return DenseTensor(self)
