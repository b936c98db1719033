from __future__ import annotations

import numpy as np
import pytest

import proa.io as io
from proa.core import (
    Generator,
    InvalidArgumentError,
    InvalidTypeError,
    UnsupportedError,
    seed,
    set_flags,
    to_tensor,
)
from proa.io._sampler import draw

LETTERS = "abcdefgh"


class Shuffled(io.Sampler):
    """As users write it: draws from NumPy's globals."""

    def __iter__(self):
        return iter(np.random.permutation(6).tolist())


class Doubled(io.RandomSampler):
    def __iter__(self):
        for index in super().__iter__():
            yield index
            yield index


MAKERS = {
    "random": lambda: io.RandomSampler(LETTERS),
    "replacing": lambda: io.RandomSampler(LETTERS, replacement=True, num_samples=20),
    "subset": lambda: io.SubsetRandomSampler([9, 4, 7, 1, 0, 3]),
    "weighted": lambda: io.WeightedRandomSampler([1.0, 2.0, 3.0], 20),
    "batches": lambda: io.BatchSampler(LETTERS, shuffle=True, batch_size=3),
    "users": Shuffled,
    "derived": lambda: Doubled(LETTERS),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_an_order_is_a_function_of_seed_and_epoch(make):
    seed(7)
    order = list(draw(make(), 7, 3))
    np.random.rand(5)
    assert list(draw(make(), 7, 3)) == order
    assert list(draw(make(), 7, 4)) != order


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "users"])
def test_iterations_count_the_epochs_up(name):
    seed(7)
    sampler = MAKERS[name]()
    first, second = list(sampler), list(sampler)
    assert first != second
    sampler.set_epoch(0)
    assert list(sampler) == first
    assert first == list(draw(MAKERS[name](), 7, 0))
    seed(8)
    sampler.set_epoch(0)
    assert list(sampler) != first


def test_a_requested_epoch_is_told_once():
    sampler = io.BatchSampler(sampler=io.RandomSampler(LETTERS), batch_size=2)
    assert sampler.take_requested_epoch() is None
    sampler.sampler.set_epoch(4)
    assert sampler.take_requested_epoch() == 4
    assert sampler.take_requested_epoch() is None


@pytest.mark.parametrize("epoch", [-1, 1.5, "2", True, None])
def test_set_epoch_refuses(epoch):
    with pytest.raises(InvalidArgumentError, match="(?s)`epoch` is .*integer >= 0.*Fix"):
        io.RandomSampler(LETTERS).set_epoch(epoch)


def test_sequence_is_in_order():
    assert list(io.SequenceSampler(LETTERS)) == list(range(8))
    assert len(io.SequenceSampler(LETTERS)) == 8


def test_random_reads_each_index_once():
    sampler = io.RandomSampler(LETTERS)
    assert sorted(sampler) == list(range(8))
    assert all(type(index) is int for index in sampler)
    few = io.RandomSampler(LETTERS, num_samples=3)
    assert (len(few), len(set(few))) == (3, 3)


def test_random_with_replacement_may_have_more():
    sampler = io.RandomSampler(LETTERS, replacement=True, num_samples=50)
    assert (len(sampler), len(list(sampler)), max(sampler) < 8) == (50, 50, True)


def test_random_takes_indices_from_an_iterator():
    # As paddle 3.3.1: in their order, until they end or there are enough.
    assert list(io.RandomSampler(LETTERS, generator=iter([3, 1, 9]))) == [3, 1, 9]
    some = io.RandomSampler(LETTERS, num_samples=2, generator=iter([3, 1, 9]))
    assert (list(some), list(some)) == ([3, 1], [9])


def test_random_takes_a_generator_with_a_seed():
    def order(number):
        return list(io.RandomSampler(LETTERS, generator=Generator().manual_seed(number)))

    seed(1)
    first = order(5)
    seed(2)
    assert (order(5) == first, order(6) == first) == (True, False)


def test_subset_draws_its_indices():
    sampler = io.SubsetRandomSampler([5, 1, 9])
    assert (len(sampler), sorted(sampler)) == (3, [1, 5, 9])


