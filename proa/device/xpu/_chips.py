"""What is asked of Kunlun chips, of which there are none."""

from __future__ import annotations

from typing import Any, NoReturn

from proa.core import UnsupportedError


def device_count() -> int:
    """Returns 0: JAX has no plug-in for these chips."""
    return 0


def _refuse(what: str) -> NoReturn:
    raise UnsupportedError(
        f"`{what}` of a Kunlun chip",
        expected="a device that JAX has a plug-in for",
        fix="use proa.device.memory_allocated and the like for GPUs and TPUs",
    )


def memory_total(device: Any = None) -> int:
    """Refuses: there are no such chips.

    Args:
        device: the chip.

    Raises:
        UnsupportedError: always.
    """
    _refuse("memory_total")


def memory_used(device: Any = None) -> int:
    """Refuses: there are no such chips.

    Args:
        device: the chip.

    Raises:
        UnsupportedError: always.
    """
    _refuse("memory_used")


def set_debug_level(level: int = 0) -> None:
    """Refuses: there are no such chips.

    Args:
        level: the level.

    Raises:
        UnsupportedError: always.
    """
    _refuse("set_debug_level")
