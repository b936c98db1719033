"""Switching between immediate execution and static graphs."""

from __future__ import annotations

from typing import Any

from proa.core import set_device

from ._program import switch_static


def disable_static(place: Any = None) -> None:
    """Makes ops run at once again.

    Args:
        place: a device to make the current one.

    Examples:
        >>> import proa
        >>> proa.disable_static()
        >>> proa.in_dynamic_mode()
        True
    """
    switch_static(False)
    if place is not None:
        set_device(place)


def enable_static() -> None:
    """Records ops into the default Program from now on, instead of running them.

    Examples:
        >>> import proa
        >>> proa.enable_static()
        >>> proa.in_dynamic_mode()
        False
        >>> proa.disable_static()
    """
    switch_static(True)
