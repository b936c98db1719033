"""Samplers: the order in which the samples of a dataset are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from proa.core import (
    Generator,
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    UnsupportedError,
    default_seed,
    host_stream,
)

from ._random import isolated, make_generator


class Sampler:
    """An order of indices: the base class of samplers.

    Subclasses define `__iter__()`, and `__len__()` when the number of indices is known. What
    they draw from `random` or `numpy.random` is seeded by the run's seed and the epoch while a
    `DataLoader` iterates over them.

    Args:
        data_source: the dataset to sample from; kept as an attribute.

    Examples:
        >>> import proa.io
        >>> class Backwards(proa.io.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(len(self.data_source) - 1, -1, -1))
        ...     def __len__(self):
        ...         return len(self.data_source)
        >>> list(Backwards("abc"))
        [2, 1, 0]
    """

    _epoch = 0
    #: The epoch of the last `set_epoch`, until an iteration has used it.
    _requested: int | None = None

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        if host_stream() is not None and (shared := self._shared_order()) is not None:
            return shared
        requested = self.take_requested_epoch()
        epoch = self._epoch if requested is None else requested
        self._epoch = epoch + 1
        return self._order(default_seed(), epoch)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next iteration, on which a shuffled order depends.

        Args:
            epoch: integer, 0 for the first epoch; each iteration counts it up by itself.

        Raises:
            InvalidArgumentError: not a non-negative integer.
        """
        self._epoch = self._requested = checked_epoch(epoch)

    def follow(self, epoch: int) -> None:
        """Makes `epoch` the one of the next iteration, as the loop that reads it wishes."""
        self._epoch = epoch

    def take_requested_epoch(self) -> int | None:
        """Returns the epoch that the user set since the last iteration, and forgets it."""
        requested, self._requested = self._requested, None
        return requested

    def _shared_order(self) -> Iterator[Any] | None:
        """Paddle's order, drawn from streams that the whole program shares; `None` for others.

        It is that of a sampler that is iterated by itself. A loader's order stays a function
        of seed and epoch, or a run could not be resumed.
        """
        return None

    def _order(self, seed: int, epoch: int) -> Iterator[Any]:
        """The order as a pure function of the run's seed and the epoch."""
        raise UnsupportedError(
            f"{type(self).__name__} has no `__iter__`",
            expected="a sampler that yields indices",
            fix="define __iter__(self)",
        )


def checked_epoch(epoch: Any) -> int:
    """Returns `epoch` as an int; refuses what is no non-negative integer."""
    if isinstance(epoch, bool) or not isinstance(epoch, int | np.integer) or epoch < 0:
        raise InvalidArgumentError(
            f"`epoch` is {epoch!r}",
            expected="an integer >= 0",
            fix="pass the number of the epoch, 0 for the first",
        )
    return int(epoch)


def draw(source: Any, seed: int, epoch: int) -> Iterator[Any]:
    """Iterates over a sampler as a pure function of `seed` and `epoch`."""
    if isinstance(source, Sampler) and type(source).__iter__ in PURE_ITERATIONS:
        return source._order(seed, epoch)
    if isinstance(source, Sampler):
        # It may call `super().__iter__()`, which is to see this epoch as well.
        source.follow(epoch)
    return isolated(lambda: source, seed, epoch, "sampler")


#: `__iter__` methods that do nothing but `_order` of the next epoch.
PURE_ITERATIONS = [Sampler.__iter__]


def _checked_count(num_samples: Any, owner: str) -> int:
    integer = isinstance(num_samples, int | np.integer) and not isinstance(num_samples, bool)
    if not integer or num_samples <= 0:
        raise InvalidArgumentError(
            f"`num_samples` of {owner} is {num_samples!r}",
            expected="an integer > 0",
            fix="pass how many indices an epoch shall have",
        )
    return int(num_samples)


def _checked_replacement(replacement: Any, owner: str) -> bool:
    if not isinstance(replacement, bool):
        raise InvalidTypeError(
            f"`replacement` of {owner} is {replacement!r}",
            expected="True or False",
            fix="pass True to allow an index several times in an epoch",
        )
    return replacement


