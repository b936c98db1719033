"""Lists whose length is known only when a Program runs: a buffer and a count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    OutOfRangeError,
    ProgramError,
    Tensor,
    as_dtype,
    define_flag,
    describe_array,
    get_flags,
    is_dimension,
    new_tensor,
    to_tensor,
    user_location,
)
from proa.ops import concat, full, index_put, moveaxis, reshape, unbind, where

from ._dims import has_dimension

#: Entries kept of a list that grows in a loop whose number of turns nobody knows before.
define_flag("FLAGS_max_list_length", 256)


def longest_list() -> int:
    """Entries that a list may have where its length follows from tensors alone."""
    return int(get_flags("FLAGS_max_list_length")["FLAGS_max_list_length"])


class Kind(NamedTuple):
    """Shape and dtype of an entry."""

    shape: tuple[Any, ...]
    dtype: Any

    @classmethod
    def of(cls, item: Any) -> Kind:
        """Returns that of a tensor or number."""
        data = (item if isinstance(item, Tensor) else to_tensor(item))._data
        return cls(tuple(data.shape), np.dtype(data.dtype))


class TensorList:
    """A list of tensors of one shape and dtype, while a function is recorded.

    It stands for a Python list that grows in a loop on tensors, and for Paddle's array of
    tensors; after the run it is a list again.

    Args:
        buffer: its entries, [capacity, ...]; `None` while it has none.
        length: int64 tensor, how many of them count.
        size: the length where it is known: an integer or a dimension.
    """

    __slots__ = ("added", "buffer", "length", "most", "reserved", "size")

    def __init__(self, buffer: Tensor | None, length: Any, size: Any = None) -> None:
        self.buffer: Any = buffer
        self.length: Any = length
        self.size = size
        #: Entries added since the beginning of a turn: exactly and at most; `None`: unknown.
        self.added: Any = 0
        self.most: Any = 0
        #: Whether a loop outside has made room for all that is added.
        self.reserved = False

    @classmethod
    def of(cls, items: Sequence[Any], kind: Kind, capacity: Any) -> TensorList:
        """Makes one of tensors or numbers.

        Args:
            items: the first entries.
            kind: of its entries.
            capacity: how many entries it has room for.
        """
        made = cls(_room(capacity, kind), _count(len(items)), len(items))
        for position, item in enumerate(items):
            made._put(_count(position), item)
        made.added = made.most = len(items)
        return made

    @property
    def kind(self) -> Kind | None:
        """Of its entries; `None` while it has none."""
        if self.buffer is None:
            return None
        data: Any = self.buffer._data
        return Kind(tuple(data.shape[1:]), np.dtype(data.dtype))

    @property
    def capacity(self) -> Any:
        """How many entries there is room for."""
        return 0 if self.buffer is None else self.buffer._data.shape[0]

    def extended(self, capacity: Any, kind: Kind) -> TensorList:
        """Returns the same list with more room."""
        buffer = _room(capacity - self.capacity, kind)
        if self.buffer is not None:
            buffer = concat([self.buffer, buffer])
        made = TensorList(buffer, self.length, self.size)
        made.added, made.most = self.added, self.most
        return made

    def append(self, item: Any) -> None:
        """Adds an entry."""
        self.write(self.length, item)

    def extend(self, items: Sequence[Any]) -> None:
        """Adds several entries."""
        for item in items:
            self.append(item)

    def __iadd__(self, items: Sequence[Any]) -> TensorList:
        self.extend(items)
        return self

    def write(self, index: Any, item: Any) -> None:
        """Puts an entry to a place, which may be one behind the last."""
        if not isinstance(item, Tensor):
            item = to_tensor(item)
        if self.buffer is None:
            self.buffer = _room(longest_list(), Kind.of(item))
        is_new = index is self.length
        index = _index(index)
        if is_new and not self.reserved and not self._has_room():
            self.buffer = self.extended(self.capacity + 1, Kind.of(item)).buffer
        self._put(index, item)
        grown: Any = index + 1
        self.most = _plus(self.most, 1)
        if is_new:
            self.length, self.added = grown, _plus(self.added, 1)
            self.size = _plus(self.size, 1)
        else:
            self.length = where(grown > self.length, grown, self.length)
            self.added = self.size = None

    def _put(self, index: Any, item: Any) -> None:
        item = item if isinstance(item, Tensor) else to_tensor(item)
        buffer: Any = self.buffer
        entry, kind = buffer._data, item._data
        if tuple(entry.shape[1:]) != tuple(kind.shape) or entry.dtype != kind.dtype:
            raise InvalidArgumentError(
                f"a list that grows in a loop on a tensor holds entries "
                f"{entry.dtype}{list(entry.shape[1:])} and is given {describe_array(kind)}, "
                f"at {user_location()}",
                expected="entries of one shape and dtype",
                fix="reshape or cast the entry before it is added",
            )
        self.buffer = index_put(buffer, (index,), item)

    def __getitem__(self, index: Any) -> Tensor:
        buffer: Any = self._filled()
        if isinstance(index, slice):
            if self._is_full():
                return buffer[index]
            raise _length_unknown("a slice of it")
        if isinstance(index, int):
            return buffer[index + self.length if index < 0 else index]
        index = _index(index)
        return buffer[where(index < 0, index + self.length, index)]

    def __setitem__(self, index: Any, item: Any) -> None:
        self._filled()
        if isinstance(index, int) and index < 0:
            index = index + self.length
        self._put(_index(index), item)

    def pop(self, index: int = -1) -> Tensor:
        """Takes the last entry off."""
        if index != -1:
            raise ProgramError(
                f"pop({index}) of a list that grows in a loop on a tensor",
                expected="pop(), of the last entry",
                fix="keep an index of your own instead of taking entries off the front",
            )
        last = self[-1]
        self.length = self.length - 1
        self.size, self.added = _plus(self.size, -1), _plus(self.added, -1)
        return last

    def clear(self) -> None:
        """Takes all entries off."""
        self.length, self.size, self.added = _count(0), 0, None

    def _filled(self) -> Tensor:
        if self.buffer is None:
            raise OutOfRangeError(
                f"a list without entries is read at {user_location()}",
                expected="an entry that was added before",
                fix="add one before the loop",
            )
        return self.buffer

    def _has_room(self) -> bool:
        if not isinstance(self.size, int) or not isinstance(self.capacity, int):
            return False
        return self.size < self.capacity

    def _is_full(self) -> bool:
        return self.size is not None and _is_equal(self.size, self.capacity)

    def whole(self, what: str) -> Tensor:
        """Returns all entries as one tensor [length, ...].

        Raises:
            ProgramError: the length is known only when the Program runs.
        """
        buffer: Any = self._filled()
        if self._is_full():
            return buffer
        if self.size is None:
            raise _length_unknown(what)
        return buffer[: self.size]

    def stack(self, axis: int = 0) -> Tensor:
        """Returns the entries along a new axis."""
        return moveaxis(self.whole("stack()"), 0, axis)

    def concat(self, axis: int = 0) -> Tensor:
        """Returns the entries one after the other along an axis they have."""
        found = self.whole("concat()")
        axis = axis % max(found.ndim - 1, 1)
        shape = list(found.shape)
        moved = moveaxis(found, 0, axis)
        sizes = [*shape[1 : axis + 1], shape[0] * shape[axis + 1], *shape[axis + 2 :]]
        return reshape(moved, sizes)

    def to_list(self) -> list[Tensor]:
        """Returns a Python list; for concrete tensors."""
        if self.buffer is None:
            return []
        return list(unbind(self.buffer[: int(self.length)]))  # type: ignore[index]


def _flatten(found: TensorList) -> tuple[tuple[Any, ...], Any]:
    return (found.buffer, found.length), None


def _unflatten(_: Any, children: Any) -> TensorList:
    return TensorList(*children)


jax.tree_util.register_pytree_node(TensorList, _flatten, _unflatten)


def _plus(number: Any, more: Any) -> Any:
    return None if number is None or more is None else number + more


def _room(capacity: Any, kind: Kind) -> Tensor:
    shape = (capacity, *kind.shape)
    if has_dimension(shape):
        return full(list(shape), 0, as_dtype(kind.dtype))
    return new_tensor(np.zeros(shape, kind.dtype))


def _count(number: Any) -> Tensor:
    return to_tensor(number) if is_dimension(number) else new_tensor(np.asarray(number, np.int64))


def _index(index: Any) -> Any:
    if isinstance(index, Tensor):
        return reshape(index, []).astype("int64") if index.ndim else index
    return _count(index)


def _is_equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def _length_unknown(what: str) -> ProgramError:
    return ProgramError(
        f"{what} at {user_location()}, of a list that grows in a loop whose number of turns "
        "depends on tensors",
        expected="a list whose length follows from shapes",
        fix="return the list itself (it is a Python list after the call), read single entries "
        "of it, or loop over range(n) of a known n",
    )
