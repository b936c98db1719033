from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proa.core import ArtifactError, InvalidTypeError, NotFoundError
from proa.framework import read_arrays, write_arrays
from proa.model import (
    Checkpoint,
    list_checkpoints,
    read_checkpoint,
    read_newest,
    write_checkpoint,
)
from proa.model._checkpoint import checkpoint_path, keep_newest


def _checkpoint(number: float = 1.0) -> Checkpoint:
    arrays = {"weights/a": np.full((2, 2), number, "float32"), "weights/b": np.arange(3)}
    return Checkpoint(arrays, {"position": {"epoch": 1}, "best": float("inf")})


def test_a_checkpoint_comes_back(tmp_path: Path) -> None:
    path = write_checkpoint(_checkpoint(), tmp_path / "run" / "x.safetensors")
    read = read_checkpoint(path)
    assert read.state == {"position": {"epoch": 1}, "best": float("inf")}
    assert read.arrays["weights/a"].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert read.arrays["weights/b"].dtype == np.int64


def test_other_tools_can_read_the_arrays(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    path = write_checkpoint(_checkpoint(), tmp_path / "x.safetensors")
    assert load_file(path)["weights/b"].tolist() == [0, 1, 2]


def _change(path: Path, arrays: dict[str, Any] | None = None, **texts: str) -> None:
    old_arrays, old_texts = read_arrays(path, "checkpoint")
    write_arrays(path, {**old_arrays, **(arrays or {})}, {**old_texts, **texts})


@pytest.mark.parametrize(
    ("arrays", "texts", "message"),
    [
        ({"weights/b": np.array([0, 1, 9])}, {}, r"SHA-256 of 'weights/b' does not match"),
        ({"weights/b": np.arange(3, dtype="int32")}, {}, r"SHA-256 of 'weights/b'"),
        ({"weights/a": np.ones(4, "float32")}, {}, r"SHA-256 of 'weights/a'"),
        ({"weights/c": np.ones(1)}, {}, r"SHA-256 of 'weights/c'"),
        ({}, {"proa": "{}"}, r"SHA-256 of its state"),
    ],
)
def test_an_altered_checkpoint_is_refused_by_name(
    tmp_path: Path, arrays: Any, texts: Any, message: str
) -> None:
    path = write_checkpoint(_checkpoint(), tmp_path / "x.safetensors")
    _change(path, arrays, **texts)
    with pytest.raises(ArtifactError, match=message):
        read_checkpoint(path)


@pytest.mark.parametrize("keep", [0, 5, 200, -1])
def test_a_truncated_checkpoint_is_refused(tmp_path: Path, keep: int) -> None:
    path = write_checkpoint(_checkpoint(), tmp_path / "x.safetensors")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ArtifactError, match="checkpoint .* is truncated"):
        read_checkpoint(path)


def test_one_changed_bit_is_noticed(tmp_path: Path) -> None:
    path = write_checkpoint(_checkpoint(), tmp_path / "x.safetensors")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ArtifactError, match="was altered"):
        read_checkpoint(path)


def test_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proa.model._checkpoint.FORMAT", 99)
    path = write_checkpoint(_checkpoint(), tmp_path / "x.safetensors")
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="format 99\n.*format 1"):
        read_checkpoint(path)


def test_other_files_and_paths_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path / "weights.safetensors", {"a": np.ones(1)}, {"x": json.dumps(1)})
    with pytest.raises(ArtifactError, match="is no checkpoint of a run"):
        read_checkpoint(tmp_path / "weights.safetensors")
    with pytest.raises(NotFoundError, match="no checkpoint at"):
        read_checkpoint(tmp_path / "nothing.safetensors")
    with pytest.raises(InvalidTypeError, match="`resume` is a float"):
        read_checkpoint(1.5)


def test_the_newest_complete_checkpoint_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    assert read_newest(tmp_path) is None
    for steps in (900, 1000, 1100):
        write_checkpoint(_checkpoint(steps), checkpoint_path(folder, steps))
    (folder / "notes.txt").write_text("not a checkpoint")
    names = [path.name for path in list_checkpoints(folder)]
    assert names == [f"step-{steps:08d}.safetensors" for steps in (1100, 1000, 900)]

    newest = list_checkpoints(folder)[0]
    newest.write_bytes(newest.read_bytes()[:-5])
    with pytest.warns(UserWarning, match=r"passed over: checkpoint .*step-00001100"):
        found = read_newest(tmp_path)
    assert found is not None
    path, checkpoint = found
    assert path.name == "step-00001000.safetensors"
    assert checkpoint.arrays["weights/a"][0, 0] == 1000


def test_old_checkpoints_are_deleted(tmp_path: Path) -> None:
    for steps in (1, 2, 3):
        write_checkpoint(_checkpoint(), checkpoint_path(tmp_path, steps))
    keep_newest(tmp_path, 2)
    assert [path.stem[-1] for path in list_checkpoints(tmp_path)] == ["3", "2"]