class SequenceSampler(Sampler):
    """Indices `0, 1, 2, ...` in order.

    Args:
        data_source: a dataset with a length.

    Examples:
        >>> import proa.io
        >>> list(proa.io.SequenceSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        super().__init__(data_source)

    def __len__(self) -> int:
        return len(self.data_source)

    def _order(self, seed: int, epoch: int) -> Iterator[int]:
        return iter(range(len(self.data_source)))


class RandomSampler(Sampler):
    """Indices in an order drawn at random, another one in each epoch.

    The order depends on nothing but the run's seed (`proa.seed`), the epoch and the length.

    Args:
        data_source: a dataset with a length.
        replacement: whether an index may come several times in an epoch.
        num_samples: indices per epoch; `None` for as many as the dataset has.
        generator: a `proa` Generator, whose initial seed replaces the run's seed, or an iterator
            over indices, which is taken as it is. `None` for the run's seed.

    Raises:
        InvalidArgumentError: `num_samples` is not positive, or too large without replacement.
        InvalidTypeError: `replacement` is no bool, or `generator` is of another type.

    Examples:
        >>> import proa.io
        >>> sampler = proa.io.RandomSampler("abcde")
        >>> sorted(sampler), list(sampler) == list(sampler)
        ([0, 1, 2, 3, 4], False)
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement = _checked_replacement(replacement, "RandomSampler")
        if num_samples is not None:
            num_samples = _checked_count(num_samples, "RandomSampler")
            if not replacement and num_samples > len(data_source):
                raise InvalidArgumentError(
                    f"`num_samples` of RandomSampler is {num_samples} for a dataset of "
                    f"{len(data_source)} samples",
                    expected="at most the length of the dataset when replacement is False",
                    fix="lower it, or pass replacement=True",
                )
        if not isinstance(generator, Generator | Iterator | None):
            raise InvalidTypeError(
                f"`generator` of RandomSampler is a {type(generator).__name__}",
                expected="a proa Generator, an iterator over indices, or None",
                fix="leave it out and set the run's seed with proa.seed(...)",
            )
        self._num_samples = num_samples
        self.generator = generator

    @property
    def num_samples(self) -> int:
        """Number of indices in an epoch."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __len__(self) -> int:
        return self.num_samples

    def _shared_order(self) -> Iterator[int] | None:
        if self.generator is not None:
            return None
        total = len(self.data_source)
        drawn = np.random.choice(total, self.num_samples, replace=self.replacement)
        return iter(drawn.tolist())

    def _order(self, seed: int, epoch: int) -> Iterator[int]:
        if isinstance(self.generator, Iterator):
            taken = zip(range(self.num_samples), self.generator, strict=False)
            return (index for _, index in taken)
        if self.generator is not None:
            seed = self.generator.initial_seed()
        rng, total = make_generator(seed, epoch, "shuffle"), len(self.data_source)
        if self.replacement:
            return iter(rng.integers(total, size=self.num_samples).tolist())
        return iter(rng.permutation(total)[: self.num_samples].tolist())


class SubsetRandomSampler(Sampler):
    """Given indices in an order drawn at random, another one in each epoch.

    Args:
        indices: the indices (int) to draw from, without replacement.

    Raises:
        InvalidArgumentError: there is no index.

    Examples:
        >>> import proa.io
        >>> sorted(proa.io.SubsetRandomSampler([4, 9, 7]))
        [4, 7, 9]
    """

    def __init__(self, indices: Sequence[int]) -> None:
        super().__init__(None)
        if len(indices) == 0:
            raise InvalidArgumentError(
                "`indices` of SubsetRandomSampler is empty",
                expected="at least one index",
                fix="check how the indices are chosen",
            )
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def _shared_order(self) -> Iterator[int] | None:
        stream = host_stream()
        if stream is None:
            return None
        return (self.indices[position] for position in stream.permutation(len(self.indices)))

    def _order(self, seed: int, epoch: int) -> Iterator[int]:
        order = make_generator(seed, epoch, "subset").permutation(len(self.indices))
        return (self.indices[position] for position in order)


class WeightedRandomSampler(Sampler):
    """Indices drawn with given weights: index `i` with probability `weights[i] / sum(weights)`.

    Args:
        weights: 1-d, non-negative, one per sample; a list, tuple, NumPy array or Tensor.
        num_samples: indices per epoch.
        replacement: whether an index may come several times in an epoch.

    Raises:
        InvalidArgumentError: weights that are negative, not finite, all zero or not 1-d;
            `num_samples` not positive, or above the number of positive weights without
            replacement.
        InvalidTypeError: weights that are no numbers, or `replacement` is no bool.

    Examples:
        >>> import proa.io
        >>> set(proa.io.WeightedRandomSampler([0.0, 1.0, 3.0], 100)) == {1, 2}
        True
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True) -> None:
        super().__init__(None)
        self.num_samples = _checked_count(num_samples, "WeightedRandomSampler")
        self.replacement = _checked_replacement(replacement, "WeightedRandomSampler")
        self.weights = weights
        self._probabilities = _checked_weights(weights)
        positive = int(np.count_nonzero(self._probabilities))
        if not replacement and num_samples > positive:
            raise InvalidArgumentError(
                f"`num_samples` of WeightedRandomSampler is {num_samples}, and {positive} weights "
                "are positive",
                expected="at most as many as there are positive weights without replacement",
                fix="lower num_samples, or pass replacement=True",
            )

    def __len__(self) -> int:
        return self.num_samples

    def _shared_order(self) -> Iterator[int]:
        size, chances = self.num_samples, self._probabilities
        drawn = np.random.choice(len(chances), size, replace=self.replacement, p=chances)
        return iter(drawn.tolist())

    def _order(self, seed: int, epoch: int) -> Iterator[int]:
        rng, probabilities = make_generator(seed, epoch, "weighted"), self._probabilities
        size, total = self.num_samples, len(probabilities)
        drawn = rng.choice(total, size=size, replace=self.replacement, p=probabilities)
        return iter(drawn.tolist())


