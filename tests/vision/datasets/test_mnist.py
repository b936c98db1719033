"""MNIST-like data sets give the items that Paddle gives, and name what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proa.core import get_default_dtype, set_default_dtype
from proa.core._errors import InvalidArgumentError, InvalidTypeError, NotFoundError
from proa.io import Dataset
from proa.vision.datasets import MNIST, _files
from proa.vision.datasets._idx import idx_bytes

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
LABELS = np.array([7, 2], np.uint8)


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "images").write_bytes(idx_bytes(IMAGES))
    (tmp_path / "labels").write_bytes(idx_bytes(LABELS))
    return str(tmp_path / "images"), str(tmp_path / "labels")


def test_items_as_arrays(paths: tuple[str, str]) -> None:
    data = MNIST(*paths, backend="cv2")
    assert isinstance(data, Dataset)
    assert len(data) == 2
    image, label = data[1]
    np.testing.assert_array_equal(image, IMAGES[1].astype(np.float32))
    assert image.dtype == np.float32
    assert (label.dtype, label.shape, label[0]) == (np.int64, (1,), 2)


@pytest.mark.parametrize("backend", [None, "pil"])
def test_items_as_pictures(backend: str | None, paths: tuple[str, str]) -> None:
    image, label = MNIST(*paths, backend=backend)[0]
    assert (image.mode, image.size, label.tolist()) == ("L", (4, 3), [7])
    np.testing.assert_array_equal(np.asarray(image), IMAGES[0])


def test_arrays_have_the_default_dtype(paths: tuple[str, str]) -> None:
    before = get_default_dtype()
    set_default_dtype("float64")
    try:
        data = MNIST(*paths, backend="cv2")
    finally:
        set_default_dtype(before)
    assert data[0][0].dtype == np.float64


def test_an_item_is_a_copy(paths: tuple[str, str]) -> None:
    data = MNIST(*paths, backend="cv2")
    image, label = data[0]
    image += 1
    label += 1
    assert data[0][0][0, 0] == 0
    assert data[0][1][0] == 7


def test_the_transform_sees_the_image(paths: tuple[str, str]) -> None:
    image, label = MNIST(*paths, transform=lambda image: image.size, backend="pil")[0]
    assert (image, label.tolist()) == ((4, 3), [7])


def test_an_index_too_far(paths: tuple[str, str]) -> None:
    with pytest.raises(IndexError):
        MNIST(*paths)[2]


BAD = {
    "mode": ({"mode": "val"}, InvalidArgumentError, "`mode` is 'val'\n  Expected: .*'test'"),
    "backend": ({"backend": "tensor"}, InvalidArgumentError, "`backend` is 'tensor'"),
    "transform": ({"transform": 3}, InvalidTypeError, "`transform` is a int"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(case: str, paths: tuple[str, str]) -> None:
    arguments, error, message = BAD[case]
    with pytest.raises(error, match=message):
        MNIST(*paths, **arguments)


def test_one_path_only(paths: tuple[str, str]) -> None:
    with pytest.raises(InvalidArgumentError, match="`label_path` is missing"):
        MNIST(image_path=paths[0])
    with pytest.raises(InvalidArgumentError, match="`image_path` is missing"):
        MNIST(label_path=paths[1])


def test_counts_differ(paths: tuple[str, str]) -> None:
    Path(paths[1]).write_bytes(idx_bytes(LABELS[:1]))
    with pytest.raises(InvalidArgumentError, match="images' holds 2 images, .*labels' 1 labels"):
        MNIST(*paths)


def test_swapped_files(paths: tuple[str, str]) -> None:
    with pytest.raises(InvalidArgumentError, match="check that the files .* are not swapped"):
        MNIST(paths[1], paths[0])


def test_no_files_and_no_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROA_DATA", raising=False)
    monkeypatch.setattr(_files, "_SYSTEM", tmp_path)
    with pytest.raises(NotFoundError, match="the files of MNIST are not on this machine"):
        MNIST(download=True)
