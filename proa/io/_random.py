"""Randomness of reading data: pure functions of (run seed, epoch, sample), never of a process.

Every value is drawn from `digest(...)`, a hash. So it does not matter which process reads a
sample, nor which samples were read before it.
"""

from __future__ import annotations

import hashlib
import random
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from proa.core import PreconditionError


def digest(*parts: Any) -> bytes:
    """Hashes integers, strings and tuples of them to 32 bytes, equal in every process."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=32).digest()


def make_generator(*parts: Any) -> np.random.Generator:
    """Returns a NumPy generator that depends on nothing but `parts`."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest(*parts)[16:], "little")))


class _Current(threading.local):
    """What the thread is reading: the hash of the sample and its generator, made on demand."""

    state: bytes | None = None
    generator: np.random.Generator | None = None


_current = _Current()


def seed_globals(state: bytes) -> None:
    """Seeds `random`, `numpy.random` and `sample_rng()` from a hash."""
    random.seed(int.from_bytes(state[:8], "little"))
    # 32 bits take a fifth of the time that more would; this runs before every sample.
    np.random.seed(int.from_bytes(state[8:12], "little"))
    _current.state, _current.generator = state, None


def sample_rng() -> np.random.Generator:
    """Returns the NumPy generator of the sample that is being read.

    It is seeded by the run's seed (`proa.seed`), the epoch and the index of the sample, so that
    an augmentation is the same for any number of workers, and another one in each epoch. Use it
    in `Dataset.__getitem__`, in transforms and in a `collate_fn`; there it has one value per
    batch. The global `random` and `numpy.random` are seeded in the same way.

    Returns:
        A `numpy.random.Generator`, the same one during the whole sample.

    Raises:
        PreconditionError: no `DataLoader` is reading a sample in this thread.

    Examples:
        >>> import proa.io
        >>> class Noisy(proa.io.Dataset):
        ...     def __getitem__(self, index):
        ...         return index + proa.io.sample_rng().normal()
        ...     def __len__(self):
        ...         return 4
        >>> loader = proa.io.DataLoader(Noisy(), batch_size=4)
        >>> first, second = next(iter(loader)), next(iter(loader))
        >>> bool((first == second).any())
        False
    """
    if _current.state is None:
        raise PreconditionError(
            "sample_rng() was called while no DataLoader reads a sample",
            expected="a call in Dataset.__getitem__, in a transform or in a collate_fn",
            fix="elsewhere make a generator of your own: numpy.random.default_rng(seed)",
        )
    if _current.generator is None:
        entropy = int.from_bytes(_current.state[16:], "little")
        _current.generator = np.random.Generator(np.random.PCG64(entropy))
    return _current.generator


def _global_states() -> tuple[Any, ...]:
    return (
        random.getstate(),
        np.random.get_state(legacy=False),
        _current.state,
        _current.generator,
    )


def _restore(states: tuple[Any, ...]) -> None:
    random.setstate(states[0])
    np.random.set_state(states[1])
    _current.state, _current.generator = states[2:]


@contextmanager
def preserved_globals() -> Iterator[None]:
    """Gives the global generators back as they were found."""
    states = _global_states()
    try:
        yield
    finally:
        _restore(states)


def isolated(make: Callable[[], Iterable[Any]], *parts: Any) -> Iterator[Any]:
    """Runs an iterable of the user's on its own global randomness, seeded by `parts`.

    A sampler that draws from `numpy.random` becomes a pure function of `parts` so, and the
    code around the loop does not notice it.

    Args:
        make: returns the iterable; called under the same randomness.
        *parts: what the randomness depends on.
    """
    with preserved_globals():
        seed_globals(digest(*parts))
        iterator = iter(make())
        inner = _global_states()
    while True:
        with preserved_globals():
            _restore(inner)
            try:
                item = next(iterator)
            except StopIteration:
                return
            inner = _global_states()
        yield item


class Repeats:
    """Counts how often an index came in this epoch, so that repeated samples differ.

    A weighted or replacing sampler gives an index several times; with the index alone all of
    its copies would get the same augmentation.

    Args:
        length: number of samples of the dataset; 0 when it is not known.
    """

    def __init__(self, length: int = 0) -> None:
        # Four bytes a sample; a dict would take 60, which counts for millions of samples.
        self._counts = array("I", bytes(4 * length))
        self._others: dict[Any, int] = {}

    def count(self, keys: list[Any]) -> tuple[int, ...]:
        """Returns for each key how often it was counted before, and counts it."""
        counts, length = self._counts, len(self._counts)
        befores = []
        for key in keys:
            if type(key) is int and 0 <= key < length:
                before = counts[key]
                counts[key] = before + 1
            else:
                name = repr(key)
                before = self._others.get(name, 0)
                self._others[name] = before + 1
            befores.append(before)
        return tuple(befores)
