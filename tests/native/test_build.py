from __future__ import annotations

import stat

import pytest

from proa.native._build import BuildError, build, build_key


def compiler(folder, text):
    path = folder / "fake"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_library_is_compiled_once(tmp_path, monkeypatch):
    # The fake compiler writes a line to the file after -o.
    text = 'while [ "$1" != -o ]; do shift; done; echo made >> "$2"'
    monkeypatch.setenv("CXX", compiler(tmp_path, text))
    made = build(tmp_path / "kernels")
    assert made.name == f"kernels-{build_key()}.so"
    assert build(tmp_path / "kernels") == made
    assert made.read_text() == "made\n"
    assert [p.name for p in made.parent.iterdir()] == [made.name]


def test_a_compiler_that_fails_is_quoted(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", compiler(tmp_path, "echo no such header >&2; exit 1"))
    with pytest.raises(BuildError, match="no such header"):
        build(tmp_path / "kernels")
    assert list((tmp_path / "kernels").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildError, match="NotADirectoryError|FileExistsError"):
        build(tmp_path / "file" / "kernels")
