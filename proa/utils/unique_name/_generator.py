"""Unique names: a counter per key, and a way to start afresh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from proa.core._errors import InvalidTypeError


class Generator:
    """Counts names per key: `linear_0`, `linear_1`, ...

    Args:
        prefix: put in front of each name.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._counts: defaultdict[str, int] = defaultdict(int)

    def __call__(self, key: str) -> str:
        number = self._counts[key]
        self._counts[key] = number + 1
        return f"{self.prefix}{key}_{number}"


_current = [Generator()]


def generate(key: str) -> str:
    """Returns `key` with the next number of its counter.

    Args:
        key: what is to be named.

    Returns:
        `<prefix><key>_<number>`.

    Examples:
        >>> import proa
        >>> with proa.utils.unique_name.guard():
        ...     [proa.utils.unique_name.generate("block") for _ in range(2)]
        ['block_0', 'block_1']
    """
    return _current[0](key)


def switch(
    new_generator: Generator | None = None, new_para_name_checker: object = None
) -> tuple[Generator, None]:
    """Puts another set of counters in force.

    Args:
        new_generator: the counters to use; `None` starts fresh ones.
        new_para_name_checker: kept for Paddle's signature; Proa has no such object.

    Returns:
        The counters that were in force, and `None`.
    """
    previous = _current[0]
    _current[0] = Generator() if new_generator is None else new_generator
    return previous, None


@contextmanager
def guard(new_generator: Generator | str | bytes | None = None) -> Iterator[None]:
    """Counts from zero inside the block and goes on as before after it.

    Args:
        new_generator: a prefix for the names inside, or counters to use.

    Raises:
        InvalidTypeError: neither a prefix nor counters.

    Examples:
        >>> import proa
        >>> with proa.utils.unique_name.guard("teacher_"):
        ...     proa.utils.unique_name.generate("block")
        'teacher_block_0'
    """
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = Generator(new_generator)
    if not isinstance(new_generator, Generator | None):
        raise InvalidTypeError(
            f"`new_generator` is a {type(new_generator).__name__}",
            expected="a prefix (str), a Generator or None",
            fix="call unique_name.guard() for fresh counters",
        )
    previous, _ = switch(new_generator)
    try:
        yield
    finally:
        _current[0] = previous
