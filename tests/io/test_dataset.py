from __future__ import annotations

import numpy as np
import pytest

import proa.io as io
from proa.core import (
    Generator,
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    Tensor,
    UnsupportedError,
    seed,
    to_tensor,
)


class Range(io.Dataset):
    def __init__(self, length, start=0):
        self.length, self.start = length, start

    def __getitem__(self, index):
        return self.start + index

    def __len__(self):
        return self.length


class Letters(io.IterableDataset):
    def __iter__(self):
        return iter("ab")


class Empty(io.IterableDataset):
    pass


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: io.Dataset()[0], UnsupportedError, "Dataset has no `__getitem__`"),
        (lambda: len(io.Dataset()), UnsupportedError, "Dataset has no `__len__`"),
        (lambda: Letters()[3], UnsupportedError, "Letters was asked for sample 3"),
        (lambda: len(Letters()), InvalidTypeError, "Letters has no length"),
        (lambda: iter(Empty()), UnsupportedError, "Empty has no `__iter__`"),
    ],
)
def test_bases_say_what_to_define(call, error, text):
    with pytest.raises(error, match=f"(?s){text}.*Expected: .*Fix: "):
        call()


def test_list_takes_a_stream():
    assert list(Letters()) == ["a", "b"]


def test_tensor_dataset_gives_rows():
    x, y = np.arange(6).reshape(3, 2), to_tensor(np.array([1.5, 2.5, 3.5], "float32"))
    data = io.TensorDataset([x, y])
    assert len(data) == 3
    row = data[-1]
    assert isinstance(row, tuple)
    assert row[0].tolist() == [4, 5]


def test_loader_reads_a_tensor_dataset_as_arrays():
    host = io.TensorDataset([to_tensor(np.arange(4)), np.arange(4) * 2])._on_host()
    assert [type(array) for array in host.tensors] == [np.ndarray, np.ndarray]
    assert [part.tolist() for part in host._gather([3, 1])] == [[3, 1], [6, 2]]
    nested = io.ConcatDataset([io.Subset(host, [2, 0]), host])._on_host()
    assert not nested._draws
    assert not isinstance(nested[0][0], Tensor)


@pytest.mark.parametrize(
    ("tensors", "error", "text"),
    [
        ([], InvalidArgumentError, "`tensors` is empty"),
        ([[1, 2]], InvalidTypeError, r"`tensors\[0\]` is a list"),
        ([np.zeros((3, 2)), np.zeros(2)], InvalidArgumentError, r"shapes \[\[3, 2\], \[2\]\]"),
        ([np.zeros(())], InvalidArgumentError, r"shapes \[\[\]\]"),
    ],
)
def test_tensor_dataset_refuses(tensors, error, text):
    with pytest.raises(error, match=f"(?s){text}.*Expected: .*Fix: "):
        io.TensorDataset(tensors)


def test_compose_joins_fields():
    pairs = io.TensorDataset([np.arange(3), np.arange(3) * 10])
    sample = io.ComposeDataset([pairs, Range(3, 100)])[2]
    assert [int(field) for field in sample] == [2, 20, 102]
    assert len(io.ComposeDataset([pairs])) == 3


def test_chain_reads_streams_one_after_the_other():
    chained = io.ChainDataset([Letters(), Letters()])
    assert list(chained) == list(chained) == ["a", "b", "a", "b"]


def test_concat_finds_the_member_of_an_index():
    joined = io.ConcatDataset([Range(2), Range(0), Range(3, 10)])
    assert joined.cumulative_sizes == [2, 2, 5]
    assert [joined[i] for i in range(5)] == [0, 1, 10, 11, 12]
    assert [joined[-1], joined[-5]] == [12, 0]


@pytest.mark.parametrize("index", [5, -6])
def test_concat_refuses_an_index_outside(index):
    joined = io.ConcatDataset([Range(2), Range(3)])
    with pytest.raises(OutOfRangeError, match=rf"index {index} of a .*5 samples(?s:.)*\[-5, 5\)"):
        joined[index]


JOINED = [io.ComposeDataset, io.ConcatDataset, io.ChainDataset]


@pytest.mark.parametrize("kind", JOINED)
def test_joined_datasets_refuse_nothing(kind):
    with pytest.raises(InvalidArgumentError, match=f"(?s){kind.__name__} is empty.*Expected"):
        kind([])


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (io.ComposeDataset, Letters()),
        (io.ConcatDataset, Letters()),
        (io.ConcatDataset, [1, 2]),
        (io.ChainDataset, Range(2)),
    ],
)
def test_joined_datasets_refuse_other_kinds(kind, wrong):
    text = rf"(?s)`datasets\[0\]` of {kind.__name__} is of class {type(wrong).__name__}.*Fix"
    with pytest.raises(InvalidTypeError, match=text):
        kind([wrong])


@pytest.mark.parametrize("kind", JOINED)
def test_joined_datasets_want_a_list(kind):
    with pytest.raises(InvalidTypeError, match=f"(?s)`datasets` of {kind.__name__} is a int.*Fix"):
        kind(3)


def test_compose_refuses_other_lengths():
    with pytest.raises(InvalidArgumentError, match=r"(?s)lengths \[3, 4\].*equal lengths.*Subset"):
        io.ComposeDataset([Range(3), Range(4)])


def test_subset_maps_indices():
    subset = io.Subset(Range(10), [7, 2, 5])
    assert (len(subset), [subset[i] for i in range(3)], subset[-1]) == (3, [7, 2, 5], 5)


# Sizes for fractions: what paddle 3.3.1 gives.
@pytest.mark.parametrize(
    ("total", "lengths", "sizes"),
    [
        (10, [3, 7], [3, 7]),
        (10, [0.25, 0.75], [3, 7]),
        (11, [0.3, 0.3, 0.4], [4, 3, 4]),
        (100, [0.29, 0.71], [29, 71]),
        (1, [1, 0], [1, 0]),
        (5, [1.0], [5]),
    ],
)
def test_random_split_covers_the_dataset_once(total, lengths, sizes):
    parts = io.random_split(Range(total), lengths)
    assert [len(part) for part in parts] == sizes
    assert sorted(i for part in parts for i in part.indices) == list(range(total))


def _order(generator=None):
    return io.random_split(Range(20), [20], generator)[0].indices


def test_random_split_depends_on_the_seed_alone():
    seed(3)
    first = _order()
    np.random.rand(7)
    assert _order() == first
    seed(4)
    assert _order() != first
    assert _order(Generator().manual_seed(3)) == _order(3) == first
    assert _order(np.random.default_rng(0)) == _order(np.random.default_rng(0)) != first


@pytest.mark.parametrize(
    "lengths", [[3, 3], [0.3, 0.3], [1.5, -0.5], [], [11, -1], ["a"], [2.5, 7.5]]
)
def test_random_split_refuses_lengths(lengths):
    with pytest.raises(InvalidArgumentError, match=r"(?s)`lengths` is .*10 samples.*sum 10.*Fix"):
        io.random_split(Range(10), lengths)


def test_random_split_refuses_a_generator():
    with pytest.raises(InvalidTypeError, match="(?s)`generator` is a str.*proa.seed"):
        io.random_split(Range(4), [2, 2], "seed")
