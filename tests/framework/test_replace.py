from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from proa.core import NotWritableError
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


@pytest.mark.parametrize("place", ["file/below", "folder", "bad\0name", "/proc/none/file"])
def test_what_the_system_refuses_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("a file")
    (tmp_path / "folder").mkdir()
    with (
        pytest.raises(NotWritableError, match="cannot be written: "),
        replace_file(tmp_path / place) as temporary,
    ):
        temporary.write_text("new")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_a_full_disk_is_named_and_leaves_the_previous_file(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old")
    with pytest.raises(NotWritableError, match="No space left"), replace_file(target):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_leftovers_of_killed_processes_go_with_the_next_write(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    host = socket.gethostname()
    gone = tmp_path / f".file.txt.{host}.{ended.pid}.abc.tmp"
    kept = [
        tmp_path / f".file.txt.{host}.{os.getpid()}.abc.tmp",
        tmp_path / f".file.txt.elsewhere-{host}.{ended.pid}.abc.tmp",
        tmp_path / f".other.txt.{host}.{ended.pid}.abc.tmp",
    ]
    for path in (gone, *kept):
        path.touch()
    with replace_file(tmp_path / "file.txt"):
        pass
    assert not gone.exists()
    assert all(path.exists() for path in kept)
