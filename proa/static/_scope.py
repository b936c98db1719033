"""Scopes: where static code looks for values by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from proa.core import Tensor, run_eagerly

from ._program import default_main_program


class ScopeVariable:
    """A tensor that was found by its name."""

    def __init__(self, name: str, tensor: Tensor) -> None:
        self.name, self._tensor = name, tensor

    def get_tensor(self) -> Any:
        """Returns the tensor; `numpy.array` of it gives its values."""
        return _Values(self._tensor)


class _Values:
    """The values of a tensor, to be read and set."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with run_eagerly():
            return np.asarray(self._tensor.numpy(), dtype)

    def set(self, value: Any, place: Any = None) -> None:
        """Gives the tensor other values of its shape."""
        with run_eagerly():
            self._tensor.set_value(value)  # type: ignore[attr-defined]

    def shape(self) -> list[int]:
        """Returns the sizes."""
        return self._tensor.shape


class Scope:
    """Values by name: those of the persistable tensors of the default main Program."""

    def find_var(self, name: str) -> ScopeVariable | None:
        """Returns a variable by its name, or `None`."""
        found = default_main_program()._recorder.persistables().get(name)
        return None if found is None else ScopeVariable(name, found)

    def var(self, name: str) -> ScopeVariable | None:
        """Does what `find_var` does."""
        return self.find_var(name)


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
    """Makes a scope the global one inside; tensors keep their own values in any case."""
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
