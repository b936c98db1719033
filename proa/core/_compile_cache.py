"""The folder of compiled code: where it is, that it can be used, and that it does not grow on."""

from __future__ import annotations

import atexit
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

_TRIMMED = ".trimmed"
_DAY = 86_400.0
# Leaves room for a day, so that folders are not searched for each file.
_KEPT = 0.75


def default_folder() -> str:
    """Returns the folder in the user's home; in the temporary folder for users without one."""
    try:
        return str(Path.home() / ".cache" / "proa" / "xla")
    except RuntimeError:
        return str(Path(tempfile.gettempdir()) / f"proa-{getattr(os, 'getuid', int)()}" / "xla")


def usable_folder(folder: str) -> bool:
    """Makes the folder; warns and returns `False` where nothing can be written to it."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except (OSError, ValueError) as error:
        warnings.warn(
            f"compiled code is not kept for the next run: {folder!r} cannot be written "
            f"({getattr(error, 'strerror', None) or error}). Set FLAGS_compile_cache_dir to a "
            "folder that can, or FLAGS_compile_cache=0.",
            stacklevel=2,
        )
        return False


class _Failures:
    """Stands for a message pattern; lets one warning about the folder take the place of all.

    JAX warns of each entry it cannot read or write, which for a damaged or vanished folder
    means hundreds of times. It goes on without the entry in any case.
    """

    def __init__(self) -> None:
        self.seen = False

    def match(self, text: str) -> bool:
        """Whether a warning is one of those; the first is replaced by Proa's own."""
        if not text.startswith(("Error reading persistent comp", "Error writing persistent comp")):
            return False
        if not self.seen:
            self.seen = True
            warnings.warn(
                "the folder of compiled code has entries that cannot be read or written, so "
                f"code is compiled anew ({text.partition(': ')[2][:150]}). Delete the folder (see "
                "FLAGS_compile_cache_dir), or free space on its disk.",
                stacklevel=2,
            )
        return True


def warn_of_failures_once() -> None:
    """Replaces JAX's warnings about the folder by a single one."""
    pattern: Any = _Failures()
    warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache")
    # A filter's pattern is whatever has `match`; this one also knows what it has seen.
    filters: Any = warnings.filters
    filters[0] = ("ignore", pattern, UserWarning, None, 0)


def trim_folder(folder: str, limit: int) -> int:
    """Removes the oldest entries until the folder holds at most three quarters of the limit.

    Args:
        folder: the folder.
        limit: number of bytes up to which nothing is removed.

    Returns:
        How many entries were removed.
    """
    found = []
    for entry in os.scandir(folder):
        # Another process may be removing files too.
        try:
            if entry.name.endswith("-cache"):
                status = entry.stat()
                found.append((status.st_mtime, status.st_size, entry.path))
        except OSError:
            continue
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return 0
    removed = 0
    for _, size, path in sorted(found):
        if total <= limit * _KEPT:
            break
        Path(path).unlink(missing_ok=True)
        total -= size
        removed += 1
    return removed


def trim_at_exit(folder: str, limit: int) -> None:
    """Looks at the folder's size when the process ends, at most once a day."""
    if limit > 0:
        atexit.register(_trim_daily, folder, limit)


def _trim_daily(folder: str, limit: int) -> None:
    stamp = Path(folder) / _TRIMMED
    try:
        if stamp.exists() and time.time() - stamp.stat().st_mtime < _DAY:
            return
        stamp.touch()
        trim_folder(folder, limit)
    except OSError:
        return
