"""The four files of a data set are found where the documentation says, in that order."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from proa.core._errors import NotFoundError
from proa.vision.datasets import _files

NAMES = [
    f"{part}-{rest}-ubyte" for part in ("train", "t10k") for rest in ("images-idx3", "labels-idx1")
]


def _fill(folder: Path, suffix: str = "") -> Path:
    folder.mkdir(parents=True)
    for name in NAMES:
        (folder / f"{name}{suffix}").write_text(name)
    return folder


@pytest.fixture(autouse=True)
def _bare_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROA_DATA", raising=False)
    monkeypatch.setattr(_files, "_SYSTEM", tmp_path / "system")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_folder(suffix: str, tmp_path: Path) -> None:
    files = _files.idx_files_in(_fill(tmp_path / "f", suffix), source="folder")
    assert files.source == "folder"
    assert files.images("train") == tmp_path / "f" / f"train-images-idx3-ubyte{suffix}"
    assert files.labels("train").name == f"train-labels-idx1-ubyte{suffix}"
    assert files.images("test").name == f"t10k-images-idx3-ubyte{suffix}"
    assert files.labels("test").name == f"t10k-labels-idx1-ubyte{suffix}"
    assert files.content_hash() == hashlib.sha256("".join(NAMES).encode()).hexdigest()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = _fill(tmp_path / "f")
    (folder / NAMES[3]).unlink()
    with pytest.raises(NotFoundError, match=f"has no file '{NAMES[3]}', plain or .gz\n  Expected"):
        _files.idx_files_in(folder, source="folder")


def test_the_order_of_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _files.find_idx_files("sample") is None
    _fill(tmp_path / "system" / "sample")
    assert _files.find_idx_files("sample").source == "system"
    monkeypatch.setenv("PROA_DATA", str(_fill(tmp_path / "mine")))
    found = _files.find_idx_files("sample")
    assert (found.source, found.test_labels.parent.name) == ("PROA_DATA", "mine")
    _fill(tmp_path / "mine" / "sample")
    assert _files.find_idx_files("sample").test_labels.parent.name == "sample"


def test_a_wrong_variable_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROA_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotFoundError, match=r"nowhere' \(PROA_DATA\) has no file 'train-images"):
        _files.find_idx_files("sample")
