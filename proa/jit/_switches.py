"""Switches of source conversion: which functions are called as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ignored: set[str] = set()


def ignore_module(modules: list[Any]) -> None:
    """Leaves the source of modules alone when functions that they define are compiled.

    Args:
        modules: modules, or their names.

    Examples:
        >>> import proa
        >>> import json
        >>> proa.jit.ignore_module([json])
    """
    _ignored.update(getattr(module, "__name__", str(module)) for module in modules)


def not_to_static(func: Callable[..., Any] | None = None) -> Any:
    """Marks a function whose source is left as it is; it must not branch on tensors.

    Args:
        func: the function; `None` to use it as a decorator with parentheses.

    Examples:
        >>> import proa
        >>> @proa.jit.not_to_static
        ... def describe(x):
        ...     return x.shape
    """
    if func is None:
        return not_to_static
    func.is_left_alone = True  # type: ignore[attr-defined]
    return func


def is_left_alone(function: Any) -> bool:
    """Whether a function was marked, or its module, or one around it, is ignored."""
    if getattr(function, "is_left_alone", False):
        return True
    module = getattr(function, "__module__", None) or ""
    return any(module == name or module.startswith(f"{name}.") for name in _ignored)


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
