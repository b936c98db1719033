"""Datasets: what a sample is, and datasets made of others."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np

from proa.core import (
    Generator,
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    Tensor,
    UnsupportedError,
    default_seed,
    host_stream,
)

from ._random import make_generator


class Dataset:
    """A map from an index to a sample: the base class of datasets.

    Subclasses define `__getitem__(index)` and `__len__()`.

    Examples:
        >>> import proa.io
        >>> class Squares(proa.io.Dataset):
        ...     def __getitem__(self, index):
        ...         return index * index
        ...     def __len__(self):
        ...         return 5
        >>> Squares()[3], len(Squares())
        (9, 5)
    """

    #: Whether reading may draw random numbers, so that they must be seeded before each sample.
    _draws: bool = True

    def __getitem__(self, index: Any) -> Any:
        raise UnsupportedError(
            f"{type(self).__name__} has no `__getitem__`",
            expected="a dataset that returns the sample of an index",
            fix="define __getitem__(self, index), or derive from IterableDataset",
        )

    def __len__(self) -> int:
        raise UnsupportedError(
            f"{type(self).__name__} has no `__len__`",
            expected="a dataset that knows the number of its samples",
            fix="define __len__(self), or derive from IterableDataset",
        )

    def _on_host(self) -> Dataset:
        """The same dataset with NumPy arrays in place of tensors: what the loader reads."""
        return self

    def _gather(self, indices: list[int]) -> list[Any] | None:
        """The collated batch of these samples, where that is faster than one by one."""
        return None


class IterableDataset(Dataset):
    """A stream of samples: the base class of datasets that are read in order only.

    Subclasses define `__iter__()`. With several workers each one iterates over a copy of its
    own; `proa.io.get_worker_info()` tells it which share is its.

    Examples:
        >>> import proa.io
        >>> class Countdown(proa.io.IterableDataset):
        ...     def __iter__(self):
        ...         return iter([3, 2, 1])
        >>> list(Countdown())
        [3, 2, 1]
    """

    def __iter__(self) -> Iterator[Any]:
        raise UnsupportedError(
            f"{type(self).__name__} has no `__iter__`",
            expected="an IterableDataset that yields its samples",
            fix="define __iter__(self)",
        )

    def __getitem__(self, index: Any) -> Any:
        raise UnsupportedError(
            f"{type(self).__name__} was asked for sample {index!r}",
            expected="iteration: an IterableDataset has no index",
            fix="iterate over it, or derive from Dataset",
        )

    def __len__(self) -> int:
        # A TypeError, so that list() takes the stream without a hint of its length.
        raise InvalidTypeError(
            f"{type(self).__name__} has no length",
            expected="iteration: the length of a stream is not known",
            fix="count while iterating, or define __len__(self)",
        )


def _checked_members(datasets: Any, owner: str, *, streams: bool) -> list[Any]:
    if isinstance(datasets, str) or not isinstance(datasets, Iterable):
        raise InvalidTypeError(
            f"`datasets` of {owner} is a {type(datasets).__name__}",
            expected="a list of datasets",
            fix=f"write {owner}([first, second])",
        )
    members = list(datasets)
    if not members:
        raise InvalidArgumentError(
            f"`datasets` of {owner} is empty",
            expected="at least one dataset",
            fix="check how the list is built",
        )
    for position, member in enumerate(members):
        if isinstance(member, IterableDataset) is streams and isinstance(member, Dataset):
            continue
        wanted, other = ("IterableDataset", "ConcatDataset")
        if not streams:
            wanted, other = ("Dataset with an index", "ChainDataset")
        raise InvalidTypeError(
            f"`datasets[{position}]` of {owner} is of class {type(member).__name__}",
            expected=f"an instance of a {wanted}",
            fix=f"derive it from that class, or join it with {other}",
        )
    return members


class TensorDataset(Dataset):
    """Samples are the rows of tensors: sample `i` is `(tensors[0][i], tensors[1][i], ...)`.

    Args:
        tensors: Tensors or NumPy arrays, all of the same first dimension.

    Raises:
        InvalidArgumentError: no tensor, a 0-d one, or first dimensions that differ.
        InvalidTypeError: something that is no tensor.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> data = proa.io.TensorDataset([numpy.zeros((3, 2)), numpy.arange(3)])
        >>> len(data), int(data[2][1])
        (3, 2)
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.tensors = list(tensors)
        if not self.tensors:
            raise InvalidArgumentError(
                "`tensors` is empty", expected="at least one tensor", fix="pass [x] or [x, y]"
            )
        for position, tensor in enumerate(self.tensors):
            if not isinstance(tensor, Tensor | np.ndarray):
                raise InvalidTypeError(
                    f"`tensors[{position}]` is a {type(tensor).__name__}",
                    expected="a Tensor or a NumPy array",
                    fix="convert it: proa.to_tensor(...)",
                )
        shapes = [tuple(tensor.shape) for tensor in self.tensors]
        if not all(shapes) or len({shape[0] for shape in shapes}) > 1:
            raise InvalidArgumentError(
                f"`tensors` have the shapes {[list(shape) for shape in shapes]}",
                expected="the same first dimension for all: the number of samples",
                fix="cut or transpose them so that axis 0 counts the samples",
            )

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

    def _on_host(self) -> Dataset:
        # A subclass may call methods of Tensor on them, so it keeps what it has.
        if type(self) is not TensorDataset:
            return self
        arrays = [t.numpy() if isinstance(t, Tensor) else t for t in self.tensors]
        twin = _HostArrays(arrays)
        twin._draws = False
        return twin


