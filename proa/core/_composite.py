"""The `@composite` decorator: public functions that call ops take bad arguments as ops do."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from ._dispatch import describe_array
from ._errors import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    ProaError,
    where_to_read,
)
from ._spellings import bind, respelled_keywords
from ._tensor import Tensor, to_tensor

F = TypeVar("F", bound=Callable[..., Any])
#: What a wrong argument sets off inside; anything else is a defect, and passes as it is.
_FAILURES = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, AssertionError)


def composite(function: F) -> F:
    """Decorator of a public function that calls ops but is none itself.

    Where the function fails, parameters annotated as `Tensor` that were given lists or arrays
    are converted, as ops do, and it runs again. What still goes wrong becomes an error in
    three parts that names the function and what it was given. Second spellings of parameters
    are understood likewise (`_spellings.py`). A call that succeeds pays nothing for this.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _FAILURES as error:
            if isinstance(error, ProaError):
                raise
            signature = inspect.signature(function)
            found = respelled_keywords(signature, function.__name__, kwargs) if kwargs else None
            if found is not None:
                return call(*args, **found)
            arguments = bind(signature, function.__name__, args, kwargs)
            if not _convert(function, arguments):
                _refuse(error, function.__name__, arguments.arguments)
        try:
            return function(*arguments.args, **arguments.kwargs)
        except _FAILURES as error:
            _refuse(error, function.__name__, arguments.arguments)

    return call  # type: ignore[return-value]


def _convert(function: Callable[..., Any], bound: inspect.BoundArguments) -> bool:
    """Makes Tensors of lists and arrays; whether there were any.

    Raises:
        InvalidTypeError: something that can be no Tensor stands where one is needed.
    """
    has_changed = False
    for p in inspect.signature(function).parameters.values():
        value = bound.arguments.get(p.name)
        if p.annotation not in ("Tensor", "Tensor | None") or isinstance(value, Tensor):
            continue
        if value is None and p.default is None:
            continue
        if not isinstance(value, np.ndarray | np.generic | list | tuple | int | float | complex):
            raise InvalidTypeError(
                f"`{p.name}` of `{function.__name__}` is {value!r} ({type(value).__name__})"[:200],
                expected="a Tensor, or numbers in a list or a NumPy array",
                fix=f"pass a tensor: proa.to_tensor(...); see {where_to_read(function.__name__)}",
            )
        bound.arguments[p.name] = to_tensor(value)
        has_changed = True
    return has_changed


def _refuse(error: Exception, function: str, arguments: dict[str, Any]) -> NoReturn:
    if isinstance(error, ProaError):
        raise error
    kind: type[ProaError] = InvalidArgumentError
    if isinstance(error, TypeError | AttributeError):
        kind = InvalidTypeError
    elif isinstance(error, LookupError):
        kind = OutOfRangeError
    given = ", ".join(f"{name}: {_describe(value)}" for name, value in arguments.items())
    reason = str(error).strip().splitlines()
    raise kind(
        f"`{function}` cannot take these arguments ({given})",
        expected=f"other ones, since {reason[0][:300] if reason else type(error).__name__}",
        fix=f"check each of them against {where_to_read(function)}",
    ) from error


def _describe(value: Any) -> str:
    return describe_array(value._data) if isinstance(value, Tensor) else repr(value)[:60]