@pytest.mark.parametrize("convert", [list, tuple, np.array, to_tensor])
def test_weights_give_the_frequencies(convert):
    drawn = list(io.WeightedRandomSampler(convert([0.0, 1.0, 3.0]), 4000))
    counts = np.bincount(drawn, minlength=3)
    # Standard deviation of the count: sqrt(4000 * 0.75 * 0.25) = 27.
    assert counts[0] == 0
    assert abs(counts[2] - 3000) < 4 * 27


def test_weights_without_replacement_are_drawn_once():
    sampler = io.WeightedRandomSampler([0, 5, 1, 1], 3, replacement=False)
    assert sorted(sampler) == [1, 2, 3]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: iter(io.Sampler()), UnsupportedError, "Sampler has no `__iter__`"),
        (lambda: io.RandomSampler("abc", num_samples=0), InvalidArgumentError, "`num_samples`"),
        (lambda: io.RandomSampler("abc", num_samples=True), InvalidArgumentError, "True"),
        (lambda: io.RandomSampler("abc", num_samples=4), InvalidArgumentError, "4 for a dataset"),
        (lambda: io.RandomSampler("abc", replacement=1), InvalidTypeError, "`replacement`"),
        (lambda: io.RandomSampler("abc", generator=3), InvalidTypeError, "`generator` .* a int"),
        (lambda: io.SubsetRandomSampler([]), InvalidArgumentError, "`indices` .* is empty"),
        (lambda: io.WeightedRandomSampler([1.0], 0), InvalidArgumentError, "`num_samples`"),
        (lambda: io.WeightedRandomSampler([1, -1], 1), InvalidArgumentError, "negative value -1"),
        (lambda: io.WeightedRandomSampler([0, 0], 1), InvalidArgumentError, "are all zero"),
        (lambda: io.WeightedRandomSampler([], 1), InvalidArgumentError, "there are none"),
        (lambda: io.WeightedRandomSampler([1, np.inf], 1), InvalidArgumentError, "NaN or Inf"),
        (lambda: io.WeightedRandomSampler(np.ones((2, 2)), 1), InvalidArgumentError, r"\[2, 2\]"),
        (lambda: io.WeightedRandomSampler("ab", 1), InvalidTypeError, "is a str"),
        (lambda: io.WeightedRandomSampler(["x"], 1), InvalidTypeError, "read as numbers"),
        (lambda: io.WeightedRandomSampler([1], 1, 1), InvalidTypeError, "`replacement`"),
        (
            lambda: io.WeightedRandomSampler([1, 0], 2, False),
            InvalidArgumentError,
            "is 2, and 1 weights",
        ),
    ],
)
def test_samplers_refuse(make, error, text):
    with pytest.raises(error, match=f"(?s){text}.*Expected: .*Fix: "):
        make()


def test_with_paddles_stream_the_order_follows_numpy():
    set_flags({"FLAGS_paddle_random": True})
    try:
        np.random.seed(3)
        assert list(io.RandomSampler(range(10))) == [5, 4, 1, 2, 9, 6, 7, 0, 3, 8]
        assert list(io.RandomSampler(range(10), True, 5)) == [5, 7, 6, 0, 4]
    finally:
        set_flags({"FLAGS_paddle_random": False})


def test_with_paddles_stream_loaders_keep_their_own_order():
    wanted = [batch.tolist() for batch in io.DataLoader(range(10), batch_size=5, shuffle=True)]
    set_flags({"FLAGS_paddle_random": True})
    try:
        np.random.seed(3)
        found = [batch.tolist() for batch in io.DataLoader(range(10), batch_size=5, shuffle=True)]
        seed(11)
        assert list(io.SubsetRandomSampler([3, 5, 7, 9])) == [5, 7, 3, 9]
        seed(11)
        parts = io.random_split(range(10), [4, 6])
        assert [list(part) for part in parts] == [[9, 2, 4, 3], [6, 1, 0, 5, 7, 8]]
        np.random.seed(11)
        assert list(io.WeightedRandomSampler([1.0, 2.0, 3.0, 4.0], 6)) == [1, 0, 2, 3, 2, 2]
        np.random.seed(11)
        batches = list(io.BatchSampler(sampler=io.RandomSampler(range(7)), batch_size=3))
        assert batches == [[2, 5, 4], [6, 3, 0], [1]]
    finally:
        set_flags({"FLAGS_paddle_random": False})
    assert found == wanted