class _HostArrays(TensorDataset):
    """What the loader reads of a TensorDataset: NumPy arrays alone."""

    def _gather(self, indices: list[int]) -> list[Any] | None:
        return [array[indices] for array in self.tensors]


class ComposeDataset(Dataset):
    """Joins datasets side by side: sample `i` is the fields of all their samples `i`.

    Args:
        datasets: datasets of equal length.

    Raises:
        InvalidArgumentError: no dataset, or lengths that differ.
        InvalidTypeError: a member that is no dataset with an index.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> x = proa.io.TensorDataset([numpy.arange(3)])
        >>> y = proa.io.TensorDataset([numpy.arange(3) * 10])
        >>> [int(field) for field in proa.io.ComposeDataset([x, y])[2]]
        [2, 20]
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = _checked_members(datasets, "ComposeDataset", streams=False)
        lengths = [len(dataset) for dataset in self.datasets]
        if len(set(lengths)) > 1:
            raise InvalidArgumentError(
                f"`datasets` of ComposeDataset have the lengths {lengths}",
                expected="equal lengths",
                fix="cut them with Subset, or append them with ConcatDataset",
            )

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        fields: list[Any] = []
        for dataset in self.datasets:
            sample = dataset[index]
            fields.extend(sample if isinstance(sample, list | tuple) else [sample])
        return tuple(fields)

    def __len__(self) -> int:
        return len(self.datasets[0])

    def _on_host(self) -> Dataset:
        return _rebuilt(self, ComposeDataset)


class ChainDataset(IterableDataset):
    """Joins streams one after the other.

    Args:
        datasets: instances of `IterableDataset`.

    Raises:
        InvalidArgumentError: no dataset.
        InvalidTypeError: a member that is no `IterableDataset`.

    Examples:
        >>> import proa.io
        >>> class Pair(proa.io.IterableDataset):
        ...     def __iter__(self):
        ...         return iter("ab")
        >>> list(proa.io.ChainDataset([Pair(), Pair()]))
        ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Iterable[IterableDataset]) -> None:
        self.datasets = _checked_members(datasets, "ChainDataset", streams=True)

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.datasets)


