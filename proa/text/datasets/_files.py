"""Where the files of the data sets are, and the dictionaries that several of them build."""

from __future__ import annotations

import os
import tarfile
from collections import Counter
from pathlib import Path

from proa.core import InvalidArgumentError, NotFoundError


def find_file(given: str | Path | None, name: str, file_name: str) -> Path:
    """The path given, or `PROA_DATA/<name>/<file_name>`, which must be a file.

    Args:
        given: the path that the user gave, or `None`.
        name: folder of the data set.
        file_name: name of the file there.

    Raises:
        NotFoundError: no such file; says where to put it.
    """
    place = Path(os.environ.get("PROA_DATA", "data"), name, file_name)
    path = place if given is None else Path(given)
    if not path.is_file():
        raise NotFoundError(
            f"no file {str(path)!r} for the data set {name!r}",
            expected=f"the file {file_name}",
            fix=f"pass its path, or set PROA_DATA to a folder that holds {name}/{file_name}; "
            "nothing is downloaded",
        )
    return path


def check_mode(mode: str, *known: str) -> str:
    """The mode in lower case.

    Raises:
        InvalidArgumentError: an unknown one.
    """
    if not isinstance(mode, str) or mode.lower() not in known:
        raise InvalidArgumentError(
            f"`mode` is {mode!r}", expected="one of " + ", ".join(known), fix="choose one"
        )
    return mode.lower()


def member_lines(archive: tarfile.TarFile, name: str) -> list[str]:
    """Lines of a file in an archive, without their ends.

    Raises:
        NotFoundError: the archive has no such file.
    """
    found = [m for m in archive.getnames() if m == name or m.lstrip("./") == name.lstrip("./")]
    held = archive.extractfile(found[0]) if found else None
    if held is None:
        raise NotFoundError(
            f"the archive {str(archive.name)!r} has no file {name!r}",
            expected="the archive as it is published",
            fix="get the archive again",
        )
    return held.read().decode("utf-8", "replace").splitlines()


def numbered(frequency: Counter[str], cutoff: int) -> dict[str, int]:
    """Words that occur more often than `cutoff`, the most frequent first, numbered from 0."""
    kept = [(word, n) for word, n in frequency.items() if n > cutoff]
    kept.sort(key=lambda pair: (-pair[1], pair[0]))
    return {word: i for i, (word, _) in enumerate(kept)}
