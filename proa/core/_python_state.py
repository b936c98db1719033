"""Which plain Python values a function reads: numbers, strings and flags outside its arguments."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_READS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
# Methods that no call of a compiled function runs.
_NOT_RUN = frozenset({"__init__", "__repr__", "extra_repr"})


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a string, a flag, or a tuple of them."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, _PLAIN)


def is_same(a: Any, b: Any) -> bool:
    """Whether two plain values are one to a program: 1 and True, or 0.0 and -0.0, are not."""
    if a is b:
        return True
    return a.__class__ is b.__class__ and repr(a) == repr(b)


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of all functions written inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested_codes(constant)


@lru_cache(maxsize=4096)
def attributes_read(code: CodeType) -> frozenset[str]:
    """Names of attributes that a function reads, of whatever object."""
    return frozenset(
        instruction.argval
        for each in nested_codes(code)
        for instruction in dis.get_instructions(each)
        if instruction.opname in _READS
    )


@lru_cache(maxsize=1024)
def attributes_methods_read(cls: type) -> frozenset[str]:
    """Names of attributes that the methods of a class read."""
    found: set[str] = set()
    for base in cls.__mro__:
        for name, member in vars(base).items():
            function = member.fget if isinstance(member, property) else member
            if isinstance(function, FunctionType) and name not in _NOT_RUN:
                found |= attributes_read(function.__code__)
    return frozenset(found)