class ConcatDataset(Dataset):
    """Joins datasets one after the other, by index.

    Args:
        datasets: datasets with an index and a length.

    Raises:
        InvalidArgumentError: no dataset.
        InvalidTypeError: a member that is no dataset with an index.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> part = proa.io.TensorDataset([numpy.arange(3)])
        >>> both = proa.io.ConcatDataset([part, part])
        >>> len(both), int(both[4][0]), int(both[-1][0])
        (6, 1, 2)
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = _checked_members(datasets, "ConcatDataset", streams=False)
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Returns the running sum of the lengths of the datasets in `sequence`."""
        return list(accumulate(len(dataset) for dataset in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: Any) -> Any:
        length = len(self)
        if not -length <= index < length:
            raise OutOfRangeError(
                f"index {index} of a ConcatDataset with {length} samples",
                expected=f"an index in [{-length}, {length})",
                fix="check the sampler, or the lengths of the joined datasets",
            )
        position = index % length
        member = bisect_right(self.cumulative_sizes, position)
        start = self.cumulative_sizes[member - 1] if member else 0
        return self.datasets[member][position - start]

    def _on_host(self) -> Dataset:
        return _rebuilt(self, ConcatDataset)


def _rebuilt(joined: Any, kind: type) -> Any:
    if type(joined) is not kind:
        return joined
    twin = kind([dataset._on_host() for dataset in joined.datasets])
    twin._draws = any(dataset._draws for dataset in twin.datasets)
    return twin


class Subset(Dataset):
    """The samples of a dataset at some indices, in that order.

    Args:
        dataset: a dataset with an index.
        indices: indices into it (int), one per sample of the subset.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> data = proa.io.TensorDataset([numpy.arange(10)])
        >>> few = proa.io.Subset(data, [7, 2])
        >>> len(few), int(few[0][0])
        (2, 7)
    """

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)

    def _on_host(self) -> Dataset:
        if type(self) is not Subset or not isinstance(self.dataset, Dataset):
            return self
        twin = Subset(self.dataset._on_host(), self.indices)
        twin._draws = twin.dataset._draws
        return twin

    def _gather(self, indices: list[int]) -> list[Any] | None:
        if type(self) is not Subset or not isinstance(self.dataset, Dataset):
            return None
        return self.dataset._gather([self.indices[index] for index in indices])


def random_split(dataset: Dataset, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Splits a dataset at random into parts that do not overlap.

    Args:
        dataset: the dataset to split.
        lengths: number of samples of each part (int), or fractions (float) with sum 1; what
            rounding down leaves over goes to the first parts, one sample each.
        generator: decides the split: a `proa` Generator (its initial seed counts), a
            `numpy.random.Generator` or an int. `None` takes the run's seed, so that a script
            with `proa.seed` splits in the same way each time.

    Returns:
        One `Subset` per length.

    Raises:
        InvalidArgumentError: lengths that do not add up, negative ones, or bad fractions.
        InvalidTypeError: a generator of another type.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> data = proa.io.TensorDataset([numpy.arange(10)])
        >>> [len(part) for part in proa.io.random_split(data, [0.75, 0.25])]
        [8, 2]
    """
    counts = _split_counts(len(dataset), list(lengths))
    stream = host_stream() if generator is None else None
    order = (stream or _split_generator(generator)).permutation(len(dataset)).tolist()
    ends = list(accumulate(counts))
    return [
        Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)
    ]


def _split_counts(total: int, lengths: list[Any]) -> list[int]:
    numeric = all(isinstance(x, int | float | np.number) for x in lengths)
    bad = not lengths or not numeric or any(not x >= 0 for x in lengths)
    if not bad and math.isclose(sum(lengths), 1) and sum(lengths) <= 1 + 1e-9 and total != 1:
        counts = [math.floor(total * fraction + 1e-9) for fraction in lengths]
        for position in range(total - sum(counts)):
            counts[position % len(counts)] += 1
        return counts
    if bad or sum(lengths) != total or any(int(x) != x for x in lengths):
        raise InvalidArgumentError(
            f"`lengths` is {lengths} for a dataset of {total} samples",
            expected=f"non-negative integers with sum {total}, or fractions with sum 1",
            fix="correct the last length, or pass fractions such as [0.8, 0.2]",
        )
    return [int(x) for x in lengths]


def _split_generator(generator: Any) -> np.random.Generator:
    if isinstance(generator, np.random.Generator):
        return generator
    if isinstance(generator, Generator):
        return make_generator(generator.initial_seed(), "split")
    if generator is None:
        return make_generator(default_seed(), "split")
    if isinstance(generator, int | np.integer):
        return make_generator(int(generator), "split")
    raise InvalidTypeError(
        f"`generator` is a {type(generator).__name__}",
        expected="a proa Generator, a numpy.random.Generator, an int or None",
        fix="leave it out and set the run's seed with proa.seed(...)",
    )
