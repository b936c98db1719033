"""Places of devices that JAX has no plug-in for: they exist by name, and say so when made."""

from __future__ import annotations

from typing import Any

from proa.core import Place, UnsupportedError, available_devices


class _NoSuchPlace(Place):
    __slots__ = ()
    _what = ""

    def __init__(self, *args: Any) -> None:
        raise UnsupportedError(
            f"{type(self).__name__}: JAX has no plug-in for {self._what}",
            expected="a place of this machine: " + ", ".join(available_devices()),
            fix="use CPUPlace() or CUDAPlace(0)",
        )


class XPUPlace(_NoSuchPlace):
    """A Kunlun chip.

    Args:
        dev_id: its number.

    Raises:
        UnsupportedError: always.
    """

    __slots__ = ()
    _what = "Kunlun chips"

    def __init__(self, dev_id: int) -> None:
        super().__init__(dev_id)


class IPUPlace(_NoSuchPlace):
    """A Graphcore chip.

    Raises:
        UnsupportedError: always.
    """

    __slots__ = ()
    _what = "Graphcore chips"

    def __init__(self) -> None:
        super().__init__()


class XPUPinnedPlace(_NoSuchPlace):
    """Host memory that a Kunlun chip reads.

    Raises:
        UnsupportedError: always.
    """

    __slots__ = ()
    _what = "Kunlun chips"

    def __init__(self) -> None:
        super().__init__()
