"""Guards of the Python values that a compiled function reads from outside its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from proa.core import (
    ProgramError,
    Tensor,
    attributes_read,
    is_plain,
    is_same,
    nested_codes,
)
from proa.program import Value

# Code of these packages reads nothing that users would change between calls.
_TRUSTED = frozenset({__name__.partition(".")[0], "jax", "numpy", "builtins", "functools"})
_MAX_FUNCTIONS = 64
_MAX_CONTENT = 64
_MISSING = object()


@dataclass(frozen=True, slots=True)
class _Read:
    """A variable of the function's surroundings, and what it held.

    Attributes:
        kind: variable (of a surrounding function), global or attribute.
        name: its name.
        holder: the cell or dict that holds it.
        value: what it held.
        content: what stood in it, where that is a short list or dict.
        key: the name in `holder`, where the name for messages is longer.
    """

    kind: str
    name: str
    holder: Any
    value: Any
    content: tuple[Any, ...] | None = None
    key: str = ""

    def now(self) -> Any:
        if self.kind != "variable":
            return self.holder.get(self.key or self.name, _MISSING)
        try:
            return self.holder.cell_contents
        except ValueError:
            return _MISSING

    def put_back(self) -> None:
        """Gives a list or dict the content it had."""
        content = self.content or ()
        if isinstance(self.value, list):
            self.value[:] = content
        else:
            half = len(content) // 2
            self.value.clear()
            self.value.update(zip(content[:half], content[half:], strict=True))

    def describe(self, now: Any) -> str:
        what = f"{self.kind} `{self.name}`"
        if now is self.value:
            return f"the content of {what}"
        if is_plain(self.value) and is_plain(now):
            return f"{what}: {self.value!r} -> {now!r}"[:200]
        return f"{what} is another {type(now).__name__}"


class PythonGuard:
    """What variables, globals and attributes held when a function was recorded.

    Numbers and strings count by value, other objects by identity. Only names that the
    function (and the functions it names) reads are looked at.

    Args:
        function: the function.
        objects: its arguments that are no tensors and no numbers.
    """

    def __init__(self, function: Any, objects: Sequence[Any] = ()) -> None:
        reads = list(_reads_of(function))
        names = frozenset().union(*map(attributes_read, _codes_of(function, reads)))
        for value in objects:
            reads += _reads_of_object(value, names, "an argument's ")
        for read in list(reads):
            reads += _reads_of_object(read.value, names, f"{read.name}.")
        self.reads = reads

    def settle(self) -> None:
        """Drops what the recording itself has changed: its own counters and caches.

        Raises:
            ProgramError: it has put tensors into a list or dict, which no later run would.
        """
        for read in self.reads:
            known = {id(item) for item in read.content or ()}
            added = [item for item in _content(read.now()) or () if id(item) not in known]
            if read.content is not None and any(map(_is_value, added)):
                read.put_back()
                raise ProgramError(
                    f"the function puts tensors into {read.kind} `{read.name}`",
                    expected="a function that returns its tensors: a compiled one puts nothing "
                    "into lists and dicts when it runs",
                    fix=f"return them, and fill `{read.name}` outside",
                )
        self.reads = [r for r in self.reads if _is_unchanged(r, r.now())]

    def changed(self) -> str | None:
        """Says what is no longer as it was; `None` when all is."""
        for read in self.reads:
            now = read.now()
            if (now is not read.value or read.content is not None) and not _is_unchanged(read, now):
                return read.describe(now)
        return None


def _is_unchanged(read: _Read, now: Any) -> bool:
    if read.content is None or now is not read.value:
        return _is_equal(read.value, now)
    content = _content(now) or ()
    return len(content) == len(read.content) and all(map(_is_equal, read.content, content))


def _is_equal(before: Any, now: Any) -> bool:
    return now is before or (is_plain(before) and is_same(now, before))


def _content(value: Any) -> tuple[Any, ...] | None:
    """What stands in a short list or dict; `None` for anything else."""
    if value.__class__ not in (list, dict) or len(value) > _MAX_CONTENT:
        return None
    return tuple(value) if value.__class__ is list else (*value, *value.values())


def _is_value(item: Any) -> bool:
    return isinstance(item, Tensor) and isinstance(item._data, Value)


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
            yield _Read("variable", name, cell, value, _content(value))
    space = function.__globals__
    for name in sorted(_names(function.__code__)):
        value = space.get(name, _MISSING)
        if _counts(value):
            yield _Read("global", name, space, value, _content(value))


def _names(code: CodeType) -> set[str]:
    return {name for each in nested_codes(code) for name in each.co_names}


def _codes_of(function: Any, reads: Sequence[_Read]) -> Iterator[CodeType]:
    """Code of the function and of the functions it names."""
    for found in (function, *[read.value for read in reads]):
        found = getattr(found, "__func__", found)
        code = getattr(getattr(found, "__wrapped__", found), "__code__", None)
        if isinstance(code, CodeType):
            yield code


def _reads_of_self(method: MethodType) -> Iterator[_Read]:
    """Attributes of the method's object."""
    yield from _reads_of_object(method.__self__, attributes_read(method.__func__.__code__), "")


def _reads_of_object(
    owner: Any, names: frozenset[str], prefix: str, depth: int = 2
) -> Iterator[_Read]:
    """Attributes that are read of a plain object, such as a configuration.

    Layers have guards of their own; what Proa itself keeps in an object is not looked at.
    """
    fields = getattr(owner, "__dict__", None)
    if not isinstance(fields, dict) or _is_known(owner):
        return
    for name in sorted(names & fields.keys()):
        value = fields[name]
        if _counts(value):
            yield _Read("attribute", f"{prefix}{name}", fields, value, _content(value), name)
            if depth > 1:
                yield from _reads_of_object(value, names, f"{prefix}{name}.", depth - 1)


def _is_known(owner: Any) -> bool:
    """Whether changes of an object are seen otherwise, or concern no program."""
    if isinstance(owner, Tensor | type | ModuleType | FunctionType | MethodType):
        return True
    module = type(owner).__module__ or ""
    return hasattr(owner, "guard") or module.partition(".")[0] in _TRUSTED


def _counts(value: Any) -> bool:
    if value is _MISSING or isinstance(value, type | ModuleType):
        return False
    return not _is_trusted(value) if isinstance(value, FunctionType) else True


def _is_trusted(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] in _TRUSTED
