"""Exceptions in three parts: what came in, what was expected, what to do."""

from __future__ import annotations

import sys

_PACKAGE = __name__.partition(".")[0]
# Where users find functions; nothing is imported to look.
_SHELVES = (_PACKAGE, f"{_PACKAGE}.nn.functional", f"{_PACKAGE}.linalg")


def where_to_read(function: str) -> str:
    """Returns the call that shows a public function's documentation, for the last part."""
    for shelf in _SHELVES:
        if function in getattr(sys.modules.get(shelf), "__dict__", ()):
            return f"help({shelf}.{function})"
    return f"the documentation of `{function}`"


class ProaError(Exception):
    """Base of all errors that Proa raises.

    Args:
        got: what came in: the argument, its value, shape, dtype.
        expected: what was expected instead.
        fix: what the user can do about it.
    """

    def __init__(self, got: str, *, expected: str = "", fix: str = "") -> None:
        self.got, self.expected, self.fix = got, expected, fix
        parts = [got]
        if expected:
            parts.append(f"Expected: {expected}")
        if fix:
            parts.append(f"Fix: {fix}")
        super().__init__("\n  ".join(parts))

    def __str__(self) -> str:
        return str(self.args[0])


class InvalidArgumentError(ProaError, ValueError):
    """A value, shape or combination of arguments that cannot work."""


class InvalidTypeError(ProaError, TypeError):
    """An argument of the wrong Python type or dtype."""


class OutOfRangeError(ProaError, IndexError, ValueError):
    """An index, label or axis outside its range.

    Also a `ValueError`, as NumPy's error of an axis: code written for Paddle expects that of
    axes and labels, and an `IndexError` of indices.
    """


class NotFoundError(ProaError, FileNotFoundError):
    """A file, folder or name that is not there."""

    __str__ = ProaError.__str__


class NotWritableError(ProaError, OSError):
    """A file that cannot be written: no permission, no space, or a folder in its place."""

    __str__ = ProaError.__str__


class UnknownNameError(ProaError, KeyError):
    """A key, flag, device or op name that does not exist."""

    __str__ = ProaError.__str__


class MissingAttributeError(ProaError, AttributeError):
    """An attribute that an object does not have."""


class MissingModuleError(ProaError, ModuleNotFoundError):
    """A module, or a name to import from one, that does not exist."""

    __str__ = ProaError.__str__


class PreconditionError(ProaError, RuntimeError):
    """A call at a moment or in a state in which it cannot work."""


class UnsupportedError(ProaError, NotImplementedError):
    """A request that cannot work here (device, platform, construct)."""


class NonFiniteError(ProaError, FloatingPointError):
    """A NaN or Inf found while `FLAGS_check_nan_inf` is on."""


class DivisionByZeroError(ProaError, ZeroDivisionError):
    """An integer division or negative integer power that has no value."""


class FailedAssertionError(ProaError, AssertionError):
    """An `assert` of a compiled function that does not hold."""


class ArtifactError(ProaError, RuntimeError):
    """An artifact or checkpoint that is truncated, altered or of another kind."""


class ProgramError(ProaError, RuntimeError):
    """A Program that breaks its grammar, or code that cannot be recorded."""
