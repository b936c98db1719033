"""Where a model comes from: files or bytes, their digest, and the folder beside them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.formats import Artifact, check_artifact, read_model

# In the order in which they are looked for.
_PAIRS = (".json", ".pdmodel")


@dataclass(frozen=True)
class Source:
    """A model in files or in memory.

    Attributes:
        path: the model's file, folder or prefix; `None` for a model in memory.
        params: the file of its parameters, for a Paddle model whose names differ.
        buffers: the bytes of both, for a model in memory.
    """

    path: Path | None = None
    params: Path | None = None
    buffers: tuple[bytes, bytes] | None = None

    def read(self) -> Artifact:
        """Reads the model.

        Raises:
            NotFoundError, ArtifactError, UnsupportedError: as the reader says.
        """
        with self._files() as (path, params):
            return read_model(path, params)

    def check(self) -> None:
        """Compares an artifact with the digest that it carries, without reading it further.

        Raises:
            ArtifactError: it was altered.
        """
        with self._files() as (path, params):
            for file in _parts(path, params):
                if file.suffix == ".proa":
                    check_artifact(file)

    def digest(self) -> str:
        """Returns a digest of the model's bytes."""
        total = hashlib.sha256()
        with self._files() as (path, params):
            for file in _parts(path, params):
                total.update(file_digest(file))
        return total.hexdigest()

    @property
    def cache_folder(self) -> Path | None:
        """The folder beside the model for what is derived from it."""
        if self.path is None:
            return None
        found = next(iter(_parts(self.path, self.params)), self.path)
        named = self.path if self.path.is_dir() else found
        return named.with_name(named.name + ".cache")

    @contextmanager
    def _files(self) -> Iterator[tuple[Path, Path | None]]:
        if self.buffers is None:
            if self.path is None:
                raise InvalidArgumentError(
                    "this Config has no model",
                    expected="the path of a .proa artifact, or of a Paddle model",
                    fix="write Config('model.proa')",
                )
            yield self.path, self.params
            return
        with tempfile.TemporaryDirectory() as folder:
            program, params = self.buffers
            path = Path(folder) / ("model" + _suffix(program))
            path.write_bytes(program)
            beside = path.with_suffix(".pdiparams") if params else None
            if beside is not None:
                beside.write_bytes(params)
            yield path, beside


def as_source(path: Any, params: Any = None) -> Source:
    """Returns what a user's path (or paths) mean.

    Raises:
        InvalidTypeError: not paths.
    """
    for given in (path, params):
        if given is not None and not isinstance(given, str | os.PathLike):
            raise InvalidTypeError(
                f"the model is given as {given!r} ({type(given).__name__})"[:200],
                expected="a file path",
                fix="write Config('model.proa')",
            )
    made = [None if not p else Path(os.fspath(p)) for p in (path, params)]
    return Source(made[0], made[1])


def _suffix(program: bytes) -> str:
    if program.startswith(b"PK"):
        return ".proa"
    return ".json" if program.lstrip().startswith(b"{") else ".pdmodel"


def _parts(path: Path, params: Path | None) -> list[Path]:
    """The files that make up a model, as far as they are there."""
    if path.is_dir():
        return sorted(p for p in path.iterdir() if p.is_file())
    artifact = path if path.suffix == ".proa" else path.with_name(path.name + ".proa")
    if params is None and not (path.is_file() and path != artifact) and artifact.is_file():
        return [artifact]
    stem = path.with_suffix("") if path.suffix in _PAIRS else path
    named = [path, *[stem.with_name(stem.name + suffix) for suffix in _PAIRS]]
    found = [p for p in named if p.is_file()][:1]
    beside = params or stem.with_name(stem.name + ".pdiparams")
    held = sorted(beside.iterdir()) if beside.is_dir() else [beside]
    return found + [p for p in held if p.is_file()]


def file_digest(path: Path) -> bytes:
    """Returns a digest of a file; of an artifact the one that it carries."""
    if path.suffix == ".proa":
        # Its last 64 characters are the digest of the rest, which reading it has checked.
        with path.open("rb") as file:
            file.seek(-min(64, path.stat().st_size), os.SEEK_END)
            return file.read()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
