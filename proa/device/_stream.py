"""Streams and events, over devices that do their work in the order they were asked to."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from proa.core import PreconditionError, UnsupportedError, as_place, set_device

from ._devices import place_name
from ._memory import synchronize


class Event:
    """A moment in a device's work.

    Args:
        enable_timing: kept for Paddle's signature; events always know their time.
        blocking: kept for Paddle's signature.
        interprocess: kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> start, end = proa.device.Event(), proa.device.Event()
        >>> start.record()
        >>> end.record()
        >>> start.elapsed_time(end) >= 0
        True
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self._time: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Waits for the work so far and notes the time."""
        synchronize()
        self._time = time.perf_counter()

    def query(self) -> bool:
        """Whether the moment has passed: always, since `record` waits."""
        return True

    def synchronize(self) -> None:
        """Returns at once, since `record` has waited."""

    def elapsed_time(self, end_event: Event) -> float:
        """Returns the milliseconds from this event to another one.

        Raises:
            PreconditionError: one of the two was not recorded.
        """
        if self._time is None or end_event._time is None:
            raise PreconditionError(
                "elapsed_time() of an event that was not recorded",
                expected="two recorded events",
                fix="call record() on both, around what is to be timed",
            )
        return (end_event._time - self._time) * 1000.0


class Stream:
    """The order of a device's work. XLA keeps one itself, so all streams are that one.

    Args:
        device: the device; the current one by default.
        priority: kept for Paddle's signature.
        stream_base: kept for Paddle's signature.
    """

    def __init__(self, device: Any = None, priority: int = 2, stream_base: Any = None) -> None:
        self.device = as_place(device)

    def synchronize(self) -> None:
        """Waits until everything that was asked of the device is computed."""
        synchronize(self.device)

    def query(self) -> bool:
        """Whether all work is done; waits for it."""
        self.synchronize()
        return True

    def wait_event(self, event: Event) -> None:
        """Returns at once: work follows in the order it was asked for."""

    def wait_stream(self, stream: Stream) -> None:
        """Returns at once: there is one stream."""

    def record_event(self, event: Event | None = None) -> Event:
        """Records an event, a new one by default, and returns it."""
        found = Event() if event is None else event
        found.record(self)
        return found

    def __repr__(self) -> str:
        return f"Stream({place_name(self.device)})"


def current_stream(device: Any = None) -> Stream:
    """Returns a device's stream.

    Args:
        device: the device; the current one by default.
    """
    return Stream(device)


def set_stream(stream: Stream | None = None) -> Stream:
    """Returns the current stream; there is one for each device, so nothing changes."""
    return Stream() if stream is None else stream


@contextmanager
def stream_guard(stream: Stream | None = None) -> Iterator[Stream]:
    """Runs a block on a stream: on the one there is.

    Args:
        stream: the stream.
    """
    yield set_stream(stream)


StreamContext = stream_guard


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """Refuses: XLA runs its work on a stream of its own only.

    Args:
        data_ptr: address of a stream of CUDA.
        device: its device.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        f"a stream from outside (address {data_ptr!r})",
        expected="the stream of XLA",
        fix="call synchronize() before the other library reads the data; exchange it by DLPack",
    )


def is_current_stream_capturing() -> bool:
    """Whether the stream's work is recorded as a CUDA graph: never, XLA compiles whole programs."""
    return False


class device_guard:
    """Makes a device the current one inside a `with` block.

    Args:
        device: a name such as `"gpu:0"`, or a Place; `None` changes nothing.

    Raises:
        UnknownNameError: this machine has no such device.

    Examples:
        >>> import proa
        >>> with proa.device.device_guard("cpu"):
        ...     proa.device.get_device()
        'cpu'
    """

    def __init__(self, device: Any = None) -> None:
        self._wanted = None if device is None else as_place(device)
        self._former: list[Any] = []

    def __enter__(self) -> device_guard:
        self._former.append(as_place(None))
        if self._wanted is not None:
            set_device(self._wanted)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        set_device(self._former.pop())


device = device_guard
