"""The run folder: what is written where, and the hashes that say it is whole."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, NotFoundError, NotWritableError
from proa.framework import replace_file

SUMS = "SHA256SUMS"


class RunFolder:
    """Paths and small files of one run.

    Args:
        path: the folder; `runs/tour-<date>-<time>` when `None`.

    Raises:
        InvalidArgumentError: the folder exists and is not empty.
        NotWritableError: the folder cannot be made.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = Path("runs") / time.strftime("tour-%Y%m%d-%H%M%S") if path is None else path
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            state = "not empty" if self.path.is_dir() else "a file"
            raise InvalidArgumentError(
                f"run folder {str(self.path)!r} exists and is {state}",
                expected="a folder that is new or empty",
                fix="name another one with --out",
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotWritableError(
                f"run folder {str(self.path)!r} cannot be made: {error.strerror}",
                expected="a place where a folder may be made",
                fix="name another one with --out",
            ) from error

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Opens the folder of a finished run.

        Raises:
            NotFoundError: the folder, or the run in it, is not there.
        """
        if not (path / "facts.json").is_file():
            inside = sorted(file.parent for file in path.glob("*/facts.json"))
            example = inside[-1] if inside else "runs/tour-20260131-120000"
            raise NotFoundError(
                f"no finished run in {str(path)!r}",
                expected="a folder that `proa tour` wrote, with facts.json in it",
                fix=f"name the run folder itself, for example {example}",
            )
        folder = cls.__new__(cls)
        folder.path = path
        return folder

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def write(self, name: str, value: Any) -> None:
        """Writes a JSON file, whole or not at all."""
        with replace_file(self.path / name) as temporary:
            temporary.write_text(json.dumps(value, indent=1), encoding="utf-8")

    def read(self, name: str) -> Any:
        """Reads a JSON file of the run.

        Raises:
            NotFoundError: it is missing.
        """
        file = self.path / name
        if not file.is_file():
            raise NotFoundError(
                f"{name} is missing in {str(self.path)!r}",
                expected="the folder as `proa tour` left it",
                fix="run `proa tour` again",
            )
        return json.loads(file.read_text(encoding="utf-8"))

    def files(self) -> list[Path]:
        """All files whose hashes are kept, in order."""
        found = [f for f in sorted(self.path.rglob("*")) if f.is_file()]
        return [f for f in found if f.relative_to(self.path).as_posix() != SUMS]

    def sums(self) -> dict[str, str]:
        """SHA-256 of each file by its path in the folder."""
        return {
            f.relative_to(self.path).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest()
            for f in self.files()
        }

    def write_sums(self) -> None:
        """Writes the hashes in the form that `sha256sum -c` reads."""
        lines = [f"{digest}  {name}{os.linesep}" for name, digest in self.sums().items()]
        with replace_file(self.path / SUMS) as temporary:
            temporary.write_text("".join(lines), encoding="utf-8")

    def read_sums(self) -> dict[str, str]:
        """Hashes as they were when the run ended."""
        file = self.path / SUMS
        if not file.is_file():
            return {}
        pairs = (line.split(maxsplit=1) for line in file.read_text().splitlines())
        return {name: digest for digest, name in pairs}


def data_hash(files: Any) -> str:
    """One hash over the files of a data set, in their order."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()
