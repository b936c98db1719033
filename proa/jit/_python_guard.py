"""Guards of the Python values that a compiled function reads from outside its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from proa.core import attributes_read, is_plain, is_same, nested_codes

# Code of these packages reads nothing that users would change between calls.
_TRUSTED = frozenset({__name__.partition(".")[0], "jax", "numpy", "builtins", "functools"})
_MAX_FUNCTIONS = 64
_MISSING = object()


@dataclass(frozen=True, slots=True)
class _Read:
    """A variable of the function's surroundings, and what it held."""

    kind: str
    name: str
    holder: Any
    value: Any

    def now(self) -> Any:
        if self.kind != "variable":
            return self.holder.get(self.name, _MISSING)
        try:
            return self.holder.cell_contents
        except ValueError:
            return _MISSING

    def describe(self, now: Any) -> str:
        what = f"{self.kind} `{self.name}`"
        if is_plain(self.value) and is_plain(now):
            return f"{what}: {self.value!r} -> {now!r}"[:200]
        return f"{what} is another {type(now).__name__}"


class PythonGuard:
    """What variables, globals and attributes held when a function was recorded.

    Numbers and strings count by value, other objects by identity. Only names that the
    function (and the functions it names) reads are looked at.

    Args:
        function: the function.
    """

    def __init__(self, function: Any) -> None:
        self.reads = list(_reads_of(function))

    def settle(self) -> None:
        """Drops what the recording itself has changed: its own counters and caches."""
        self.reads = [r for r in self.reads if _is_unchanged(r, r.now())]

    def changed(self) -> str | None:
        """Says what is no longer as it was; `None` when all is."""
        for read in self.reads:
            now = read.now()
            if now is not read.value and not _is_unchanged(read, now):
                return read.describe(now)
        return None


def _is_unchanged(read: _Read, now: Any) -> bool:
    return now is read.value or (is_plain(read.value) and is_same(now, read.value))


def _reads_of(function: Any) -> Iterator[_Read]:
    seen: set[int] = set()
    waiting = [function]
    while waiting and len(seen) < _MAX_FUNCTIONS:
        found = waiting.pop()
        if isinstance(found, MethodType):
            yield from _reads_of_self(found)
            found = found.__func__
        found = getattr(found, "__wrapped__", found)
        if not isinstance(found, FunctionType) or id(found) in seen or _is_trusted(found):
            continue
        seen.add(id(found))
        for read in _reads_of_function(found):
            if isinstance(read.value, FunctionType | MethodType):
                waiting.append(read.value)
            yield read


def _reads_of_function(function: FunctionType) -> Iterator[_Read]:
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        read = _Read("variable", name, cell, None)
        value = read.now()
        if _counts(value):
            yield _Read("variable", name, cell, value)
    space = function.__globals__
    for name in sorted(_names(function.__code__)):
        value = space.get(name, _MISSING)
        if _counts(value):
            yield _Read("global", name, space, value)


def _names(code: CodeType) -> set[str]:
    return {name for each in nested_codes(code) for name in each.co_names}


def _reads_of_self(method: MethodType) -> Iterator[_Read]:
    """Attributes of an object that is no Layer; layers have guards of their own."""
    owner = method.__self__
    fields = getattr(owner, "__dict__", None)
    if not isinstance(fields, dict) or hasattr(owner, "guard"):
        return
    for name in sorted(attributes_read(method.__func__.__code__) & fields.keys()):
        if _counts(fields[name]):
            yield _Read("attribute", name, fields, fields[name])


def _counts(value: Any) -> bool:
    if value is _MISSING or isinstance(value, type | ModuleType):
        return False
    return not _is_trusted(value) if isinstance(value, FunctionType) else True


def _is_trusted(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] in _TRUSTED
