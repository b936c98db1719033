"""What a version has done: counts and times."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Totals:
    """Requests of a version; times in nanoseconds."""

    succeeded: int = 0
    failed: int = 0
    rows: int = 0
    success_time: int = 0
    failure_time: int = 0
    last_milliseconds: int = 0


class Statistics:
    """Totals that any thread may add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._totals = Totals()

    @property
    def totals(self) -> Totals:
        """The totals so far, of one moment."""
        return self._totals

    def add(self, *, passed: bool, rows: int, nanoseconds: int, now: int) -> None:
        """Counts a request that took `nanoseconds` and ended at `now` (ms since 1970)."""
        with self._lock:
            t = self._totals
            self._totals = Totals(
                t.succeeded + passed,
                t.failed + (not passed),
                t.rows + (rows if passed else 0),
                t.success_time + (nanoseconds if passed else 0),
                t.failure_time + (0 if passed else nanoseconds),
                now,
            )
