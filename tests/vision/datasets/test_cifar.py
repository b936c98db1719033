"""CIFAR archives give the items that Paddle gives, and name what is wrong."""

from __future__ import annotations

import io
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proa.core import ArtifactError, InvalidArgumentError, NotFoundError
from proa.vision.datasets import Cifar10, Cifar100

VALUES = np.random.RandomState(0).randint(0, 256, (4, 3072)).astype("uint8")


def write(path: Path, parts: dict[str, dict[str, Any]]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, batch in parts.items():
            content = pickle.dumps(batch, protocol=2)
            member = tarfile.TarInfo(f"cifar/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def ten(folder: Path) -> Path:
    batches = {
        f"data_batch_{i}": {"data": VALUES[i - 1 : i], "labels": [i]} for i in range(3, 0, -1)
    }
    test = {"test_batch": {"data": VALUES[3:], "labels": [9]}}
    return write(folder / Cifar10.NAME, {**batches, **test})


def test_ten_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Cifar10(ten(tmp_path), backend="cv2")
    assert [int(label) for _, label in data] == [1, 2, 3]
    image, label = data[1]
    np.testing.assert_array_equal(image, VALUES[1].reshape(3, 32, 32).transpose(1, 2, 0))
    assert (image.dtype, label.dtype, label.shape) == (np.float32, np.int64, ())
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    picture, label = Cifar10(mode="test", transform=lambda picture: picture.size)[0]
    assert (picture, int(label)) == ((32, 32), 9)


def test_a_hundred_classes(tmp_path: Path) -> None:
    parts = {"train": {"data": VALUES, "fine_labels": [1, 99, 3, 4]}}
    data = Cifar100(write(tmp_path / "c", parts))
    assert (len(data), int(data[1][1]), data[0][0].mode) == (4, 99, "RGB")


def test_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no archive '/nope'\n  Expected: the file cifar-10-"):
        Cifar10("/nope")
    with pytest.raises(InvalidArgumentError, match="`mode` is 'val'"):
        Cifar10("/nope", mode="val")
    with pytest.raises(ArtifactError, match=": 'fine_labels'\n"):
        Cifar100(ten(tmp_path), mode="test")
    empty = write(tmp_path / "empty", {"train": {}})
    with pytest.raises(ArtifactError, match="has no part 'test'\n"):
        Cifar100(empty, mode="test")
    (tmp_path / "bad").write_bytes(b"no archive")
    with pytest.raises(ArtifactError, match="Expected: cifar-10-python.tar.gz as its authors"):
        Cifar10(tmp_path / "bad")
