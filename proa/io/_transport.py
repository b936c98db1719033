"""How a batch travels from a worker process: small ones in a pipe, big arrays in shared memory.

Arrays leave the pickle as separate buffers. Big ones are in a file of the shared memory folder,
which the receiver maps and unlinks at once: no copy in the main process. A batch that the loader
itself puts together is stacked in such a file (`SharedMemory.empty`), so it is not copied in the
worker either, and the file is used again (`_slots.py`). Room in a file is asked for before it is
mapped, or it is written with `write`: a full folder is an error to handle then, not a bus error
that kills a process.
"""

from __future__ import annotations

import itertools
import math
import mmap
import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from proa.core import aligned_empty

from ._slots import INLINE_BYTES, Leases, Slots

_ALIGNMENT = 64


class Message(NamedTuple):
    """What a worker sends: its kind, the task it answers, and the content."""

    kind: str
    number: int
    content: Any
    #: Bytes that were meant for shared memory and went through the pipe; 0 as a rule.
    overflow: int = 0


class SharedMemory:
    """Writes batches into files of a shared memory folder, within a budget.

    Args:
        prefix: folder and start of the file names; empty to use no shared memory.
        budget: most bytes of one batch.
    """

    def __init__(self, prefix: str, budget: int) -> None:
        self._prefix, self.budget = prefix, budget
        self._numbers = itertools.count()
        self.slots = Slots(self._next_path)

    def _next_path(self) -> str:
        return f"{self._prefix}{os.getpid()}-{next(self._numbers)}" if self._prefix else ""

    def _left(self) -> int:
        return self.budget - self.slots.used

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Returns an array for the next message and for nothing else: its memory is given away.

        A small one, or one for which there is no room, is an ordinary array.
        """
        dtype = np.dtype(dtype)
        size = math.prod(shape) * dtype.itemsize
        fits = INLINE_BYTES <= size <= self._left()
        taken = self.slots.take(size) if fits else None
        return aligned_empty(shape, dtype) if taken is None else taken.view(dtype).reshape(shape)

    def write(self, buffers: Sequence[memoryview], total: int) -> str:
        """Returns the path of a file with the buffers, or "" when there is no room for them."""
        if not self._prefix or total > self._left():
            return ""
        path = self._next_path()
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except OSError:
            return ""
        try:
            for offset, buffer in zip(offsets(buffers), buffers, strict=True):
                write_all(descriptor, buffer, offset)
        except OSError:
            os.unlink(path)
            return ""
        finally:
            os.close(descriptor)
        return path


def write_all(descriptor: int, buffer: bytes | memoryview, offset: int) -> None:
    """Writes a whole buffer at an offset of a file."""
    buffer = memoryview(buffer)
    done = 0
    while done < buffer.nbytes:
        done += os.pwrite(descriptor, buffer[done:], offset + done)


def offsets(buffers: Sequence[memoryview | int]) -> list[int]:
    """Returns where each buffer (or buffer of so many bytes) starts; aligned, the end last."""
    found, position = [], 0
    for buffer in buffers:
        found.append(position)
        size = buffer if isinstance(buffer, int) else buffer.nbytes
        position += -(-size // _ALIGNMENT) * _ALIGNMENT
    return found


def dump(value: Any) -> tuple[bytes, list[memoryview]]:
    """Pickles a value with its arrays aside."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return data, [buffer.raw() for buffer in buffers]


def send(connection: Connection, message: Message, memory: SharedMemory) -> None:
    """Sends a message; its big arrays through shared memory where there is room."""
    data, buffers = dump(message.content)
    files = [memory.slots.path_of(buffer) for buffer in buffers]
    others = [buffer for buffer, file in zip(buffers, files, strict=True) if not file]
    total = sum(buffer.nbytes for buffer in others)
    path = memory.write(others, total) if total >= INLINE_BYTES else ""
    overflow = total if total >= INLINE_BYTES and not path else 0
    sizes = [buffer.nbytes for buffer in buffers]
    parts, dropped = list(zip(sizes, files, strict=True)), memory.slots.take_dropped()
    head = (message.kind, message.number, data, parts, path, overflow, dropped)
    connection.send_bytes(pickle.dumps(head, protocol=5))
    memory.slots.settle(files)
    if not path:
        for buffer in others:
            if buffer.nbytes:
                connection.send_bytes(buffer)


def receive(connection: Connection, leases: Leases) -> Message:
    """Receives what `send` sent. The arrays may be written to, and are nobody else's.

    Args:
        connection: to the worker.
        leases: of the worker's slots.
    """
    head = pickle.loads(connection.recv_bytes())
    kind, number, data, parts, path, overflow, dropped = head
    leases.drop(dropped)
    others = [size for size, slot in parts if not slot]
    if path:
        shared = iter(map_file(path, others))
        os.unlink(path)
    else:
        shared = iter([_read_inline(connection, size) for size in others])
    buffers = [leases.lease(slot, size) if slot else next(shared) for size, slot in parts]
    return Message(kind, number, pickle.loads(data, buffers=buffers), overflow)


def _read_inline(connection: Connection, size: int) -> memoryview:
    # A bytearray may be written to, so the array on it may as well.
    return memoryview(bytearray(connection.recv_bytes() if size else b""))


def map_file(path: str | int, sizes: Sequence[int], start: int = 0) -> list[memoryview]:
    """Maps the buffers of the given sizes in a file (path or descriptor), from `start` on.

    The mapping is private when `path` is a descriptor: several processes map the same file, and
    what one writes to its arrays is its own.
    """
    if isinstance(path, int):
        length, flags = os.fstat(path).st_size, mmap.MAP_PRIVATE
        mapped = mmap.mmap(path, length, flags, mmap.PROT_READ | mmap.PROT_WRITE)
    else:
        descriptor = os.open(path, os.O_RDWR)
        try:
            mapped = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)
    view = memoryview(mapped)
    starts = [start + offset for offset in offsets(list(sizes))]
    return [view[at : at + size] for at, size in zip(starts, sizes, strict=True)]


def remove_leftovers(prefix: str) -> None:
    """Removes files of workers that ended before anybody took them."""
    folder, start = os.path.split(prefix)
    with suppress(OSError):
        for name in os.listdir(folder):
            if start and name.startswith(start):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def anonymous_file(write: Callable[[int], None]) -> int:
    """Returns the descriptor of a nameless file in memory that `write` has filled."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("proa-io")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        write(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
