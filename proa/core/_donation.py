"""Calls that give buffers away: whatever interrupts one, what it computed is not lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ._errors import PreconditionError


def run_donating(
    function: Any,
    arguments: Sequence[Any],
    accept: Callable[[Any], None],
    *,
    donated: Sequence[Any],
    is_first: bool,
    name: str,
) -> Any:
    """Calls a compiled function that overwrites some of its arguments.

    A KeyboardInterrupt (or what a signal handler raises) between the call and the moment
    when its results are taken over would leave tensors without values, as the old ones
    are gone. So the results are handed to `accept` in that case too.

    Args:
        function: the compiled function.
        arguments: its arguments.
        accept: takes the results over; called again when it was interrupted.
        donated: the arrays that it overwrites.
        is_first: whether this is its first call with such arguments.
        name: what it is called in messages.

    Returns:
        The results.

    Raises:
        PreconditionError: it failed after it had begun to overwrite.
    """
    if not is_first:
        return _run(function, arguments, accept, donated, name)
    # Compiling takes long and may be interrupted. The first run, which passes through
    # Python after it has begun, may not.
    if hasattr(function, "lower"):
        function.lower(*arguments).compile()
    with _uninterrupted():
        return _run(function, arguments, accept, donated, name)


def _run(
    function: Any,
    arguments: Sequence[Any],
    accept: Callable[[Any], None],
    donated: Sequence[Any],
    name: str,
) -> Any:
    done: list[Any] = []
    try:
        # `extend` has the result before Python looks for a signal.
        done.extend(map(function, *[(argument,) for argument in arguments]))
        accept(done[0])
    except BaseException as error:
        if done:
            accept(done[0])
        elif any(array.is_deleted() for array in donated):
            raise PreconditionError(
                f"`{name}` failed while it overwrote its state, which is lost: {error}",
                expected="a step that ends, or that fails before it begins",
                fix="load the last checkpoint; use smaller batches if memory ran out",
            ) from error
        raise
    return done[0]


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Lets Ctrl-C wait for the end of the block."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    caught: list[Any] = []
    signal.signal(signal.SIGINT, lambda *arguments: caught.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if caught:
            handler(*caught[0])
