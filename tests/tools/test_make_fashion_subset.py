"""The subset is chosen by class, without repeats, the same way each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proa.vision.datasets._idx import idx_bytes, read_idx
from tools import make_fashion_subset


def test_choice() -> None:
    images = np.arange(40, dtype=np.uint8).reshape(40, 1, 1)
    images[20:30] = images[0:10]
    labels = np.tile(np.arange(10), 4)
    taken: set[bytes] = set()
    chosen = make_fashion_subset.choose(images, labels, per_class=2, taken=taken)
    assert np.bincount(labels[chosen]).tolist() == [2] * 10
    assert (np.diff(chosen) > 0).all()
    assert len(np.unique(images[chosen])) == len(taken) == 20
    again = make_fashion_subset.choose(images, labels, per_class=2, taken=taken)
    assert not set(images[again].ravel()) & set(images[chosen].ravel())


def test_files_are_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_fashion_subset, "PER_CLASS", {"train": 2, "t10k": 1})
    pixels = np.random.default_rng(0).integers(0, 256, (100, 4, 4), np.uint8)
    for part in ("train", "t10k"):
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(idx_bytes(pixels))
        labels = np.arange(100, dtype=np.uint8) % 10
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(idx_bytes(labels))
    first = make_fashion_subset.make(tmp_path, tmp_path / "a")
    second = make_fashion_subset.make(tmp_path, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert [
        read_idx(path, what="x", rank=rank).shape[0]
        for path, rank in zip(first, (3, 1, 3, 1), strict=True)
    ] == [20, 20, 10, 10]
