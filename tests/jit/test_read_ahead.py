from __future__ import annotations

import json

import jax
import numpy as np
import pytest

from proa.jit import _executables
from proa.jit._executables import ExecutableStore
from proa.jit._read_ahead import ReadAhead, structures_of
from proa.jit._uncached import past_compile_cache

COUNTS = [1, 0, 1, 2]
SIGNATURE = [[3]]


def add(donated, kept, inputs):
    return donated[0] + inputs[0], inputs[0] * 2


@pytest.fixture
def store(tmp_path):
    """A store with one executable in it."""
    made = ExecutableStore([tmp_path], "model", 1 << 30, jax.devices()[0])
    one = jax.numpy.ones(3)
    with past_compile_cache():
        made.save(SIGNATURE, jax.jit(add).lower([one], [], [one]).compile())
    return made


def take(store, ahead, counts=COUNTS):
    return store.load(
        SIGNATURE, structures_of(COUNTS), lambda path, header: ahead.take(path, header, counts)
    )


def noted(store, folder):
    ReadAhead(folder, add).remember(store.path(SIGNATURE), COUNTS)
    (note,) = folder.glob("*.note")
    return note


def test_what_was_needed_is_read_before_it_is_asked_for(store, tmp_path, monkeypatch):
    noted(store, tmp_path)
    ahead = ReadAhead(tmp_path, add)
    ahead._thread.join()
    monkeypatch.setattr(_executables.serialize_executable, "deserialize_and_load", None)
    loaded = take(store, ahead)
    two = jax.numpy.full(3, 2.0)
    np.testing.assert_array_equal(loaded([two], [], [two])[0], [4, 4, 4])
    assert store.loaded == 1
    # It is handed out once.
    assert ahead.take(store.path(SIGNATURE), b"", COUNTS) is None


@pytest.mark.parametrize("case", ["no note", "no folder", "another function", "no function"])
def test_nothing_is_read(case, store, tmp_path):
    if case != "no note":
        noted(store, tmp_path)
    function = {"another function": noted, "no function": None}.get(case, add)
    assert ReadAhead(None if case == "no folder" else tmp_path, function)._thread is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"file": "x", "counts": [1, 2]}'),
        '{"file": 3, "counts": [1], "proa": ""}',
        '{"file": "x", "counts": ["a"], "proa": ""}',
    ],
)
def test_a_note_that_is_none(text, store, tmp_path):
    noted(store, tmp_path).write_text(text)
    ahead = ReadAhead(tmp_path, add)
    assert ahead._thread is None
    assert take(store, ahead) is not None


@pytest.mark.parametrize("case", ["gone", "damaged", "other counts", "other header", "elsewhere"])
def test_what_was_read_is_not_what_is_needed(case, store, tmp_path):
    note = noted(store, tmp_path)
    path = store.path(SIGNATURE)
    content = path.read_bytes()
    if case == "gone":
        path.unlink()
    elif case == "damaged":
        path.write_bytes(content[:-1] + b"?")
    elif case == "elsewhere":
        folder = tmp_path / "other"
        folder.mkdir()
        (folder / path.name).write_bytes(content)
        facts = json.loads(note.read_text())
        note.write_text(json.dumps({**facts, "file": f"../other/{path.name}"}))
        path.unlink()
    ahead = ReadAhead(tmp_path, add)
    counts = [1, 0, 1, 3] if case == "other counts" else COUNTS
    header = b"another" if case == "other header" else store._header(SIGNATURE)
    assert ahead.take(path, header, counts) is None
    ahead._thread and ahead._thread.join()


def test_a_note_that_cannot_be_written_is_none(store, tmp_path):
    ReadAhead(tmp_path / "missing" / "deep", add).remember(store.path(SIGNATURE), COUNTS)
    ReadAhead(None, add).remember(store.path(SIGNATURE), COUNTS)
    assert list(tmp_path.glob("*.note")) == []
