"""Memory that batches are stacked in, which goes to the main process and comes back.

A worker makes a file in shared memory, maps it and stacks a batch in it. The main process maps it
as well and unlinks its name; once the last array on it is gone there, the worker gets it back with
its next task. Fresh memory for each batch, page by page fetched, zeroed and given back, took a
seventh of a worker's time and five milliseconds of the main process for a batch of 19 MB.
"""

from __future__ import annotations

import math
import mmap
import os
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from proa.core import aligned_empty

#: Batches of fewer bytes go through the pipe: a file would cost more than the copy.
INLINE_BYTES = 32 * 1024
#: How many slots wait for a batch; what goes beyond is given back to the system.
KEPT = 4
# A slot is used for batches of at least this part of its size.
_LEAST_PART = 0.5


@dataclass
class _Slot:
    path: str
    mapped: mmap.mmap
    #: Bytes of the batch that is in it.
    used: int = 0
    #: Whether the main process has it, so that its name is gone.
    is_known: bool = False


class Slots:
    """A worker's slots.

    Args:
        next_path: returns a path for a new file; "" where there is no shared memory.
    """

    def __init__(self, next_path: Callable[[], str]) -> None:
        self._next_path = next_path
        #: By address: those with arrays for the next message.
        self._made: dict[int, _Slot] = {}
        self._sent: dict[str, _Slot] = {}
        self._free: dict[str, _Slot] = {}
        self._dropped: list[str] = []

    @property
    def used(self) -> int:
        """Bytes that were taken for the next message."""
        return sum(slot.used for slot in self._made.values())

    def take(self, size: int) -> np.ndarray | None:
        """Returns an array of so many bytes for the next message; `None` without room for it."""
        slot = self._fitting(size) or self._new(size)
        if slot is None:
            return None
        slot.used = size
        array = np.frombuffer(slot.mapped, np.uint8, size)
        self._made[array.ctypes.data] = slot
        return array

    def _fitting(self, size: int) -> _Slot | None:
        for path, slot in self._free.items():
            if len(slot.mapped) * _LEAST_PART <= size <= len(slot.mapped):
                return self._free.pop(path)
        return None

    def _new(self, size: int) -> _Slot | None:
        path = self._next_path()
        mapped = mapped_file(path, size) if path else None
        if mapped is None and self._free:
            self._drop(0)
            mapped = mapped_file(path, size)
        return None if mapped is None else _Slot(path, mapped)

    def path_of(self, buffer: memoryview) -> str:
        """Returns the path of the slot that a buffer is all of, or ""."""
        if not self._made or not buffer.nbytes:
            return ""
        slot = self._made.get(np.frombuffer(buffer, np.uint8).ctypes.data)
        return slot.path if slot is not None and slot.used == buffer.nbytes else ""

    def settle(self, sent: Iterable[str] = ()) -> None:
        """Is told which slots the message has taken along; the others are free again."""
        taken = set(sent)
        for slot in self._made.values():
            if slot.path in taken:
                slot.is_known = True
                self._sent[slot.path] = slot
            elif slot.is_known:
                self._free[slot.path] = slot
            else:
                with suppress(OSError):
                    os.unlink(slot.path)
        self._made.clear()

    def take_back(self, paths: Iterable[str]) -> None:
        """Is told which slots the main process is done with."""
        for path in paths:
            slot = self._sent.pop(path, None)
            if slot is not None:
                self._free[path] = slot
        self._drop(KEPT)

    def _drop(self, kept: int) -> None:
        while len(self._free) > kept:
            # The one that no batch fitted into for longest.
            path = next(iter(self._free))
            del self._free[path]
            self._dropped.append(path)

    def take_dropped(self) -> list[str]:
        """Returns the slots given back to the system, for the main process to do the same."""
        dropped, self._dropped = self._dropped, []
        return dropped


def mapped_file(path: str, size: int) -> mmap.mmap | None:
    """Makes a file and maps it; `None` where there is no room."""
    if not hasattr(os, "posix_fallocate"):
        return None
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        os.posix_fallocate(descriptor, 0, size)
        # All pages at once: one by one, faults take longer than the copy.
        return mmap.mmap(descriptor, size, mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
    except OSError:
        os.unlink(path)
        return None
    finally:
        os.close(descriptor)


class Leases:
    """The main process's view of one worker's slots."""

    def __init__(self) -> None:
        self._mapped: dict[str, mmap.mmap] = {}
        # Arrays end in any thread; appending is all that happens there.
        self._returned: deque[str] = deque()

    def lease(self, path: str, size: int) -> np.ndarray:
        """Returns the bytes of a slot, which counts as returned when no array lies on them."""
        mapped = self._mapped.get(path)
        if mapped is None:
            descriptor = os.open(path, os.O_RDWR)
            try:
                mapped = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
            finally:
                os.close(descriptor)
            os.unlink(path)
            self._mapped[path] = mapped
        array = np.frombuffer(mapped, np.uint8, size)
        weakref.finalize(array, self._returned.append, path).atexit = False
        return array

    def drop(self, paths: Iterable[str]) -> None:
        """Forgets slots that the worker has given back to the system."""
        for path in paths:
            self._mapped.pop(path, None)

    def take_returned(self) -> tuple[str, ...]:
        """Returns the slots that came back since the last call."""
        returned = []
        while self._returned:
            returned.append(self._returned.popleft())
        return tuple(returned)


class Recycled:
    """Memory for batches of the same process, used again when no array lies on it any more."""

    def __init__(self) -> None:
        # Arrays end in any thread; appending is all that happens there.
        self._free: deque[np.ndarray] = deque()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Returns an array for a batch."""
        dtype = np.dtype(dtype)
        size = math.prod(shape) * dtype.itemsize
        if size < INLINE_BYTES:
            return aligned_empty(shape, dtype)
        while len(self._free) > KEPT:
            self._free.popleft()
        memory = next((each for each in list(self._free) if each.nbytes == size), None)
        if memory is None:
            memory = aligned_empty((size,), np.uint8)
        else:
            self._forget(memory)
        # Through a memoryview: a view of an array refers to the owner of its memory, not to it.
        leased = np.frombuffer(memory.data, np.uint8)
        weakref.finalize(leased, self._free.append, memory).atexit = False
        return leased.view(dtype).reshape(shape)

    def _forget(self, memory: np.ndarray) -> None:
        for _ in range(len(self._free)):
            each = self._free.popleft()
            if each is memory:
                return
            self._free.append(each)
