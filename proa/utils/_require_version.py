"""A check of the installed version."""

from __future__ import annotations

import re

from proa.core._errors import InvalidArgumentError, InvalidTypeError, PreconditionError
from proa.version import full_version

_VERSION = re.compile(r"\d+(\.\d+){0,3}")


def _parts(name: str, version: str) -> tuple[int, ...]:
    if not isinstance(version, str):
        raise InvalidTypeError(
            f"`{name}` is {version!r}", expected="a string", fix="write it as '0.1.0'"
        )
    if not _VERSION.fullmatch(version):
        raise InvalidArgumentError(
            f"`{name}` is {version!r}",
            expected="one to four numbers with dots between them",
            fix="write it as '0.1.0'",
        )
    numbers = [int(part) for part in version.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Fails unless the installed Proa lies in a range of versions.

    Args:
        min_version: lowest version allowed, such as `"0.1.0"`.
        max_version: highest version allowed; `None` for no limit.

    Raises:
        InvalidTypeError: a version is not a string.
        InvalidArgumentError: a version is not made of numbers and dots.
        PreconditionError: the installed version is outside the range.

    Examples:
        >>> import proa
        >>> proa.utils.require_version("0.0.1")
    """
    lowest = _parts("min_version", min_version)
    highest = None if max_version is None else _parts("max_version", max_version)
    own = _parts("version", full_version)
    if own < lowest or (highest is not None and own > highest):
        wanted = f"at least {min_version}" + (f" and at most {max_version}" if highest else "")
        raise PreconditionError(
            f"Proa {full_version} is installed",
            expected=wanted,
            fix="install a version in that range: pip install 'proa==...'",
        )
