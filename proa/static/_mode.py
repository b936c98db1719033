"""Switching between immediate execution and static graphs."""

from __future__ import annotations

from typing import Any

from proa.core import UnsupportedError, set_device


def disable_static(place: Any = None) -> None:
    """Makes ops run at once, as they do anyway.

    Args:
        place: a device to make the current one.

    Examples:
        >>> import proa
        >>> proa.disable_static()
        >>> proa.in_dynamic_mode()
        True
    """
    if place is not None:
        set_device(place)


def enable_static() -> None:
    """Refuses: there is no mode in which every op call is recorded.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        "enable_static()",
        expected="code that runs op by op, or a function that is compiled whole",
        fix="leave it out, and put @proa.jit.to_static on the function to compile",
    )
