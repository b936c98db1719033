from __future__ import annotations

import hashlib

import pytest

from proa.core import InvalidArgumentError, NotFoundError, NotWritableError
from proa.suites.tour._folder import SUMS, RunFolder, data_hash


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


def test_the_file_of_sums_is_not_summed(tmp_path):
    folder = RunFolder(tmp_path / "run")
    (folder / SUMS).write_text("x")
    assert folder.sums() == {}
    (folder / SUMS).unlink()
    assert folder.read_sums() == {}


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NotFoundError, match="facts.json is missing"):
        RunFolder(tmp_path / "run").read("facts.json")


def test_a_place_that_holds_no_folder_is_named(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(InvalidArgumentError, match="exists and is a file"):
        RunFolder(file)
    with pytest.raises(NotWritableError, match="cannot be made: Not a directory"):
        RunFolder(file / "run")


def test_the_newest_run_is_proposed(tmp_path):
    for name in ("tour-1", "tour-2"):
        RunFolder(tmp_path / name).write("facts.json", {})
    with pytest.raises(NotFoundError, match="for example .*tour-2"):
        RunFolder.open(tmp_path)


def test_the_data_has_one_hash(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    files = [tmp_path / "a", tmp_path / "b"]
    assert data_hash(files) == hashlib.sha256(b"12").hexdigest()
    assert data_hash(files[::-1]) != data_hash(files)
