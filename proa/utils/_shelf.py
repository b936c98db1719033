"""Names of old Paddle on a shelf: taken down, each tells once what to use instead."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from proa.core._errors import MissingAttributeError

_told: set[str] = set()


def tell_once(name: str, instead: str) -> None:
    """Writes one line to the standard error, the first time that it is asked to for a name.

    Args:
        name: the old name.
        instead: what to use.
    """
    if name not in _told:
        _told.add(name)
        print(
            f"DeprecationWarning: {name} is no public name of Paddle 3; use {instead}",
            file=sys.stderr,
        )


def find(path: str) -> Any:
    """Returns what a dotted name means, loading modules as needed.

    Args:
        path: such as `"proa.nn.functional.relu"`.
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def shelf(
    room: str, names: Mapping[str, str | tuple[Any, str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Makes the `__getattr__` and `__dir__` of a module of old names.

    Args:
        room: the module, as users know it: `"paddle.fluid.layers"`.
        names: old name -> the dotted name in Proa that means the same, or an object and what to
            use instead of it.
    """

    def take(name: str) -> Any:
        entry = names.get(name)
        if entry is None:
            raise MissingAttributeError(
                f"{room} has no {name!r}",
                expected="a name that old tutorials use: " + ", ".join(sorted(names)),
                fix="use its successor in Paddle 2 and 3",
            )
        if isinstance(entry, str):
            tell_once(f"{room}.{name}", entry.replace("proa", "paddle", 1))
            return find(entry)
        tell_once(f"{room}.{name}", entry[1])
        return entry[0]

    def listed() -> list[str]:
        return sorted(names)

    return take, listed
