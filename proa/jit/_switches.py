"""Switches of Paddle's source conversion: functions are recorded as they run, not converted."""

from __future__ import annotations

from typing import Any


def ignore_module(modules: list[Any]) -> None:
    """Does nothing: no module's source is converted.

    Args:
        modules: modules to leave alone.
    """


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Does nothing: there is no converted code to show.

    Args:
        level: which stage to show.
        also_to_stdout: whether to print it.
    """


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Does nothing; `explain()` of a compiled function says what was recorded and why.

    Args:
        level: how much to log.
        also_to_stdout: whether to print it.
    """
