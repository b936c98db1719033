from __future__ import annotations

import hashlib

import pytest

from proa.core import NotFoundError
from proa.suites.tour._folder import UNSUMMED, RunFolder, data_hash


def test_files_are_summed_and_a_change_shows(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.write("facts.json", {"seed": 1})
    (folder / "sub").mkdir()
    (folder / "sub" / "weights").write_bytes(b"abc")
    folder.write_sums()
    assert folder.read_sums() == folder.sums()
    assert folder.sums()["sub/weights"] == hashlib.sha256(b"abc").hexdigest()
    (folder / "sub" / "weights").write_bytes(b"abd")
    assert folder.read_sums() != folder.sums()


def test_what_is_written_last_is_not_summed(tmp_path):
    folder = RunFolder(tmp_path / "run")
    for name in UNSUMMED:
        (folder / name).write_text("x")
    assert folder.sums() == {}
    (folder / "SHA256SUMS").unlink()
    assert folder.read_sums() == {}


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NotFoundError, match="facts.json is missing"):
        RunFolder(tmp_path / "run").read("facts.json")


def test_the_data_has_one_hash(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    files = [tmp_path / "a", tmp_path / "b"]
    assert data_hash(files) == hashlib.sha256(b"12").hexdigest()
    assert data_hash(files[::-1]) != data_hash(files)
