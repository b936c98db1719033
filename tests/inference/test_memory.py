from __future__ import annotations

import threading

import pytest

from proa.inference import MemoryLimitError
from proa.inference._memory import MemoryBudget, release_memory, resident_bytes


def test_executables_are_dropped_before_a_run_is_refused():
    budget, held = MemoryBudget(100), [30, 30]
    budget.keep(20)
    budget.change(60)

    def evict():
        if held:
            budget.change(-held.pop())
            return True
        return False

    with budget.reserve(40, evict):
        assert (budget.used, len(held)) == (90, 1)
    with (
        pytest.raises(MemoryLimitError, match="a run with these inputs takes"),
        budget.reserve(90, evict),
    ):
        pass
    assert (budget.used, held, budget.peak) == (20, [], 90)


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(MemoryLimitError, match="the weights take 2.0 MB, the limit is 1.0 MB"):
        MemoryBudget(2**20).keep(2**21)


def test_runs_wait_for_each_other_and_the_ceiling_holds():
    budget, inside, most = MemoryBudget(100), [0], [0]
    lock = threading.Lock()

    def run():
        with budget.reserve(40, lambda: False):
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            threading.Event().wait(0.002)
            with lock:
                inside[0] -= 1

    threads = [threading.Thread(target=run) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most[0] == 2
    assert budget.peak == 80
    assert budget.used == 0


def test_a_run_that_fails_gives_its_memory_back():
    budget = MemoryBudget(10)
    with pytest.raises(KeyError), budget.reserve(5, lambda: False):
        raise KeyError
    assert budget.used == 0


def test_memory_of_the_process_is_told():
    release_memory()
    assert resident_bytes() > 2**20
