from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from proa.framework import replace_file


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    target = tmp_path / "folder" / "file.txt"
    for text in ("old", "new"):
        with replace_file(target) as temporary:
            temporary.write_text(text)
    assert target.read_text() == "new"
    assert os.listdir(target.parent) == ["file.txt"]


def test_a_failure_leaves_the_previous_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old")

    def write() -> None:
        with replace_file(target) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_files_are_as_readable_as_those_of_open(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with replace_file(tmp_path / "made"):
        pass
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "made")]
    assert modes[0] == modes[1]
