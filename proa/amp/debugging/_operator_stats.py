"""Counts the calls of ops by the dtype they ran in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from proa.core import PreconditionError, interceptors, is_inexact

_COLUMNS = ("float16", "bfloat16", "float32", "other")
_TITLES = ("FP16 Calls", "BF16 Calls", "FP32 Calls", "Other Calls")
_active: list[dict[str, list[int]]] = []


def _count(op: Any, tensors: tuple[Any, ...], key: Any, proceed: Any) -> Any:
    out = proceed(op, tensors, key)
    if _active:
        outputs = out if isinstance(out, tuple) else (out,)
        dtypes = [t._data.dtype for t in (*tensors, *outputs)]
        name = next((d.name for d in dtypes if is_inexact(d)), "other")
        column = _COLUMNS.index(name) if name in _COLUMNS else len(_COLUMNS) - 1
        _active[0].setdefault(op.name, [0] * len(_COLUMNS))[column] += 1
    return out


def enable_operator_stats_collection() -> None:
    """Counts calls of ops from now on; `disable_operator_stats_collection` prints them.

    A compiled function counts when it is recorded, op by op, and not when it runs.

    Raises:
        PreconditionError: they are counted already.
    """
    if _active:
        raise PreconditionError(
            "enable_operator_stats_collection while calls are counted",
            expected="one collection at a time",
            fix="call disable_operator_stats_collection() before",
        )
    _active.append({})
    interceptors.append(_count)


def disable_operator_stats_collection() -> None:
    """Ends the counting, and prints a table of calls by op and dtype."""
    if _active:
        interceptors.remove(_count)
        _print_table(_active.pop())


@contextmanager
def collect_operator_stats() -> Iterator[dict[str, list[int]]]:
    """Counts the calls of ops in a block, and prints a table of them at its end.

    Returns:
        A context manager; it gives a dict that has, by op, the calls in float16, bfloat16,
        float32 and other dtypes.

    Examples:
        >>> import proa
        >>> x = proa.ones([2, 2])
        >>> with proa.amp.debugging.collect_operator_stats() as counts:
        ...     with proa.amp.auto_cast(dtype="bfloat16"):
        ...         y = x @ x
        <--... op list ...-->
        ...
          cast ...| 0 ...| 0 ...| 2 ...| 0
          matmul ...| 0 ...| 1 ...| 0 ...| 0
        <--... op count: 2 ...-->
        >>> counts["matmul"]
        [0, 1, 0, 0]
    """
    enable_operator_stats_collection()
    counts = _active[0]
    try:
        yield counts
    finally:
        disable_operator_stats_collection()


def _print_table(counts: dict[str, list[int]]) -> None:
    print(f"<{' op list ':-^118}>")
    print(f"<{' Op Name ':-^40}|" + "|".join(f"{f' {title} ':-^18}" for title in _TITLES) + ">")
    for name in sorted(counts):
        cells = "|".join(f"  {number:<16}" for number in counts[name])
        print(f"  {name:<39}|{cells}".rstrip())
    print(f"<{f' op count: {len(counts)} ':-^118}>")
