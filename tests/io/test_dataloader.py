from __future__ import annotations

import json
import os
import random
import warnings

import numpy as np
import pytest

import proa.io as io
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    Tensor,
    seed,
    to_tensor,
)
from proa.io import _pool
from proa.io._slots import KEPT
from tests.io.samples import Big, Counted, Fields, Numbers, Stream

WORKERS = [0, 1, 4]


def values(loader):
    """All samples of an epoch: index and what was drawn for it."""
    return {
        int(index): tuple(row)
        for indices, drawn in loader
        for index, row in zip(indices.tolist(), drawn.tolist(), strict=True)
    }


# TRAPS row 49 (PT#5059, PT#41329), USERS A36: 4 workers, 8 items, 2 epochs.
def test_random_numbers_differ_by_sample_and_epoch_and_not_by_number_of_workers():
    runs = []
    for num_workers in WORKERS:
        seed(7)
        loader = io.DataLoader(Numbers(), batch_size=3, num_workers=num_workers)
        runs.append([values(loader), values(loader)])
    assert runs[0] == runs[1] == runs[2]
    drawn = [number for epoch in runs[0] for row in epoch.values() for number in row]
    assert len(set(drawn)) == 2 * 8 * 3
    seed(8)
    assert values(io.DataLoader(Numbers(), batch_size=3)) != runs[0][0]


def test_a_repeated_index_is_another_sample():
    loader = io.DataLoader(Numbers(), batch_sampler=[[3, 3], [3]])
    drawn = [row for _, rows in loader for row in rows.tolist()]
    assert len({tuple(row) for row in drawn}) == 3


def test_the_globals_of_the_main_process_are_left_alone():
    np.random.seed(3)
    random.seed(3)
    expected = np.random.rand(), random.random()
    np.random.seed(3)
    random.seed(3)
    for _ in io.DataLoader(Numbers(), batch_size=2, shuffle=True):
        pass
    assert (np.random.rand(), random.random()) == expected


@pytest.mark.parametrize("num_workers", WORKERS)
def test_batches_come_in_order(num_workers):
    loader = io.DataLoader(Numbers(7), batch_size=2, num_workers=num_workers, prefetch_factor=1)
    assert [batch[0].tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6]]
    assert len(loader) == 4


def test_leaves_become_tensors():
    # Types, dtypes and shapes are those of paddle 3.3.1.
    x, y, z, name = next(iter(io.DataLoader(Fields(), batch_size=2)))
    assert all(isinstance(field, Tensor) for field in (x, y, z))
    assert [str(field.dtype.name) for field in (x, y, z)] == ["float32", "int64", "float64"]
    assert (x.shape, y.tolist(), z.tolist(), name) == ([2, 3], [0, 1], [0.0, 1.0], ["s0", "s1"])
    assert x.stop_gradient


@pytest.mark.parametrize("num_workers", [0, 1])
def test_without_a_batch_size_samples_come_alone(num_workers):
    loader = io.DataLoader(Fields(), batch_size=None, num_workers=num_workers)
    x, y, z, name = list(loader)[-1]
    assert (x.shape, y, z, name) == ([3], 4, 4.0, "s4")
    assert len(loader) == 5
    assert [int(s[0]) for s in io.DataLoader(Stream(3), batch_size=None)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("collated", "expected"),
    [
        ({"a": np.zeros(2), "b": "s"}, {"a": [0, 0], "b": "s"}),
        ((np.ones(1), None, 1), [[1], None, 1]),
        (np.array(["x"]), ["x"]),
        (3, 3),
    ],
)
def test_a_collate_function_may_return_anything(collated, expected):
    def plain(value):
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items()}
        if isinstance(value, list):
            return [plain(part) for part in value]
        return value.tolist() if isinstance(value, Tensor | np.ndarray) else value

    loader = io.DataLoader(Numbers(2), batch_size=2, collate_fn=lambda samples: collated)
    assert [plain(batch) for batch in loader] == [expected]


def test_what_a_collate_function_keeps_is_not_shared():
    kept = np.zeros(4096, np.float32)
    batches = list(io.DataLoader(Numbers(2), collate_fn=lambda samples: kept))
    kept[:] = 1
    assert float(batches[0].numpy().sum()) == 0


def test_tensors_in_samples_are_batched():
    rows = [to_tensor(np.full(2, i, "float32")) for i in range(4)]
    assert next(iter(io.DataLoader(rows, batch_size=4))).tolist() == [[i, i] for i in range(4)]


def test_a_tensor_dataset_is_shared_by_workers():
    data = io.TensorDataset([to_tensor(np.arange(20.0)), np.arange(20)])
    for num_workers in (0, 2):
        loader = io.DataLoader(io.Subset(data, [7, 2, 5]), batch_size=2, num_workers=num_workers)
        assert [batch[0].tolist() for batch in loader] == [[7, 2], [5]]


