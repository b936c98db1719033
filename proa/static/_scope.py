"""Scopes: where static code looks for values by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

from proa.core import DenseTensor, Tensor

from ._program import Program, default_main_program


class ScopeVariable:
    """A variable of a scope: a tensor of a Program, or one that the scope holds itself."""

    def __init__(self, name: str, tensor: Tensor | None = None) -> None:
        self.name, self._values = name, DenseTensor(tensor)

    def get_tensor(self) -> DenseTensor:
        """Returns the values, to be read and set; one of the scope's own takes any array."""
        return self._values


class Scope:
    """Values by name: persistable tensors of Programs that ran, and variables of its own.

    The default main Program's tensors are found in any scope.

    Examples:
        >>> import numpy, proa
        >>> scope = proa.static.Scope()
        >>> scope.var("total").get_tensor().set(numpy.zeros(2), proa.CPUPlace())
        >>> numpy.array(scope.find_var("total").get_tensor()).tolist()
        [0.0, 0.0]
    """

    def __init__(self) -> None:
        self._programs: WeakSet[Program] = WeakSet()
        self._variables: dict[str, ScopeVariable] = {}

    def take(self, program: Program) -> None:
        """Makes the persistable tensors of a Program findable."""
        self._programs.add(program)

    def find_var(self, name: str) -> ScopeVariable | None:
        """Returns a variable by its name, or `None`."""
        own = self._variables.get(name)
        if own is not None:
            return own
        for program in (default_main_program(), *self._programs):
            found = program._recorder.persistables().get(name)
            if found is not None:
                return ScopeVariable(name, found)
        return None

    def var(self, name: str) -> ScopeVariable:
        """Returns a variable by its name; makes an empty one if there is none."""
        found = self.find_var(name)
        if found is None:
            found = self._variables[name] = ScopeVariable(name)
        return found

    def erase(self, names: list[str]) -> None:
        """Forgets variables that the scope holds itself."""
        for name in names:
            self._variables.pop(name, None)

    def local_var_names(self) -> list[str]:
        """Returns the names of variables that the scope holds itself."""
        return list(self._variables)

    def new_scope(self) -> Scope:
        """Returns another scope."""
        return Scope()

    def drop_kids(self) -> None:
        """Drops nothing: scopes made by `new_scope` stand for themselves."""


_scopes = [Scope()]


def global_scope() -> Scope:
    """Returns the scope in which static code finds values.

    Examples:
        >>> import proa
        >>> proa.static.global_scope().find_var("nothing") is None
        True
    """
    return _scopes[-1]


@contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Makes a scope the global one inside; tensors of Programs keep their values.

    Args:
        scope (Scope): the scope.
    """
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
