"""Run-time flags: read from the environment at import, changed by `set_flags`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._errors import InvalidTypeError, UnknownNameError

_FLAGS: dict[str, Any] = {}
_WATCHERS: dict[str, list[Callable[[Any], None]]] = {}


def _parse(name: str, value: Any, kind: type) -> Any:
    try:
        if kind is bool and isinstance(value, str):
            lowered = value.strip().lower()
            if lowered not in ("0", "1", "true", "false", "on", "off"):
                raise ValueError(value)
            return lowered in ("1", "true", "on")
        return kind(value)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"flag {name!r} was given {value!r}",
            expected=f"a value that reads as {kind.__name__}",
            fix=f"pass a {kind.__name__}, for example {_FLAGS.get(name, kind())!r}",
        ) from error


def define_flag(name: str, default: Any, *, watch: Callable[[Any], None] | None = None) -> None:
    """Declares a flag; `FLAGS_<name>` in the environment overrides its default.

    Args:
        name: the full name, starting with `FLAGS_`.
        default: the default; its type is the flag's type.
        watch: called with the value now and after each change.
    """
    value = os.environ.get(name)
    _FLAGS[name] = default
    if value is not None:
        _FLAGS[name] = _parse(name, value, type(default))
    if watch is not None:
        _WATCHERS.setdefault(name, []).append(watch)
        watch(_FLAGS[name])


def _lookup(name: str) -> str:
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"the name of a flag is {name!r} ({type(name).__name__})"[:200],
            expected="a string",
            fix="write get_flags(['FLAGS_check_nan_inf'])",
        )
    full = name if name.startswith("FLAGS_") else f"FLAGS_{name}"
    if full not in _FLAGS:
        raise UnknownNameError(
            f"there is no flag {name!r}",
            expected="one of " + ", ".join(sorted(_FLAGS)),
            fix="check the spelling with proa.get_flags()",
        )
    return full


def set_flags(flags: Mapping[str, Any]) -> None:
    """Sets run-time flags.

    Args:
        flags: full flag names (`FLAGS_check_nan_inf`) and their new values.

    Raises:
        UnknownNameError: a name is not a flag; nothing is changed then.
        InvalidTypeError: a value does not read as the flag's type.
    """
    if not isinstance(flags, Mapping):
        raise InvalidTypeError(
            f"`flags` is a {type(flags).__name__}",
            expected="a dict from flag name to value",
            fix="write set_flags({'FLAGS_check_nan_inf': True})",
        )
    parsed = {}
    for name, value in flags.items():
        full = _lookup(name)
        parsed[full] = _parse(full, value, type(_FLAGS[full]))
    for name, value in parsed.items():
        _FLAGS[name] = value
        for watch in _WATCHERS.get(name, ()):
            watch(value)


def get_flags(flags: str | Iterable[str] | None = None) -> dict[str, Any]:
    """Returns flags and their values.

    Args:
        flags: one name or several; `None` gives all.

    Raises:
        UnknownNameError: a name is not a flag.
    """
    if flags is None:
        return dict(_FLAGS)
    names: list[Any] = list(flags) if isinstance(flags, list | tuple | set) else [flags]
    return {name: _FLAGS[_lookup(name)] for name in names}
