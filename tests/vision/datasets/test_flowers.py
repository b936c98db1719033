"""Flowers give the items that Paddle gives."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

import proa
from proa.core import ArtifactError, InvalidArgumentError, NotFoundError
from proa.vision.datasets import Flowers
from tests.vision.datasets.archives import picture, write

LABELS = [77, 1, 5, 102, 3, 9]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    images = {f"jpg/image_{i:05d}.jpg": picture(i, "JPEG") for i in range(1, 7)}
    write(tmp_path / "102flowers.tgz", images, "w:gz")
    savemat(tmp_path / "imagelabels.mat", {"labels": np.array([LABELS], "uint8")})
    parts = {"trnid": [[1, 3]], "valid": [[2]], "tstid": [[4, 6, 5]]}
    savemat(tmp_path / "setid.mat", {k: np.array(v, "uint16") for k, v in parts.items()})
    names = ("102flowers.tgz", "imagelabels.mat", "setid.mat")
    arguments = ("data_file", "label_file", "setid_file")
    return {a: tmp_path / n for a, n in zip(arguments, names, strict=True)}


def test_parts(files: dict[str, Path]) -> None:
    # Paddle trains on the authors' test part.
    for mode, numbers in (("train", [4, 6, 5]), ("test", [1, 3]), ("valid", [2])):
        data = Flowers(**files, mode=mode)
        assert [int(label[0]) for _, label in data] == [LABELS[i - 1] for i in numbers]
    image, label = Flowers(**files)[1]
    pixels = np.asarray(Image.open(io.BytesIO(picture(6, "JPEG"))))
    np.testing.assert_array_equal(np.asarray(image), pixels)
    assert (image.mode, label.dtype, label.shape) == ("RGB", np.int64, (1,))


def test_arrays_and_places(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROA_DATA", str(files["data_file"].parent))
    proa.vision.set_image_backend("cv2")
    try:
        image, _ = Flowers(transform=lambda image: image[:2])[0]
    finally:
        proa.vision.set_image_backend("pil")
    assert (image.shape, image.dtype) == ((2, 10, 3), np.float32)


def test_what_is_wrong(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="`mode` is 'val'"):
        Flowers(**files, mode="val")
    with pytest.raises(InvalidArgumentError, match="`backend` is 'tensor'"):
        Flowers(**files, backend="tensor")
    with pytest.raises(NotFoundError, match="the file setid.mat\n.*pass setid_file="):
        Flowers(**{**files, "setid_file": tmp_path / "no"})
    with pytest.raises(ArtifactError, match="holds labels\n  Expected: an array 'tstid'"):
        Flowers(**{**files, "setid_file": files["label_file"]})
    savemat(tmp_path / "few.mat", {"labels": np.array([[1, 2]], "uint8")})
    with pytest.raises(ArtifactError, match="names image 6 of 2"):
        Flowers(**{**files, "label_file": tmp_path / "few.mat"})
