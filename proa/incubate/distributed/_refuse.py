"""The one way in which names that cannot work here say so."""

from __future__ import annotations

from typing import NoReturn

from proa.core import UnsupportedError


def refuse(what: str, fix: str) -> NoReturn:
    """Raises for a function of Paddle's own servers and program files.

    Args:
        what: the call.
        fix: what to use.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        what,
        expected="programs and files of Proa: Paddle's program descriptions and parameter "
        "servers are not part of it",
        fix=fix,
    )
