"""Batch samplers: the order of the indices, cut into batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from itertools import islice
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError

from ._sampler import RandomSampler, Sampler, SequenceSampler, checked_sampler, draw


class BatchSampler(Sampler):
    """Lists of indices, one per batch.

    Args:
        dataset: a dataset with a length; give this or `sampler`.
        sampler: the order of the indices; give this or `dataset`.
        shuffle: whether the dataset is read in a random order; not together with `sampler`.
        batch_size: number of indices in a batch.
        drop_last: whether a last batch with fewer indices is left out.

    Raises:
        InvalidArgumentError: both or none of `dataset` and `sampler`, a bad `batch_size`, or
            `shuffle` with a sampler.
        InvalidTypeError: `sampler` cannot be iterated over, `dataset` has no length, or a flag
            is no bool.

    Examples:
        >>> import proa.io
        >>> list(proa.io.BatchSampler("abcde", batch_size=2))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any = None,
        sampler: Any = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        super().__init__(None)
        if (dataset is None) == (sampler is None):
            given = "neither `dataset` nor `sampler`" if dataset is None else "both of them"
            raise InvalidArgumentError(
                f"BatchSampler was given {given}",
                expected="exactly one of `dataset` and `sampler`",
                fix="write BatchSampler(dataset) or BatchSampler(sampler=...)",
            )
        self.batch_size = checked_batch_size(batch_size)
        self.shuffle = checked_flag(shuffle, "shuffle")
        self.drop_last = checked_flag(drop_last, "drop_last")
        if sampler is None:
            checked_length(dataset)
            sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        elif shuffle:
            raise InvalidArgumentError(
                "BatchSampler was given shuffle=True together with a sampler",
                expected="shuffle=False: the sampler decides the order",
                fix="pass sampler=RandomSampler(dataset), or the dataset instead of the sampler",
            )
        self.sampler = checked_sampler(sampler, "sampler")

    def __len__(self) -> int:
        if not isinstance(self.sampler, Sized):
            raise InvalidTypeError(
                f"the sampler of class {type(self.sampler).__name__} has no length",
                expected="a sampler that knows the number of its indices",
                fix="define __len__ in the sampler",
            )
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole if self.drop_last or not rest else whole + 1

    def follow(self, epoch: int) -> None:
        """Makes `epoch` the one of the next iteration, for the inner sampler as well."""
        super().follow(epoch)
        if isinstance(self.sampler, Sampler):
            self.sampler.follow(epoch)

    def take_requested_epoch(self) -> int | None:
        """Returns the epoch that the user set since the last iteration, and forgets it."""
        inner = getattr(self.sampler, "take_requested_epoch", lambda: None)()
        own = super().take_requested_epoch()
        return inner if own is None else own

    def _shared_order(self) -> Iterator[list[Any]] | None:
        shared = self.sampler._shared_order() if isinstance(self.sampler, Sampler) else None
        return None if shared is None else self._batches(shared)

    def _order(self, seed: int, epoch: int) -> Iterator[list[Any]]:
        return self._batches(draw(self.sampler, seed, epoch))

    def _batches(self, indices: Iterator[Any]) -> Iterator[list[Any]]:
        while batch := list(islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch


class DistributedBatchSampler(BatchSampler):
    """The batches of one rank: all ranks together read the dataset once.

    Batches go to the ranks in turn. So that all ranks have equally many indices, the order is
    continued from its start. A shuffled order depends on the epoch alone, since the ranks of a
    run may well have different seeds, and must have one order.

    Args:
        dataset: a dataset with a length.
        batch_size: number of indices in a batch of one rank.
        num_replicas: number of ranks; `None` for the one of the launched run
            (`PADDLE_TRAINERS_NUM`), 1 without a launcher.
        rank: which rank this is; `None` for that of the launched run (`PADDLE_TRAINER_ID`).
        shuffle: whether the order is random, another one in each epoch.
        drop_last: whether a last batch with fewer indices is left out.

    Raises:
        InvalidArgumentError: `batch_size` or `num_replicas` not positive, or a rank outside.
        InvalidTypeError: `dataset` has no length, or a flag is no bool.

    Examples:
        >>> import proa.io
        >>> ranks = [
        ...     proa.io.DistributedBatchSampler("abcdefgh", 2, num_replicas=2, rank=r)
        ...     for r in range(2)
        ... ]
        >>> [list(rank) for rank in ranks]
        [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset, batch_size=batch_size, drop_last=drop_last)
        self.dataset = dataset
        self.shuffle = checked_flag(shuffle, "shuffle")
        if num_replicas is None:
            num_replicas = _from_launcher("PADDLE_TRAINERS_NUM", 1)
        if rank is None:
            rank = _from_launcher("PADDLE_TRAINER_ID", 0)
        self.nranks = _checked_integer(num_replicas, "num_replicas", 1, None)
        self.local_rank = _checked_integer(rank, "rank", 0, self.nranks)
        self.num_samples = -(-checked_length(dataset) // self.nranks)
        self.total_size = self.num_samples * self.nranks

    @property
    def epoch(self) -> int:
        """The epoch of the next iteration."""
        return self._epoch

    def __len__(self) -> int:
        whole, rest = divmod(self.num_samples, self.batch_size)
        return whole if self.drop_last or not rest else whole + 1

    def _order(self, seed: int, epoch: int) -> Iterator[list[int]]:
        indices = np.arange(len(self.dataset))
        if self.shuffle:
            np.random.RandomState(epoch % 2**32).shuffle(indices)
        indices = np.resize(indices, self.total_size)
        # Whole rounds of one batch per rank, then equal shares of what is left.
        whole = self.total_size - self.total_size % (self.batch_size * self.nranks)
        rounds = indices[:whole].reshape(-1, self.nranks, self.batch_size)
        yield from rounds[:, self.local_rank].tolist()
        rest = indices[whole:].reshape(self.nranks, -1)[self.local_rank].tolist()
        if rest and not self.drop_last:
            yield rest


def checked_batch_size(batch_size: Any) -> int:
    """Returns `batch_size` as an int; refuses what is no positive integer."""
    integer = isinstance(batch_size, int | np.integer) and not isinstance(batch_size, bool)
    if not integer or batch_size <= 0:
        raise InvalidArgumentError(
            f"`batch_size` is {batch_size!r}",
            expected="an integer > 0",
            fix="pass the number of samples of a batch, for example 32",
        )
    return int(batch_size)


def checked_flag(flag: Any, name: str) -> bool:
    """Returns `flag`; refuses what is no bool."""
    if not isinstance(flag, bool | np.bool_):
        raise InvalidTypeError(
            f"`{name}` is {flag!r}", expected="True or False", fix=f"pass {name}=True or False"
        )
    return bool(flag)


def checked_length(dataset: Any) -> int:
    """Returns the length of a dataset; refuses one that has none."""
    try:
        return len(dataset)
    except (TypeError, NotImplementedError) as error:
        raise InvalidTypeError(
            f"`dataset` of class {type(dataset).__name__} has no `__len__`",
            expected="a dataset that knows the number of its samples",
            fix="define __len__(self), derive from IterableDataset, or pass a batch_sampler",
        ) from error


def _from_launcher(variable: str, default: int) -> int:
    text = os.environ.get(variable, "")
    try:
        return int(text) if text else default
    except ValueError as error:
        raise PreconditionError(
            f"the environment variable {variable} is {text!r}",
            expected="an integer, as the launcher sets it",
            fix="unset it, or pass num_replicas and rank",
        ) from error


def _checked_integer(value: Any, name: str, low: int, below: int | None) -> int:
    integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not integer or value < low or (below is not None and value >= below):
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected=f"an integer >= {low}" if below is None else f"an integer in [{low}, {below})",
            fix="pass both num_replicas and rank, or start the run with the launcher",
        )
    return int(value)