def test_feed_names_make_dicts():
    loader = io.DataLoader(Fields(), feed_list=["x", "y", "z", "n"], return_list=False)
    assert list(next(loader())[0]) == ["x", "y", "z", "n"]
    wrong = io.DataLoader(Fields(), feed_list=["x"], return_list=False)
    with pytest.raises(InvalidArgumentError, match="(?s)1 names and a batch 4 fields.*Fix"):
        next(iter(wrong))


def test_tensors_lie_on_the_place():
    batch = next(iter(io.DataLoader(Numbers(), places=["cpu"])))
    assert "cpu" in str(next(iter(batch[0]._data.devices()))).lower()


def test_a_shuffled_epoch_reads_each_sample_once_in_another_order():
    seed(7)
    loader = io.DataLoader(Numbers(), batch_size=8, shuffle=True)
    epochs = [next(iter(loader))[0].tolist() for _ in range(3)]
    assert [sorted(epoch) for epoch in epochs] == [list(range(8))] * 3
    assert len({tuple(epoch) for epoch in epochs}) == 3
    loader.set_epoch(1)
    assert next(iter(loader))[0].tolist() == epochs[1]
    assert next(iter(loader))[0].tolist() == epochs[2]


def test_the_epoch_of_a_batch_sampler_counts():
    sampler = io.DistributedBatchSampler(range(8), 4, 2, 0, shuffle=True)
    loader = io.DataLoader(Numbers(), batch_sampler=sampler)
    first, second = values(loader), values(loader)
    sampler.set_epoch(0)
    assert values(loader) == first
    assert values(loader) == second
    loader.set_epoch(0)
    assert values(loader) == first


class Users(io.Sampler):
    def __iter__(self):
        order = np.random.permutation(8).tolist()
        for start in range(0, 8, 2):
            yield order[start : start + 2]


SAMPLERS = {
    "sequence": {"batch_size": 2},
    "shuffle": {"batch_size": 2, "shuffle": True},
    "users": {"batch_sampler": Users()},
    "weighted": {
        "batch_sampler": io.BatchSampler(
            sampler=io.WeightedRandomSampler([*range(1, 9)], 8), batch_size=2
        )
    },
}


@pytest.mark.parametrize("stop", [0, 1, 3, 4])
@pytest.mark.parametrize("kind", SAMPLERS)
def test_a_stopped_run_goes_on_with_the_next_batch(kind, stop):
    def make():
        return io.DataLoader(Numbers(), **SAMPLERS[kind])

    def plain(batches):
        return [(x.tolist(), y.tolist()) for x, y in batches]

    seed(7)
    whole = make()
    first, second, third = (plain(whole) for _ in range(3))
    stopped = make()
    assert plain(stopped) == first
    batches = iter(stopped)
    assert plain(next(batches) for _ in range(stop)) == second[:stop]
    state = json.loads(json.dumps(stopped.state_dict()))
    assert (state["epoch"], state["batches"], state["seed"]) == (1, stop, 7)
    seed(99)
    np.random.seed(1)
    resumed = make()
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    assert plain(resumed) == second[stop:]
    assert resumed.state_dict()["epoch"] == 2
    assert plain(resumed) == third


