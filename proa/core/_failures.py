"""Errors that are raised while compiled code runs, and how they reach the user.

A callback of compiled code runs in a thread of the runtime, which turns what it raises into an
error of its own that holds the traceback as text. So the error is kept here under a number that
stands in that text, and is raised again where the call returns.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import NoReturn

from ._errors import ProaError

_MARK = "proa failure number"
_KEPT = 64
_numbers = count()
_lock = threading.Lock()
_failures: OrderedDict[int, ProaError] = OrderedDict()


class FailureInCallbackError(Exception):
    """Stands for an error while it passes through the runtime."""


def raise_from_callback(error: ProaError) -> NoReturn:
    """Raises an error in a callback of compiled code, to arrive at the call as it is."""
    with _lock:
        number = next(_numbers)
        _failures[number] = error
        while len(_failures) > _KEPT:
            _failures.popitem(last=False)
    raise FailureInCallbackError(f"{_MARK} {number}.")


def failure_behind(error: BaseException) -> ProaError | None:
    """Returns the error of a callback that the runtime's error stands for."""
    found = re.search(rf"{_MARK} (\d+)\.", str(error))
    if found is None:
        return None
    with _lock:
        return _failures.get(int(found.group(1)))


@contextmanager
def told_plainly() -> Iterator[None]:
    """Raises errors of callbacks as they are, without what the runtime says around them."""
    try:
        yield
    except RuntimeError as error:
        failure = failure_behind(error)
        if failure is None:
            raise
        raise failure from None


class _Quiet(logging.Filter):
    """Keeps JAX from printing a traceback of what is about to be raised."""

    def filter(self, record: logging.LogRecord) -> bool:
        kind = record.exc_info[0] if isinstance(record.exc_info, tuple) else None
        return kind is None or not issubclass(kind, FailureInCallbackError)


for _room in ("debugging", "callback"):
    logging.getLogger(f"jax._src.{_room}").addFilter(_Quiet())
