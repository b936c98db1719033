from __future__ import annotations

import threading

import pytest

from proa.inference import measure_load


def test_every_answer_is_counted_and_callers_call_at_once():
    calls, inside, most = [], [0], [0]
    lock = threading.Lock()

    def run(request):
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        threading.Event().wait(0.002)
        with lock:
            inside[0] -= 1
            calls.append(request)

    load = measure_load(run, ["a", "b"], callers=3, seconds=0.03, least=4)
    assert load.runs == len(calls) - 2 >= 12
    assert most[0] == 3
    assert {"a", "b"} == set(calls)
    assert 0.002 <= load.p50 <= load.p90 <= load.p99 <= load.largest
    assert load.throughput > 3 / 0.05 / 3
    assert load.to_dict()["callers"] == 3


def test_a_failure_of_a_caller_is_raised():
    count = [0]

    def run(request):
        count[0] += 1
        if count[0] > 3:
            raise KeyError("the fourth")

    with pytest.raises(KeyError, match="the fourth"):
        measure_load(run, [1], callers=2, seconds=0.1)
