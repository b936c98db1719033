from __future__ import annotations

import os
import signal
import time

import pytest

import proa.io as io
from proa.io._pool import free_memory
from tests.io.samples import Faulty, Stream, fail_to_start


def read(way, **arguments):
    loader = io.DataLoader(Faulty(way), batch_size=2, num_workers=2, **arguments)
    return [batch[1].tolist() for batch in loader]


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("kill", r"ended by signal 9 \(SIGKILL\)(?s:.*)when memory ran out"),
        ("segfault", r"ended by signal 11 \(SIGSEGV\)(?s:.*)native code"),
        ("exit", "exit status 3"),
    ],
)
def test_a_worker_that_dies_is_noticed_at_once_and_named(way, text):
    since = time.monotonic()
    wanted = r"^worker [01] of 2 \(process \d+\) died while reading sample 5 of Faulty \(batch 2\)"
    with pytest.raises(io.WorkerError, match=f"(?s){wanted}: {text}"):
        read(way)
    assert time.monotonic() - since < 10


def test_a_slow_worker_is_named():
    wanted = (
        r"(?s)^worker [01] of 2 .*did not deliver batch 2 within timeout=0.2 s; it was reading "
        r"sample 5 of Faulty \(batch 2\).*Expected: .*Fix: .*raise timeout"
    )
    with pytest.raises(io.WorkerTimeoutError, match=wanted):
        read("hang", timeout=0.2)


def test_a_failing_sample_comes_with_the_traceback_of_its_worker():
    with pytest.raises(
        io.SampleError, match="^sample 5 of Faulty could not be read: KeyError"
    ) as e:
        read("raise")
    assert e.value.keys == (5,)
    assert e.value.worker in (0, 1)
    assert isinstance(e.value.__cause__, KeyError)
    text = str(e.value)
    assert f"Traceback of worker {e.value.worker}:" in text
    assert 'raise KeyError(f"no file {index}.png")' in text


def test_batches_before_a_failing_one_are_delivered():
    batches = iter(io.DataLoader(Faulty("raise"), batch_size=1, num_workers=2, prefetch_factor=4))
    assert [next(batches)[1].tolist() for _ in range(5)] == [[0], [1], [2], [3], [4]]
    with pytest.raises(io.SampleError, match="sample 5"):
        next(batches)


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("ragged", r"field \[0\] has shape \[2\] in sample 4 and shape \[3\] in sample 5"),
        ("odd error", "sample 5 of Faulty could not be read: OddError: two parts"),
    ],
)
def test_other_failures_are_the_same_as_in_the_main_process(way, text):
    for num_workers in (0, 1):
        loader = io.DataLoader(Faulty(way), batch_size=2, num_workers=num_workers)
        with pytest.raises(io.SampleError, match=text):
            list(loader)


def test_a_batch_that_cannot_be_sent_is_an_error():
    loader = io.DataLoader(Faulty("unpicklable"), batch_size=None, num_workers=1)
    with pytest.raises(io.SampleError, match="(?s)a batch cannot be sent to the main.*num_workers"):
        list(loader)


def test_a_failing_worker_init_fn_is_named():
    loader = io.DataLoader(Faulty(""), num_workers=1, worker_init_fn=fail_to_start)
    wanted = r"(?s)^`worker_init_fn` \(fail_to_start\) failed in worker 0: OSError: no licence"
    with pytest.raises(io.WorkerError, match=wanted + ".*Expected: .*Fix: .*in fail_to_start"):
        list(loader)


def test_the_workers_end_with_the_iteration():
    loader = io.DataLoader(Faulty(""), batch_size=1, num_workers=2, persistent_workers=True)
    batches = iter(loader)
    next(batches)
    pids = loader._pool.pids
    batches.close()
    assert all(os.path.exists(f"/proc/{pid}") for pid in pids)
    del loader, batches
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_a_persistent_loader_goes_on_after_a_death():
    loader = io.DataLoader(Faulty(""), batch_size=2, num_workers=2, persistent_workers=True)
    assert len(list(loader)) == 4
    os.kill(loader._pool.pids[0], signal.SIGKILL)
    with pytest.raises(io.WorkerError, match="SIGKILL"):
        list(loader)
    assert len(list(loader)) == 4


@pytest.mark.parametrize("num_workers", [0, 1, 2, 3])
def test_streams_take_turns(num_workers):
    expected = {
        0: [[0, 1], [2, 3], [4, 5], [6]],
        1: [[0, 1], [2, 3], [4, 5], [6]],
        2: [[0, 1], [100, 101], [2, 3], [102, 103], [4, 5], [104], [6]],
        3: [[0, 1], [100, 101], [200, 201], [2, 3], [102, 103], [202], [4, 5], [104], [6]],
    }
    loader = io.DataLoader(Stream(), batch_size=2, num_workers=num_workers)
    assert [batch[0].tolist() for batch in loader] == expected[num_workers]


@pytest.mark.parametrize("skip", [1, 4, 6])
@pytest.mark.parametrize("num_workers", [0, 2])
def test_streams_go_on_in_the_middle(skip, num_workers):
    def loader():
        return io.DataLoader(Stream(9), batch_size=2, num_workers=num_workers)

    whole = [[part.tolist() for part in batch] for batch in loader()]
    stopped = loader()
    for _ in zip(range(skip), stopped, strict=False):
        pass
    resumed = loader()
    resumed.load_state_dict({**stopped.state_dict(), "batches": skip})
    assert [[part.tolist() for part in batch] for batch in resumed] == whole[skip:]


def test_free_memory_of_a_missing_folder_is_none():
    assert free_memory("/missing") == 0
    assert free_memory("/") > 0
