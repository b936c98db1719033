"""The memory ceiling of a predictor: what it counts, and how it is kept."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proa.core import ProaError

MEGABYTE = 2**20


class MemoryLimitError(ProaError, MemoryError):
    """Something that does not fit under the limit that `Config.set_memory_limit` has set."""


class MemoryBudget:
    """Counts what a predictor holds and what its runs take, and keeps the sum under a limit.

    Counted are weights, executables, and per run its inputs, temporary buffers and outputs, as
    XLA states them. Not counted are the interpreter, the libraries, and what XLA takes while it
    compiles.

    Args:
        limit: bytes.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.weights = self.executables = self.running = 0
        #: The largest sum so far.
        self.peak = 0
        self._changed = threading.Condition()

    @property
    def used(self) -> int:
        """Bytes that are counted at present."""
        return self.weights + self.executables + self.running

    def keep(self, amount: int) -> None:
        """Counts weights.

        Raises:
            MemoryLimitError: they do not fit.
        """
        if self.weights + amount > self.limit:
            raise MemoryLimitError(
                f"the weights take {_megabytes(self.weights + amount)} MB, the limit is "
                f"{_megabytes(self.limit)} MB",
                expected="a limit above the size of the model",
                fix="raise it with Config.set_memory_limit, or take a smaller model",
            )
        self.weights += amount

    def change(self, amount: int) -> None:
        """Counts an executable, or with a negative number one that was dropped."""
        with self._changed:
            self.executables += amount
            self._changed.notify_all()

    @contextmanager
    def reserve(self, amount: int, evict: Callable[[], bool]) -> Iterator[None]:
        """Counts a run while it lasts; makes room, and waits for other runs, before it begins.

        Args:
            amount: bytes that the run takes.
            evict: drops one executable, or returns `False` when there is none to drop.

        Raises:
            MemoryLimitError: the run does not fit even alone.
        """
        while not self._begin(amount):
            if not evict():
                self._wait(amount)
        try:
            yield
        finally:
            with self._changed:
                self.running -= amount
                self._changed.notify_all()

    def _begin(self, amount: int) -> bool:
        with self._changed:
            if self.used + amount > self.limit:
                return False
            self.running += amount
            self.peak = max(self.peak, self.used)
            return True

    def _wait(self, amount: int) -> None:
        with self._changed:
            if self.used + amount <= self.limit:
                return
            if not self.running:
                raise MemoryLimitError(
                    f"a run with these inputs takes {_megabytes(amount)} MB beside "
                    f"{_megabytes(self.weights + self.executables)} MB of weights and code, the "
                    f"limit is {_megabytes(self.limit)} MB",
                    expected="inputs whose run fits under the limit",
                    fix="split the batch, or raise the limit with Config.set_memory_limit",
                )
            # Whoever finishes or drops something wakes us; the time is for an eviction by
            # another thread that found room of its own.
            self._changed.wait(timeout=1.0)


def release_memory() -> None:
    """Collects garbage and hands freed memory back to the system, where the C library can."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _megabytes(amount: int) -> str:
    return f"{amount / MEGABYTE:.1f}"


def resident_bytes() -> int:
    """Returns the memory of this process that is in use, 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
