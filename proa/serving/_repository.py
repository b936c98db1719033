"""A folder of models, `NAME/VERSION/model.proa`, and what is loaded of it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from proa.core import NotFoundError, PreconditionError, UnknownNameError
from proa.inference import Config, Predictor, create_predictor

from ._statistics import Statistics

_STEM = "model"
_ENDINGS = (".proa", ".json", ".pdmodel")


@dataclass(frozen=True)
class Version:
    """A loaded version: its predictor, the state of its files when loaded, what it has done."""

    name: str
    number: int
    predictor: Predictor
    stamp: tuple[tuple[str, int, int], ...]
    statistics: Statistics = field(default_factory=Statistics)


@dataclass(frozen=True)
class Entry:
    """A line of the index: a version and whether it serves, or why not."""

    name: str
    version: str
    ready: bool
    reason: str = ""


class Repository:
    """The models of a folder.

    What serves is replaced whole, in one assignment, so that a request sees either the old or the
    new; a request in flight holds its version, which is freed when the last one is answered.

    Args:
        folder: holds `NAME/VERSION/model.proa`, or Paddle's `model.json` or `model.pdmodel` with
            `model.pdiparams`; VERSION is a whole number above 0.

    Raises:
        NotFoundError: there is no such folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        if not self._folder.is_dir():
            raise NotFoundError(
                f"no folder {str(folder)!r}",
                expected="a folder of NAME/VERSION/model.proa",
                fix="make it, or check the path",
            )
        self._loading = threading.Lock()
        self._serving: Mapping[str, Mapping[int, Version]] = MappingProxyType({})
        self._refused: Mapping[str, Mapping[int, str]] = MappingProxyType({})

    def names(self) -> list[str]:
        """Returns the names of the models that the folder holds."""
        return sorted(path.name for path in self._folder.iterdir() if _numbers(path))

    def load_all(self) -> None:
        """Loads all models; what cannot be loaded stands in the index with its reason."""
        for name in self.names():
            self._update(name)

    def load(self, name: str) -> None:
        """Brings a model to the state of its folder: new versions serve, vanished ones do not.

        A version that fails to load or whose golden samples differ is refused. One of that number
        that serves goes on serving.

        Raises:
            UnknownNameError: the folder holds no such model.
            PreconditionError: a version was refused; the message has the reason.
        """
        if name not in self.names():
            raise UnknownNameError(
                f"there is no model {name!r} in the repository",
                expected=f"one of {self.names()}",
                fix="put it at NAME/VERSION/model.proa",
            )
        self._update(name)
        refused = self._refused.get(name, {})
        if refused:
            raise PreconditionError(
                "; ".join(f"{name} version {n} was refused: {why}" for n, why in refused.items()),
                expected="versions that load and give the results of their golden samples",
                fix="repair or remove the version; those that served go on serving",
            )

    def unload(self, name: str) -> None:
        """Takes a model out of service; requests in flight are answered.

        Raises:
            UnknownNameError: it is not loaded.
        """
        with self._loading:
            self._loaded(name)
            self._publish(name, {}, {})

    def find(self, name: str, version: str = "") -> Version:
        """Returns a loaded version; without a number the highest.

        Raises:
            UnknownNameError: it is not loaded.
        """
        versions = self._loaded(name)
        if not version:
            return versions[max(versions)]
        for number, found in versions.items():
            if str(number) == version:
                return found
        raise UnknownNameError(
            f"model {name!r} has no version {version!r} that is ready",
            expected=f"one of {sorted(versions)}",
            fix="load it, or leave the version out",
        )

    def versions(self, name: str) -> list[Version]:
        """Returns the loaded versions of a model, lowest first; none where it is not loaded."""
        return [version for _, version in sorted(self._serving.get(name, {}).items())]

    def index(self) -> list[Entry]:
        """Returns all versions, of the folder and loaded, and whether they are ready."""
        serving, refused = self._serving, self._refused
        lines = []
        for name in sorted({*self.names(), *serving}):
            ready, bad = serving.get(name, {}), refused.get(name, {})
            for number in sorted({*_numbers(self._folder / name), *ready, *bad}):
                reason = bad.get(number, "" if number in ready else "unloaded")
                lines.append(Entry(name, str(number), number in ready, reason))
        return lines

    def _loaded(self, name: str) -> Mapping[int, Version]:
        versions = self._serving.get(name)
        if not versions:
            raise UnknownNameError(
                f"model {name!r} is not ready",
                expected=f"one of {sorted(self._serving)}",
                fix="load it, and see the repository index for what was refused",
            )
        return versions

    def _update(self, name: str) -> None:
        with self._loading:
            old = self._serving.get(name, {})
            new: dict[int, Version] = {}
            refused: dict[int, str] = {}
            for number in _numbers(self._folder / name):
                try:
                    new[number] = self._load_version(name, number, old.get(number))
                # Whatever a file can raise is the reason why it is refused.
                except Exception as error:
                    refused[number] = f"{type(error).__name__}: {error}"
                    if number in old:
                        new[number] = old[number]
            self._publish(name, new, refused)

    def _load_version(self, name: str, number: int, old: Version | None) -> Version:
        folder = self._folder / name / str(number)
        stamp = _stamp(folder)
        if old is not None and old.stamp == stamp:
            return old
        predictor = create_predictor(Config(_model_file(folder)))
        _warm(predictor)
        return Version(name, number, predictor, stamp)

    def _publish(self, name: str, ready: dict[int, Version], refused: dict[int, str]) -> None:
        self._serving = _replaced(self._serving, name, ready)
        self._refused = _replaced(self._refused, name, refused)


def _replaced(table: Mapping[str, Any], name: str, value: Any) -> Mapping[str, Any]:
    changed = {key: kept for key, kept in table.items() if key != name}
    if value:
        changed[name] = value
    return MappingProxyType(changed)


def _numbers(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    names = [path.name for path in folder.iterdir() if path.is_dir()]
    # `isdecimal` alone admits digits of other scripts, and 01, which is not the folder of 1.
    return sorted(int(n) for n in names if n.isascii() and n.isdecimal() and n[0] != "0")


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files)


def _model_file(folder: Path) -> Path:
    for ending in _ENDINGS:
        path = folder / f"{_STEM}{ending}"
        if path.is_file():
            return path
    raise NotFoundError(
        f"no model in {folder.name!r}",
        expected=" or ".join(f"{_STEM}{ending}" for ending in _ENDINGS),
        fix="put the model there under that name",
    )


def _warm(predictor: Predictor) -> None:
    """Compiles one row, where inputs can be made up; other shapes compile at first use."""
    try:
        inputs = predictor.sample_inputs(batch=1)
    except ValueError:
        return
    predictor.run(inputs)
