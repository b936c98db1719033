"""Functions that compiled code calls in Python, and how their errors reach the user.

They run in a thread of the runtime while the computation waits for them. Two things follow.
They must not compute with JAX: the runtime lets 32 computations be under way, and when all of
those wait for this one, another would wait for ever. So they are given NumPy arrays. And what
they raise becomes an error of the runtime that holds the traceback as text: it is kept here
under a number that stands in that text, and is raised again where the call returns.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from typing import Any, NoReturn

import numpy as np

from ._errors import ProaError

_MARK = "proa failure number"
_KEPT = 64
_numbers = count()
_lock = threading.Lock()
_failures: OrderedDict[int, ProaError] = OrderedDict()


class FailureInCallbackError(Exception):
    """Stands for an error while it passes through the runtime."""


def on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function as compiled code may call it: with NumPy arrays.

    A `ProaError` that it raises arrives at the call of the compiled code as it is.
    """

    @wraps(function, updated=())
    def called(*arrays: Any) -> Any:
        try:
            return function(*[np.asarray(array) for array in arrays])
        except ProaError as error:
            _pass_through_runtime(error)

    return called


def _pass_through_runtime(error: ProaError) -> NoReturn:
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
