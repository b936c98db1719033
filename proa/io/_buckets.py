"""Lengths in buckets: a few padded sizes instead of one compiled shape for each length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, OutOfRangeError, Tensor, to_tensor
from proa.ops import (
    arange,
    cast,
    divide,
    expand_as,
    less_than,
    reshape,
    unsqueeze,
    where,
    zeros_like,
)
from proa.ops import sum as total

from ._batch_sampler import BatchSampler
from ._collate import default_collate_fn


class LengthBuckets:
    """Pads sequences to one of a few lengths, and says how long they were.

    It is the `collate_fn` of a `DataLoader` (and so of `Model.fit`), and wraps a predictor.

    Args:
        sizes: the lengths to pad to, ascending; `None` for powers of two.
        fields: positions of a sample's fields that are sequences along their first axis; all
            of one sample have one length.
        pad_value: what is filled in; it is cast to the dtype of the field.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> buckets = proa.io.LengthBuckets([4, 8])
        >>> words, lengths, labels = buckets([(numpy.arange(3), 0), (numpy.arange(2), 1)])
        >>> words.tolist(), lengths.tolist(), labels.tolist()
        ([[0, 1, 2, 0], [0, 1, 0, 0]], [3, 2], [0, 1])
    """

    def __init__(
        self,
        sizes: Sequence[int] | None = None,
        *,
        fields: Sequence[int] = (0,),
        pad_value: Any = 0,
    ) -> None:
        self.sizes = None if sizes is None else [int(size) for size in sizes]
        if self.sizes is not None and (
            not self.sizes or self.sizes != sorted({*self.sizes}) or self.sizes[0] < 1
        ):
            raise InvalidArgumentError(
                f"`sizes` is {sizes!r}"[:200],
                expected="ascending positive lengths, such as [32, 64, 128]",
                fix="sort them, each once; leave it out for powers of two",
            )
        self.fields, self.pad_value = tuple(fields), pad_value

    def size_of(self, length: int) -> int:
        """Returns the length that a sequence is padded to.

        Raises:
            OutOfRangeError: it is longer than the largest.
        """
        if self.sizes is None:
            return 1 << max(int(length) - 1, 0).bit_length()
        for size in self.sizes:
            if length <= size:
                return size
        raise OutOfRangeError(
            f"a sequence of length {length}",
            expected=f"at most {self.sizes[-1]}, the largest bucket",
            fix="add a larger size, or cut the sequence",
        )

    def pad(self, arrays: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Pads sequences to the bucket of the longest.

        Args:
            arrays: one per sequence, of shape [length, ...].

        Returns:
            All of them [len(arrays), size, ...], and their lengths, int64 [len(arrays)].
        """
        items = [a.numpy() if isinstance(a, Tensor) else np.asarray(a) for a in arrays]
        like = items[0] if items else np.zeros([])
        if (
            any(item.ndim < 1 or item.shape[1:] != like.shape[1:] for item in items)
            or not like.ndim
        ):
            raise InvalidArgumentError(
                f"sequences of shapes {[item.shape for item in items][:4]}",
                expected="at least one, all alike but for their first axis",
                fix="check the dataset, and which fields are sequences",
            )
        lengths = np.asarray([len(item) for item in items], np.int64)
        shape = (len(items), self.size_of(int(lengths.max())), *items[0].shape[1:])
        padded = np.full(shape, self.pad_value, items[0].dtype)
        for row, item in zip(padded, items, strict=True):
            row[: len(item)] = item
        return padded, lengths

    def __call__(self, batch: Sequence[Any]) -> list[Any]:
        """Makes a batch of samples: their fields, with the lengths after the last sequence."""
        samples = [s if isinstance(s, tuple | list) else (s,) for s in batch]
        made: list[Any] = []
        for position, values in enumerate(zip(*samples, strict=True)):
            if position not in self.fields:
                made.append(default_collate_fn(values))
                continue
            padded, lengths = self.pad(values)
            made.append(padded)
            if position == max(self.fields):
                made.append(lengths)
        return made

    def wrap(
        self, function: Callable[..., Any], axis: int = 1, outputs: Sequence[int] = (0,)
    ) -> Callable[..., Any]:
        """Returns a function of whole sequences, for one that takes padded ones and lengths.

        A predictor compiled for a few lengths so answers for all: what comes out is cut to the
        length that came in.

        Args:
            function: `(padded, lengths) -> array, or a list or tuple of arrays`.
            axis: the axis of the sequence, in what goes in and comes out.
            outputs: which of the results are sequences; others are handed on.

        Examples:
            >>> import numpy
            >>> import proa.io
            >>> double = proa.io.LengthBuckets([4, 8]).wrap(lambda x, lengths: x * 2)
            >>> double(numpy.ones([1, 3])).tolist()
            [[2.0, 2.0, 2.0]]
        """

        def run(array: Any) -> Any:
            given = array.numpy() if isinstance(array, Tensor) else np.asarray(array)
            length = given.shape[axis]
            size = self.size_of(length)
            widths = [(0, size - length if i == axis else 0) for i in range(given.ndim)]
            padded = np.pad(given, widths, constant_values=self.pad_value)
            made = function(padded, np.full([given.shape[0]], length, np.int64))
            results = list(made) if isinstance(made, list | tuple) else [made]
            for position in outputs:
                results[position] = results[position][(slice(None),) * axis + (slice(length),)]
            return results if isinstance(made, list | tuple) else results[0]

        return run


