from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from proa.core import _compile_cache
from proa.core._compile_cache import (
    default_folder,
    trim_folder,
    usable_folder,
    warn_of_failures_once,
)


def test_the_folder_lies_in_the_home_or_without_one_in_the_temporary_folder(monkeypatch):
    assert default_folder().endswith("/.cache/proa/xla")

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(_compile_cache.Path, "home", no_home)
    assert Path(default_folder()).parent.name.startswith("proa-")


def test_a_folder_is_made_and_one_that_cannot_be_is_warned_of(tmp_path):
    assert usable_folder(str(tmp_path / "a" / "b"))
    assert list((tmp_path / "a" / "b").iterdir()) == []
    (tmp_path / "file").touch()
    for place in ("file", "file/below", "bad\0name"):
        with pytest.warns(UserWarning, match="code is not kept for the next run: .*FLAGS_"):
            assert not usable_folder(str(tmp_path / place))


def test_many_failures_of_the_folder_are_one_warning():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn_of_failures_once()
        for number in range(5):
            warnings.warn(
                f"Error reading persistent compilation cache entry for 'jit_{number}': error: -3",
                stacklevel=1,
            )
        warnings.warn("Something else", stacklevel=1)
    first, other = [str(w.message) for w in seen]
    assert "compiled anew (error: -3)" in first
    assert other == "Something else"


def test_the_oldest_entries_go_when_the_folder_is_full(tmp_path):
    for age in range(10):
        path = tmp_path / f"entry{age}-cache"
        path.write_bytes(b"x" * 100)
        os.utime(path, (1e9 - age, 1e9 - age))
    (tmp_path / "foreign").write_bytes(b"x" * 5000)
    assert trim_folder(str(tmp_path), 1000) == 0
    assert trim_folder(str(tmp_path), 800) == 4
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == [*(f"entry{age}-cache" for age in range(6)), "foreign"]


def test_the_folder_is_looked_at_once_a_day(tmp_path, monkeypatch):
    looked = []
    monkeypatch.setattr(_compile_cache, "trim_folder", lambda *a: looked.append(a))
    for _ in range(2):
        _compile_cache._trim_daily(str(tmp_path), 10)
    os.utime(tmp_path / ".trimmed", (1, 1))
    _compile_cache._trim_daily(str(tmp_path), 10)
    _compile_cache._trim_daily(str(tmp_path / "none"), 10)
    assert len(looked) == 2
