"""A decorator that marks what is to go."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from proa.core._errors import PreconditionError


def deprecated(
    update_to: str = "", since: str = "", reason: str = "", level: int = 0
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a function as deprecated.

    Args:
        update_to: full name of what to use instead.
        since: version since when it is deprecated.
        reason: why.
        level: 0 or 1 warns at each call (Python shows a warning once per place), 2 refuses the
            call.

    Returns:
        A decorator.

    Raises:
        PreconditionError: (from the decorated function) it is called and `level` is 2.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = f"{function.__module__}.{function.__qualname__}"
        notice = f"{name} is deprecated" + (f" since {since}" if since else "")
        notice += f": {reason}" if reason else ""
        advice = f"use {update_to}" if update_to else "stop using it"

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if level == 2:
                raise PreconditionError(notice, expected="a supported function", fix=advice)
            warnings.warn(f"{notice}; {advice}", DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return wrapped

    return decorate
