"""Latency and throughput of a predictor under callers at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Load:
    """What callers at once have seen of a predictor.

    Attributes:
        callers: threads that called it at once, each again as soon as it had its answer.
        runs: how many answers there were in all.
        throughput: answers per second, all callers together.
        p50, p90, p99: so many per cent of the answers took at most this long, in seconds.
        largest: the slowest answer, in seconds.
    """

    callers: int
    runs: int
    throughput: float
    p50: float
    p90: float
    p99: float
    largest: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures as plain data."""
        return asdict(self)


def measure_load(
    run: Callable[[Any], Any],
    requests: Sequence[Any],
    *,
    callers: int = 1,
    seconds: float = 2.0,
    least: int = 10,
) -> Load:
    """Calls `run` from several threads for a while and times each answer.

    Args:
        run: what is called, such as `predictor.run`.
        requests: its arguments, which each thread takes in turn.
        callers: number of threads.
        seconds: how long, once all have begun.
        least: answers that each thread waits for in any case.

    Raises:
        Exception: the first one that a call raised.
    """
    for request in requests:
        run(request)
    barrier = threading.Barrier(callers + 1)
    times: list[list[float]] = [[] for _ in range(callers)]
    failures: list[BaseException] = []

    def call(number: int) -> None:
        mine = times[number]
        barrier.wait()
        begun = before = time.perf_counter()
        while len(mine) < least or before - begun < seconds:
            try:
                run(requests[(number + len(mine)) % len(requests)])
            except BaseException as error:
                failures.append(error)
                return
            now = time.perf_counter()
            mine.append(now - before)
            before = now

    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(callers)]
    for thread in threads:
        thread.start()
    barrier.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    taken = time.perf_counter() - begun
    if failures:
        raise failures[0]
    every = np.array([t for mine in times for t in mine])
    p50, p90, p99 = np.percentile(every, [50, 90, 99])
    return Load(
        callers,
        len(every),
        len(every) / taken,
        float(p50),
        float(p90),
        float(p99),
        float(every.max()),
    )
