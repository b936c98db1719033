"""Checks of schedule arguments, with one wording for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proa.core._errors import InvalidArgumentError, InvalidTypeError


def require_type(owner: str, name: str, value: Any, kinds: tuple[type, ...]) -> None:
    """Raises unless `value` is of one of `kinds`; a bool is not a number here."""
    if isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds):
        return
    wanted = " or ".join(kind.__name__ for kind in kinds)
    raise InvalidTypeError(
        f"{owner}: `{name}` is a {type(value).__name__}, {value!r}",
        expected=wanted,
        fix=f"give `{name}` as {wanted}",
    )


def require(condition: bool, owner: str, name: str, value: Any, expected: str) -> None:
    """Raises, naming the argument, unless `condition` holds."""
    if not condition:
        raise InvalidArgumentError(
            f"{owner}: `{name}` is {value!r}",
            expected=expected,
            fix=f"change `{name}`",
        )


def require_count(owner: str, name: str, value: Any) -> None:
    """Raises unless `value` is a positive whole number."""
    require_type(owner, name, value, (int,))
    require(value > 0, owner, name, value, "a positive whole number of steps")


def require_number(owner: str, name: str, value: Any) -> None:
    """Raises unless `value` is an int or a float."""
    require_type(owner, name, value, (int, float))


def require_function(owner: str, name: str, value: Any) -> None:
    """Raises unless `value` can be called."""
    if not isinstance(value, Callable):
        raise InvalidTypeError(
            f"{owner}: `{name}` is a {type(value).__name__}, {value!r}",
            expected="a function of the counter that returns a factor",
            fix=f"give `{name}` as a function, for example `lambda epoch: 0.95**epoch`",
        )
