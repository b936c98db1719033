"""Timing that stands noise: interleaved rounds, medians, ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def time_once(fn: Callable[[], object], number: int) -> float:
    """Seconds per call of `fn`, over `number` calls."""
    start = time.perf_counter()
    for _ in range(number):
        fn()
    return (time.perf_counter() - start) / number


def calls_for(fn: Callable[[], object], seconds: float) -> int:
    """How many calls of `fn` take about `seconds`, after a warm-up."""
    for _ in range(3):
        fn()
    single = max(time_once(fn, 3), 1e-7)
    return max(3, int(seconds / single))


def interleave(
    candidates: dict[str, Callable[[], object]], rounds: int = 9, seconds: float = 0.15
) -> dict[str, float]:
    """Median seconds per call of each candidate; they take turns, so all see the same noise."""
    numbers = {name: calls_for(fn, seconds) for name, fn in candidates.items()}
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, fn in candidates.items():
            samples[name].append(time_once(fn, numbers[name]))
    return {name: statistics.median(values) for name, values in samples.items()}
