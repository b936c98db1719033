"""What dispatch looks at on each call: the thread's mode, and the interceptors of all threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class Context(threading.local):
    """Per-thread mode: whether gradients are taped, and who records (if anyone)."""

    grad_enabled: bool = True
    recorder: Any = None
    #: How auto_cast chooses dtypes in this thread (hashable); `None` when it is off.
    amp: Any = None
    #: The line of the user's code that is at work, where the stack does not show it.
    location: str = ""

    def __init__(self) -> None:
        #: What `grad_enabled` was outside each region that is open in this thread.
        self.outer_grad_modes: list[bool] = []
        #: What `amp` was outside each region of auto_cast that is open in this thread.
        self.outer_amp: list[Any] = []


context = Context()

Interceptor = Callable[[Any, tuple[Any, ...], Any, Callable[..., Any]], Any]
#: Called around each op as `(op, tensors, key, proceed)`; empty in the fast path.
interceptors: list[Interceptor] = []

#: Grows whenever Python state that a recording may depend on changes (train/eval,
#: stop_gradient, a parameter replaced). Compiled functions check their guards only then.
mode_epoch = [0]


def bump_mode_epoch() -> None:
    """Tells compiled functions that Python state they depend on may have changed."""
    mode_epoch[0] += 1


#: Held while a function is recorded (tensors then hold Values), and while a compiled step
#: overwrites what it reads (their buffers are then given away). What finds a tensor in such
#: a state from another thread waits for it here.
state_lock = threading.RLock()
#: Held, for a moment, while a random key is drawn, and while a compiled step runs. Not while
#: a function is recorded: it may wait for threads that draw numbers, such as a loader's.
key_lock = threading.RLock()


@contextmanager
def run_eagerly() -> Iterator[None]:
    """Suspends recording: ops inside run at once and give concrete tensors."""
    recorder = context.recorder
    if recorder is not None and recorder.is_explicit:
        # A static Program stays open for long: what it writes holds arrays meanwhile.
        with recorder.left():
            yield
        return
    context.recorder = None
    try:
        yield
    finally:
        context.recorder = recorder


@contextmanager
def outside_program() -> Iterator[None]:
    """Leaves a static Program that is being built, for what is no part of its runs.

    Loading weights, casting a layer and seeding happen at once there, as in Paddle; a function
    that is being compiled goes on recording.
    """
    recorder = context.recorder
    if recorder is not None and recorder.is_explicit:
        with recorder.left():
            yield
    else:
        yield


_PACKAGE = __name__.partition(".")[0]


def user_frame() -> FrameType | None:
    """Returns the innermost frame that is not Proa's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_users_frame(frame):
            return frame
        frame = frame.f_back
    return None


@contextmanager
def located_at(where: str) -> Iterator[None]:
    """Makes `user_location` give the line that a recorded op call came from."""
    before, context.location = context.location, where
    try:
        yield
    finally:
        context.location = before


def is_users_frame(frame: FrameType) -> bool:
    """Whether code is neither Proa's nor JAX's."""
    module = frame.f_globals.get("__name__", "")
    return module.partition(".")[0] not in (_PACKAGE, "jax", "contextlib", "functools")


def location_in(trace: TracebackType | None) -> str:
    """Returns `file:line` of the innermost frame of a traceback that is not Proa's own."""
    found = "<unknown>"
    while trace is not None:
        if is_users_frame(trace.tb_frame):
            found = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def user_location() -> str:
    """Returns `file:line` of the user's code that is running, for messages."""
    if context.location:
        return context.location
    frame = user_frame()
    if frame is None:
        return "<unknown>"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
