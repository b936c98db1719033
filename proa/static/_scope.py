"""Scopes: where static code looks for values by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import numpy as np

from proa.core import PreconditionError, Tensor, run_eagerly

from ._program import Program, default_main_program


class ScopeVariable:
    """A variable of a scope: a tensor of a Program, or one that the scope holds itself."""

    def __init__(self, name: str, tensor: Tensor | None = None) -> None:
        self.name, self._tensor = name, tensor

    def get_tensor(self) -> Any:
        """Returns the tensor; `numpy.array` of it gives its values."""
        return _Values(self)


class _Values:
    """The values of a variable, to be read and set."""

    def __init__(self, variable: ScopeVariable) -> None:
        self._variable = variable

    def _require(self) -> Tensor:
        found = self._variable._tensor
        if found is None:
            raise PreconditionError(
                f"the variable {self._variable.name!r} of a scope has no value",
                expected="a variable that was set",
                fix="call get_tensor().set(array, place) before",
            )
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with run_eagerly():
            return np.asarray(self._require().numpy(), dtype)

    def set(self, value: Any, place: Any = None) -> None:
        """Gives a tensor of a Program other values of its shape; another variable any value."""
        with run_eagerly():
            if self._variable._tensor is None or not self._variable._tensor.persistable:
                self._variable._tensor = Tensor(np.asarray(value))
            else:
                self._variable._tensor.set_value(value)  # type: ignore[attr-defined]

    def shape(self) -> list[int]:
        """Returns the sizes."""
        return list(self._require().shape)

    def __repr__(self) -> str:
        return repr(self.__array__())


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