@pytest.mark.parametrize("num_workers", [0, 2])
def test_skipped_samples_are_not_read(num_workers, tmp_path):
    data = Counted(tmp_path)
    loader = io.DataLoader(data, batch_size=2, num_workers=num_workers)
    loader.load_state_dict({**loader.state_dict(), "batches": 3})
    assert [batch.tolist() for batch in loader] == [[6, 7]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["6", "7"]


def test_a_broken_off_epoch_is_not_repeated():
    loader = io.DataLoader(Numbers(), batch_size=8)
    first = next(iter(loader))[1].tolist()
    assert next(iter(loader))[1].tolist() != first
    assert loader.state_dict()["epoch"] == 1


def test_a_state_of_another_loader_is_refused():
    state = io.DataLoader(Numbers(8), batch_size=2).state_dict()
    with pytest.raises(InvalidArgumentError, match="saved with 4 batches .* this loader has 2"):
        io.DataLoader(Numbers(8), batch_size=4).load_state_dict(state)


def test_persistent_workers_stay_and_others_go():
    loader = io.DataLoader(Numbers(), batch_size=3, num_workers=2, persistent_workers=True)
    first = values(loader)
    pids = loader._pool.pids
    assert values(loader) != first
    assert loader._pool.pids == pids
    next(iter(loader))
    loader.set_epoch(0)
    assert values(loader) == first


def test_two_iterations_cannot_share_persistent_workers():
    loader = io.DataLoader(Numbers(), num_workers=1, persistent_workers=True)
    old = iter(loader)
    next(old)
    new = iter(loader)
    next(new)
    with pytest.raises(PreconditionError, match="(?s)an earlier iteration.*Expected.*Fix"):
        next(old)
    assert len(list(new)) == 7


def test_two_iterations_at_a_time_have_workers_of_their_own():
    loader = io.DataLoader(Numbers(), batch_size=4, num_workers=1)
    pairs = [(a[0].tolist(), b[0].tolist()) for a, b in zip(loader, loader, strict=True)]
    assert pairs == [([0, 1, 2, 3],) * 2, ([4, 5, 6, 7],) * 2]


def big_batches(**arguments):
    loader = io.DataLoader(Big(), batch_size=2, num_workers=2, **arguments)
    return [float(batch.numpy().mean()) for _ in range(2) for batch in loader]


def test_without_shared_memory_there_is_one_warning(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert big_batches() == big_batches(use_shared_memory=False) == [0.5, 2.5, 4.5] * 2
        monkeypatch.setattr(_pool, "free_memory", lambda folder: 1 << 20)
    with pytest.warns(RuntimeWarning, match="(?s)MiB free, too few.*--shm-size") as caught:
        assert big_batches() == [0.5, 2.5, 4.5] * 2
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_nothing_grows_with_the_epochs():
    def used():
        return len(os.listdir("/proc/self/fd")), os.listdir("/dev/shm")

    loader = io.DataLoader(Big(), batch_size=2, num_workers=1, persistent_workers=True)
    fresh = io.DataLoader(Big(), batch_size=2, num_workers=1)
    list(loader), list(fresh)
    before = used()
    for _ in range(5):
        list(loader), list(fresh)
    # A mapping holds a descriptor; some wait for the next batch.
    assert used()[0] <= before[0] + KEPT


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"dataset": 3}, InvalidTypeError, "`dataset` is of class int"),
        ({"dataset": Numbers}, InvalidTypeError, "`dataset` is the class Numbers"),
        ({"batch_size": 0}, InvalidArgumentError, "`batch_size` is 0"),
        ({"batch_size": -1}, InvalidArgumentError, "`batch_size` is -1"),
        ({"batch_size": 2.5}, InvalidArgumentError, "`batch_size` is 2.5"),
        ({"batch_size": True}, InvalidArgumentError, "`batch_size` is True"),
        ({"num_workers": -1}, InvalidArgumentError, "`num_workers` is -1"),
        ({"num_workers": "2"}, InvalidArgumentError, "`num_workers` is '2'"),
        ({"prefetch_factor": 0}, InvalidArgumentError, "`prefetch_factor` is 0"),
        ({"timeout": -1}, InvalidArgumentError, "`timeout` is -1"),
        ({"timeout": "1"}, InvalidArgumentError, "`timeout` is '1'"),
        ({"shuffle": 1}, InvalidTypeError, "`shuffle` is 1"),
        ({"collate_fn": 1}, InvalidTypeError, "`collate_fn` is a int"),
        ({"worker_init_fn": 1}, InvalidTypeError, "`worker_init_fn` is a int"),
        ({"batch_sampler": 3}, InvalidTypeError, "`batch_sampler` is of class int"),
        (
            {"batch_sampler": [[0]], "batch_size": 4, "shuffle": True},
            InvalidArgumentError,
            "a batch_sampler together with batch_size=4, shuffle=True",
        ),
        (
            {"dataset": Stream(), "shuffle": True},
            InvalidArgumentError,
            "shuffle=True for an IterableDataset",
        ),
        (
            {"dataset": Stream(), "batch_sampler": [[0]]},
            InvalidArgumentError,
            "a batch_sampler for an IterableDataset",
        ),
        (
            {"dataset": type("NoLength", (io.Dataset,), {"__getitem__": lambda s, i: i})()},
            InvalidTypeError,
            "class NoLength has no `__len__`",
        ),
    ],
)
def test_arguments_are_refused(arguments, error, text):
    with pytest.raises(error, match=f"(?s){text}.*Expected: .*Fix: "):
        io.DataLoader(**{"dataset": Numbers(), **arguments})


def test_a_sampler_in_place_of_a_batch_sampler_is_refused():
    loader = io.DataLoader(Numbers(), batch_sampler=io.SequenceSampler(range(3)))
    with pytest.raises(InvalidTypeError, match="(?s)SequenceSampler yielded 0.*BatchSampler"):
        next(iter(loader))


def test_a_stream_has_no_length():
    loader = io.DataLoader(Stream(3), batch_size=2)
    with pytest.raises(InvalidTypeError, match="(?s)over Stream has no length.*Fix"):
        len(loader)
    assert len(list(loader)) == 2


def test_a_dataset_that_cannot_be_sent_is_read_here_with_a_warning():
    class Local(io.Dataset):
        def __getitem__(self, index):
            return np.float32(index)

        def __len__(self):
            return 4

    loader = io.DataLoader(Local(), batch_size=2, num_workers=2)
    wanted = r"(?s)Local.*cannot be sent to worker.*reads in the main process"
    with pytest.warns(UserWarning, match=wanted):
        batches = list(loader)
    assert [np.asarray(batch).ravel().tolist() for batch in batches] == [[0, 1], [2, 3]]
    assert loader.num_workers == 2
    assert len(list(loader)) == 2
