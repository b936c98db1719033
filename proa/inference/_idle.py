"""Giving memory back when nobody has asked for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class IdleTrim:
    """Calls a function once when there was no run for some time.

    Args:
        seconds: how long.
        trim: what is called then, in a thread of its own.
    """

    def __init__(self, seconds: float, trim: Callable[[], None]) -> None:
        self._seconds, self._trim = seconds, trim
        self._lock = threading.Lock()
        self._last = 0.0
        self._running = 0
        self._waits = False

    def __enter__(self) -> IdleTrim:
        """A run begins."""
        with self._lock:
            self._running += 1
        return self

    def __exit__(self, *_: object) -> None:
        """A run has ended."""
        with self._lock:
            self._running -= 1
            self._last = time.monotonic()
            if not self._waits:
                self._waits = True
                self._wait(self._seconds)

    def _wait(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._look)
        # A program that ends does not wait for it.
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        with self._lock:
            left = self._last + self._seconds - time.monotonic()
            if self._running or left > 0:
                self._wait(max(left, 0.01) if not self._running else self._seconds)
                return
            self._waits = False
        self._trim()
