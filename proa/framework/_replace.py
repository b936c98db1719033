"""Writing files so that a crash leaves the previous one: a temporary name, then a rename."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core import NotWritableError, ProaError

_SUFFIX = ".tmp"


@contextmanager
def replace_file(target: Path) -> Iterator[Path]:
    """Gives a temporary path beside `target`, and moves it there when the block succeeds.

    The new content is on the disk before it takes the old one's name, so at any moment
    `target` is the old file or the new one. When the block fails, nothing is left behind; what
    a killed process left behind is removed by the next one that writes the same file.

    Args:
        target: the file to write; its folder is made when it is missing.

    Raises:
        NotWritableError: the system refuses to write there.
    """
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f"{_prefix(target)}{os.getpid()}.", suffix=_SUFFIX
        )
        os.close(handle)
        temporary = Path(name)
        # `mkstemp` makes files that nobody else can read; a file by `open` follows the umask.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError | ValueError) and not isinstance(error, ProaError):
            raise _not_writable(target, error) from error
        raise
    _sync(target.parent)


def _not_writable(target: Path, error: Exception) -> NotWritableError:
    reason = getattr(error, "strerror", None) or error
    return NotWritableError(
        f"{str(target)!r} cannot be written: {reason}",
        expected="a file name in a folder that you may write to, with space left",
        fix="choose another path, or check its permissions and the free space (df)",
    )


def _prefix(target: Path) -> str:
    # With the machine's name: on a shared disk, other machines have other processes.
    return f".{target.name}.{socket.gethostname()}."


def _remove_leftovers(target: Path) -> None:
    """Removes temporary files of processes of this machine that are no more."""
    prefix = _prefix(target)
    for entry in os.listdir(target.parent):
        if entry.startswith(prefix) and entry.endswith(_SUFFIX):
            number = entry.removeprefix(prefix).partition(".")[0]
            if number.isdigit() and not _is_alive(int(number)):
                (target.parent / entry).unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