class LengthBucketSampler(BatchSampler):
    """Makes batches of samples whose lengths fall into the same bucket.

    Args:
        lengths: the length of each sample.
        batch_size: samples per batch.
        buckets: the buckets.
        shuffle: go through the samples in a random order, another one in each epoch.
        drop_last: leave out the batch of each bucket that is not full.

    Examples:
        >>> import proa.io
        >>> buckets = proa.io.LengthBuckets([4, 8])
        >>> list(proa.io.LengthBucketSampler([3, 7, 2, 8, 4], 2, buckets))
        [[0, 2], [1, 3], [4]]
    """

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: int,
        buckets: LengthBuckets,
        *,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        super().__init__(range(len(lengths)), None, shuffle, batch_size, drop_last)
        self._sizes = [buckets.size_of(int(length)) for length in lengths]

    def _batches(self, indices: Iterator[Any]) -> Iterator[list[Any]]:
        waiting: dict[int, list[int]] = defaultdict(list)
        for index in indices:
            size = self._sizes[index]
            waiting[size].append(int(index))
            if len(waiting[size]) == self.batch_size:
                yield waiting.pop(size)
        if not self.drop_last:
            yield from waiting.values()

    def __len__(self) -> int:
        counts = Counter(self._sizes).values()
        if self.drop_last:
            return sum(count // self.batch_size for count in counts)
        return sum(-(-count // self.batch_size) for count in counts)


def masked_mean(values: Tensor, lengths: Any) -> Tensor:
    """The mean over the elements of sequences that count.

    Args:
        values: [batch, size, ...], such as the loss of each position.
        lengths: int64 [batch], how many positions of each row count.

    Returns:
        A 0-d tensor: what the mean over the unpadded sequences would be.

    Examples:
        >>> import proa
        >>> losses = proa.to_tensor([[1.0, 3.0, 9.0], [5.0, 9.0, 9.0]])
        >>> proa.io.masked_mean(losses, proa.to_tensor([2, 1])).item()
        3.0
    """
    lengths = lengths if isinstance(lengths, Tensor) else to_tensor(lengths)
    positions = arange(values._data.shape[1])
    counts: Any = less_than(unsqueeze(positions, 0), unsqueeze(lengths, 1))
    counts = reshape(counts, [*counts.shape, *[1] * (values.ndim - 2)])
    kept = where(counts, values, zeros_like(values))
    weights = cast(expand_as(counts, values), values.dtype)
    return divide(total(kept), total(weights))
