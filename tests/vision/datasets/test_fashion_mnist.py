"""The bundled subset of Fashion-MNIST is whole, balanced, small, and always found."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from proa.core._errors import NotFoundError
from proa.vision.datasets import FASHION_MNIST_CLASSES, FashionMNIST, _files, fashion_mnist_files


def test_the_bundled_files_are_unchanged_and_small() -> None:
    folder = fashion_mnist_files("bundled").train_images.parent
    sums = (folder / "SHA256SUMS").read_text().split()
    for expected, name in zip(sums[::2], sums[1::2], strict=True):
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected
    assert "Zalando SE" in (folder / "LICENSE").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 4_000_000


@pytest.mark.parametrize(("mode", "per_class"), [("train", 600), ("test", 100)])
def test_the_bundled_classes_are_balanced(mode: str, per_class: int) -> None:
    files = fashion_mnist_files("bundled")
    data = FashionMNIST(files.images(mode), files.labels(mode), mode=mode)
    assert data.images.shape == (10 * per_class, 28, 28)
    assert np.bincount(data.labels[:, 0]).tolist() == [per_class] * 10
    assert len(data) == 10 * per_class


def test_the_first_test_image() -> None:
    files = fashion_mnist_files("bundled")
    data = FashionMNIST(files.test_images, files.test_labels, mode="test", backend="cv2")
    image, label = data[0]
    assert (int(image.sum()), data.class_names[label[0]]) == (63056, "Bag")
    assert data.class_names is FASHION_MNIST_CLASSES


def test_without_paths_the_subset_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROA_DATA", raising=False)
    monkeypatch.setattr(_files, "_SYSTEM", tmp_path)
    assert fashion_mnist_files().source == "bundled"
    assert len(FashionMNIST(mode="test")) == 1000
    (tmp_path / "fashion-mnist").mkdir()
    bundled = fashion_mnist_files("bundled")
    for path in bundled.train_images.parent.glob("*.gz"):
        (tmp_path / "fashion-mnist" / path.name).symlink_to(path)
    assert fashion_mnist_files().source == "system"
    assert fashion_mnist_files().content_hash() == bundled.content_hash()


def test_a_folder_without_files(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="has no file 'train-images-idx3-ubyte'"):
        fashion_mnist_files(tmp_path)
