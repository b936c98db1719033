"""Readers: functions that return an iterator over samples, the form before `Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from proa.core import InvalidArgumentError


def batch(
    reader: Callable[[], Any], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list[Any]]]:
    """Makes a reader of lists of samples from a reader of samples.

    Args:
        reader: returns an iterator over samples.
        batch_size: samples in a list; the last one may be shorter.
        drop_last: leave a shorter last list out.

    Returns:
        The new reader.

    Raises:
        InvalidArgumentError: `batch_size` is not positive.

    Examples:
        >>> import proa
        >>> list(proa.batch(lambda: iter("abc"), 2)())
        [['a', 'b'], ['c']]
    """
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise InvalidArgumentError(
            f"`batch_size` is {batch_size!r}",
            expected="a positive integer",
            fix="choose how many samples a batch should have",
        )

    def batches() -> Iterator[list[Any]]:
        collected: list[Any] = []
        for sample in reader():
            collected.append(sample)
            if len(collected) == batch_size:
                yield collected
                collected = []
        if collected and not drop_last:
            yield collected

    return batches
