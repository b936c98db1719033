"""Switches of source conversion: which functions are called as they are."""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

_ignored: set[str] = set()
_settings: dict[str, Any] = {
    "code": 0,
    "code_to_stdout": False,
    "verbosity": 0,
    "to_stdout": False,
}
#: Code of functions that were called without being converted, for messages.
left_alone: weakref.WeakSet[types.CodeType] = weakref.WeakSet()


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
    """Shows the source of functions after their conversion, when they are converted.

    Only functions that branch on tensors are converted; one that was before is not again.

    Args:
        level: any positive number shows the converted source; 0 shows nothing.
        also_to_stdout: print it to the standard output as well as to that of errors.

    Examples:
        >>> import proa
        >>> proa.jit.set_code_level(0)
    """
    _settings["code"], _settings["code_to_stdout"] = int(level), bool(also_to_stdout)


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Says what is recorded and why, when it is.

    Args:
        level: 0 says nothing; from 1 each recording is told, from 3 its Program too.
        also_to_stdout: print it to the standard output as well as to that of errors.

    Examples:
        >>> import proa
        >>> proa.jit.set_verbosity(0)
    """
    _settings["verbosity"], _settings["to_stdout"] = int(level), bool(also_to_stdout)


def show_code(name: str, source: str) -> None:
    """Shows converted source, if that was asked for."""
    if _settings["code"] > 0:
        _show(f"`{name}` after conversion:\n{source}", _settings["code_to_stdout"])


def tell(level: int, message: Callable[[], str]) -> None:
    """Shows a message from a level of verbosity on."""
    if _settings["verbosity"] >= level:
        _show(message(), _settings["to_stdout"])


def _show(text: str, also_to_stdout: bool) -> None:
    print(text, file=sys.stderr)
    if also_to_stdout:
        print(text)
