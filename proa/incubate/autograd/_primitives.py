"""The switch that in Paddle replaces ops by primitive ones; here ops always are XLA's."""

from __future__ import annotations

from typing import Any

_STATE = {"enabled": False}


def enable_prim() -> None:
    """Notes that ops are to be made of primitives, which they are here in any case.

    Examples:
        >>> import proa
        >>> proa.incubate.autograd.enable_prim()
        >>> proa.incubate.autograd.prim_enabled()
        True
        >>> proa.incubate.autograd.disable_prim()
    """
    _STATE["enabled"] = True


def disable_prim() -> None:
    """Takes `enable_prim` back."""
    _STATE["enabled"] = False


def prim_enabled() -> bool:
    """Whether `enable_prim` was called last."""
    return _STATE["enabled"]


def prim2orig(block: Any = None, blacklist: Any = None) -> None:
    """Does nothing: no op was replaced.

    Args:
        block: not used.
        blacklist: not used.
    """
