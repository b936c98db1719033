"""Archives of images: where they are on this machine, and their files one at a time."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

from proa.core import ArtifactError, NotFoundError

# Where Paddle keeps what it fetched.
_FETCHED = Path("~/.cache/paddle/dataset")


def local_file(given: str | Path | None, name: str, folder: str, argument: str) -> Path:
    """The path that was given, or that of a file of a data set on this machine.

    Looked in are the folder that the environment variable `PROA_DATA` names (else the working
    directory), its folder `folder`, and `~/.cache/paddle/dataset/<folder>`.

    Args:
        given: the path that the user gave, if any.
        name: the file's name as its authors publish it.
        folder: the data set's folder.
        argument: the argument to pass a path with, for the message.

    Raises:
        NotFoundError: the file is nowhere.
    """
    home = Path(os.environ.get("PROA_DATA", "."))
    places = (home, home / folder, _FETCHED.expanduser() / folder)
    candidates = [Path(given)] if given is not None else [place / name for place in places]
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        raise NotFoundError(
            f"there is no archive {str(candidates[0])!r}",
            expected=f"the file {name}",
            fix=f"put it there, set PROA_DATA, or pass {argument}=...; nothing is downloaded",
        )
    return found


def wrong_archive(path: Path, name: str, reason: str) -> ArtifactError:
    """The error for an archive that is damaged or another one."""
    return ArtifactError(
        f"the archive {str(path)!r}{reason}",
        expected=f"{name} as its authors publish it",
        fix="get the file again, or point to another copy",
    )


class Archive:
    """Files of a tar archive, plain or compressed.

    Of a plain archive places are kept, of a compressed one, which can only be read from its
    start on, the contents.

    Args:
        path: the archive.
        wanted: says of a file's name whether it will be asked for.
        name: the archive's name as its authors publish it, for messages.

    Raises:
        ArtifactError: it is no archive, or damaged.
    """

    def __init__(self, path: Path, wanted: Callable[[str], bool], name: str) -> None:
        self.path, self.name = path, name
        self._contents: dict[str, bytes] = {}
        self._places: dict[str, tuple[int, int]] = {}
        is_plain = _is_plain(path)
        try:
            with tarfile.open(path) as archive:
                for member in archive:
                    if not member.isfile() or not wanted(member.name):
                        continue
                    if is_plain:
                        self._places[member.name] = (member.offset_data, member.size)
                        continue
                    stream = archive.extractfile(member)
                    self._contents[member.name] = b"" if stream is None else stream.read()
        except (tarfile.TarError, EOFError, OSError) as error:
            raise wrong_archive(path, name, f": {error}") from error

    def read(self, member: str) -> bytes:
        """The content of a file.

        Raises:
            ArtifactError: the archive has no such file.
        """
        if member in self._contents:
            return self._contents[member]
        if member not in self._places:
            raise wrong_archive(self.path, self.name, f" has no file {member!r}")
        offset, size = self._places[member]
        with self.path.open("rb") as stream:
            stream.seek(offset)
            return stream.read(size)


def _is_plain(path: Path) -> bool:
    try:
        with tarfile.open(path, "r:"):
            return True
    except (tarfile.TarError, OSError):
        return False
