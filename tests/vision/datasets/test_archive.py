"""Archives give their files, whether compressed or not, and are found on the machine."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from proa.core import ArtifactError, NotFoundError
from proa.vision.datasets import _archive
from proa.vision.datasets._archive import Archive, local_file
from tests.vision.datasets.archives import write

MEMBERS = {"a/1": b"one", "a/2": b"two" * 400, "b": b""}


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_reads(tmp_path: Path, mode: str) -> None:
    path = write(tmp_path / "t", MEMBERS, mode)
    archive = Archive(path, lambda name: name != "a/1", "t.tar")
    # Workers that load data get a copy.
    for copy in (archive, pickle.loads(pickle.dumps(archive))):
        assert copy.read("a/2") == MEMBERS["a/2"]
        assert copy.read("b") == b""
        with pytest.raises(ArtifactError, match="has no file 'a/1'\n  Expected: t.tar as its"):
            copy.read("a/1")


def test_no_archive(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"x" * 2000)
    with pytest.raises(ArtifactError, match="the archive '.*t': "):
        Archive(tmp_path / "t", bool, "t.tar")
    whole = write(tmp_path / "g", {"a": bytes(range(256)) * 400}, "w:gz").read_bytes()
    (tmp_path / "g").write_bytes(whole[:-40])
    with pytest.raises(ArtifactError, match="the archive '.*g': "):
        Archive(tmp_path / "g", bool, "t.tar")


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archive, "_FETCHED", tmp_path / "cache")
    monkeypatch.setenv("PROA_DATA", str(tmp_path / "home"))

    def place(*parts: str) -> Path:
        path = tmp_path.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        return path

    with pytest.raises(NotFoundError, match="no archive '.*home/f.tar'(.|\n)*pass data_file=..."):
        local_file(None, "f.tar", "flowers", "data_file")
    for parts in (("cache", "flowers"), ("home", "flowers"), ("home",)):
        expected = place(*parts, "f.tar")
        assert local_file(None, "f.tar", "flowers", "data_file") == expected
    with pytest.raises(NotFoundError, match="no archive 'given'"):
        local_file("given", "f.tar", "flowers", "data_file")
