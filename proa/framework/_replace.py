"""Writing files so that a crash leaves the previous one: a temporary name, then a rename."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replace_file(target: Path) -> Iterator[Path]:
    """Gives a temporary path beside `target`, and moves it there when the block succeeds.

    The new content is on the disk before it takes the old one's name, so at any moment
    `target` is the old file or the new one. When the block fails, nothing is left behind.

    Args:
        target: the file to write; its folder is made when it is missing.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    os.close(handle)
    temporary = Path(name)
    try:
        # `mkstemp` makes files that nobody else can read; a file by `open` follows the umask.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(target.parent)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
