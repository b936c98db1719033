from __future__ import annotations

import pytest

import proa.io as io
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError


class Unsized(io.Sampler):
    def __iter__(self):
        return iter([3, 1, 2])


class NoLength(io.Dataset):
    def __getitem__(self, index):
        return index


@pytest.mark.parametrize(
    ("drop_last", "batches"), [(False, [[0, 1], [2, 3], [4]]), (True, [[0, 1], [2, 3]])]
)
def test_batches_cut_the_order(drop_last, batches):
    sampler = io.BatchSampler("abcde", batch_size=2, drop_last=drop_last)
    assert (list(sampler), len(sampler)) == (batches, len(batches))


def test_a_sampler_decides_the_order():
    assert list(io.BatchSampler(sampler=Unsized(), batch_size=2)) == [[3, 1], [2]]
    assert list(io.BatchSampler(sampler=[4, 5], batch_size=1)) == [[4], [5]]
    shuffled = io.BatchSampler("abcde", shuffle=True, batch_size=5)
    assert sorted(next(iter(shuffled))) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({}, InvalidArgumentError, "neither `dataset` nor `sampler`"),
        ({"dataset": "ab", "sampler": [0]}, InvalidArgumentError, "both of them"),
        ({"sampler": [0], "shuffle": True}, InvalidArgumentError, "shuffle=True together"),
        ({"sampler": 3}, InvalidTypeError, "`sampler` is of class int"),
        ({"sampler": "abc"}, InvalidTypeError, "`sampler` is of class str"),
        ({"dataset": "ab", "batch_size": 0}, InvalidArgumentError, "`batch_size` is 0"),
        ({"dataset": "ab", "batch_size": -2}, InvalidArgumentError, "`batch_size` is -2"),
        ({"dataset": "ab", "batch_size": 1.5}, InvalidArgumentError, "`batch_size` is 1.5"),
        ({"dataset": "ab", "drop_last": 1}, InvalidTypeError, "`drop_last` is 1"),
        ({"dataset": "ab", "shuffle": "no"}, InvalidTypeError, "`shuffle` is 'no'"),
        ({"dataset": NoLength()}, InvalidTypeError, "class NoLength has no `__len__`"),
    ],
)
def test_batch_sampler_refuses(arguments, error, text):
    with pytest.raises(error, match=f"(?s){text}.*Expected: .*Fix: "):
        io.BatchSampler(**arguments)


def test_length_of_a_sampler_without_one():
    with pytest.raises(InvalidTypeError, match="(?s)class Unsized has no length.*define __len__"):
        len(io.BatchSampler(sampler=Unsized(), batch_size=2))


# What paddle 3.3.1 gives for (samples, batch size, ranks, drop_last).
@pytest.mark.parametrize(
    ("case", "batches"),
    [
        ((10, 2, 2, False), [[[0, 1], [4, 5], [8]], [[2, 3], [6, 7], [9]]]),
        ((11, 2, 2, True), [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 0]]]),
        ((10, 3, 4, False), [[[0, 1, 2]], [[3, 4, 5]], [[6, 7, 8]], [[9, 0, 1]]]),
        ((3, 2, 4, False), [[[0]], [[1]], [[2]], [[0]]]),
        ((10, 3, 2, True), [[[0, 1, 2]], [[3, 4, 5]]]),
        (
            (20, 3, 3, False),
            [
                [[0, 1, 2], [9, 10, 11], [18]],
                [[3, 4, 5], [12, 13, 14], [19]],
                [[6, 7, 8], [15, 16, 17], [0]],
            ],
        ),
    ],
)
def test_distributed_batches_are_those_of_paddle(case, batches):
    length, size, ranks, drop_last = case
    for rank in range(ranks):
        sampler = io.DistributedBatchSampler(range(length), size, ranks, rank, False, drop_last)
        assert list(sampler) == batches[rank]
        assert len(sampler) == len(batches[rank])


def test_distributed_shuffle_is_that_of_paddle():
    sampler = io.DistributedBatchSampler(range(8), 2, 2, 0, shuffle=True)
    assert (list(sampler), list(sampler), sampler.epoch) == ([[6, 2], [3, 0]], [[7, 2], [0, 4]], 2)
    sampler.set_epoch(0)
    assert list(sampler) == [[6, 2], [3, 0]]


def test_distributed_takes_its_rank_from_the_launcher(monkeypatch):
    alone = io.DistributedBatchSampler(range(8), 2)
    assert (alone.nranks, alone.local_rank, alone.num_samples, alone.total_size) == (1, 0, 8, 8)
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "4")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "3")
    launched = io.DistributedBatchSampler(range(8), 2)
    assert (launched.nranks, list(launched)) == (4, [[6, 7]])
    monkeypatch.setenv("PADDLE_TRAINER_ID", "x")
    with pytest.raises(PreconditionError, match="(?s)PADDLE_TRAINER_ID is 'x'.*Fix"):
        io.DistributedBatchSampler(range(8), 2)


@pytest.mark.parametrize(
    ("ranks", "rank", "text"),
    [
        (0, 0, "`num_replicas` is 0"),
        (1.5, 0, "`num_replicas` is 1.5"),
        (2, 2, r"`rank` is 2(?s:.)*\[0, 2\)"),
        (2, -1, "`rank` is -1"),
    ],
)
def test_distributed_refuses_ranks(ranks, rank, text):
    with pytest.raises(InvalidArgumentError, match=f"(?s){text}.*Fix: "):
        io.DistributedBatchSampler(range(8), 2, ranks, rank)