def _checked_weights(weights: Any) -> np.ndarray:
    if not isinstance(weights, list | tuple | np.ndarray | Tensor):
        raise InvalidTypeError(
            f"`weights` of WeightedRandomSampler is a {type(weights).__name__}",
            expected="a list, tuple, NumPy array or Tensor of numbers",
            fix="pass one weight per sample, for example [1.0, 0.5, 2.0]",
        )
    try:
        values = np.asarray(weights, dtype=np.float64)
        reason = "" if values.ndim == 1 else f"have the shape {list(values.shape)}"
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"`weights` of WeightedRandomSampler cannot be read as numbers: {error}",
            expected="a 1-d list of numbers",
            fix="pass one weight per sample, for example [1.0, 0.5, 2.0]",
        ) from error
    if not reason and not np.isfinite(values).all():
        reason = "hold NaN or Inf"
    elif not reason and (values < 0).any():
        reason = f"hold the negative value {values.min()}"
    elif not reason and not values.sum() > 0:
        reason = "are all zero, or there are none"
    if reason:
        raise InvalidArgumentError(
            f"`weights` of WeightedRandomSampler {reason}",
            expected="finite, non-negative numbers in one dimension, at least one of them positive",
            fix="pass one weight per sample, for example [1.0, 0.5, 2.0]",
        )
    return values / values.sum()


def checked_sampler(sampler: Any, argument: str) -> Any:
    """Returns `sampler`; refuses what cannot be iterated over."""
    if isinstance(sampler, str) or not isinstance(sampler, Iterable):
        raise InvalidTypeError(
            f"`{argument}` is of class {type(sampler).__name__}",
            expected="a proa.io.Sampler, or another iterable over indices",
            fix="derive it from proa.io.Sampler and define __iter__",
        )
    return sampler
