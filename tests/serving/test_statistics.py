"""Counts of a version."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from proa.serving._statistics import Statistics, Totals


def test_totals():
    found = Statistics()
    found.add(passed=True, rows=3, nanoseconds=10, now=5)
    before = found.totals
    found.add(passed=False, rows=9, nanoseconds=7, now=6)
    assert before == Totals(1, 0, 3, 10, 0, 5)
    assert found.totals == Totals(1, 1, 3, 10, 7, 6)


def test_no_count_is_lost_between_threads():
    found = Statistics()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(800):
            pool.submit(found.add, passed=True, rows=1, nanoseconds=2, now=0)
    assert (found.totals.succeeded, found.totals.rows, found.totals.success_time) == (
        800,
        800,
        1600,
    )
