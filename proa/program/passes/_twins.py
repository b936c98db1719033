"""Rewriting with two forms of a Value: as it was, and in another dtype or layout."""

from __future__ import annotations

from collections.abc import Callable

from .._program import Call, Program, Value
from ._rewrite import Builder


class Twins:
    """Values that exist in another form too; one is made from the other where it is missing.

    Args:
        program: the Program that is rewritten.
        there: adds calls that make the other form of a Value.
        back: adds calls that make a Value from its other form; it gets the old one as well.
    """

    def __init__(
        self,
        program: Program,
        there: Callable[[Builder, Value], Value],
        back: Callable[[Builder, Value, Value], Value],
    ) -> None:
        self.builder = Builder(program)
        self._there, self._back = there, back
        self._twins: dict[Value, Value] = {}
        #: Values that exist in the other form only, so far.
        self._absent: set[Value] = set()
        self.changed = False

    def has(self, value: Value) -> bool:
        """Whether the other form of a Value is there without making it."""
        return value in self._twins

    def twin(self, value: Value) -> Value:
        """Returns the other form of a Value."""
        if value not in self._twins:
            self._twins[value] = self._there(self.builder, self.builder.now(value))
        return self._twins[value]

    def plain(self, value: Value) -> Value:
        """Returns a Value in the form that it had."""
        if value in self._absent:
            self._absent.discard(value)
            self.builder.renamed[value] = self._back(self.builder, value, self._twins[value])
        return self.builder.now(value)

    def keep(self, call: Call) -> None:
        """Takes a call over as it was."""
        for value in call.inputs:
            self.plain(value)
        self.builder.keep(call)

    def set(self, value: Value, made: Value) -> None:
        """Says that a Value has been made in the other form."""
        self._twins[value] = made
        self._absent.add(value)
        self.changed = True

    def replace(self, value: Value, made: Value) -> None:
        """Says that a Value has been made anew in the form that it had."""
        self.builder.renamed[value] = made
        self.changed = True

    def finish(self) -> Program:
        """Returns the new Program; the old one where nothing has changed."""
        if not self.changed:
            return self.builder.program
        outputs = [self.plain(v) for v in self.builder.program.outputs]
        return self.builder.finish(outputs)
