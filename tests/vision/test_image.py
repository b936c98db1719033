"""Images are read as the backend says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import proa
from proa import vision

PIXELS = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype("uint8")


@pytest.fixture(autouse=True)
def backend():
    yield
    vision.set_image_backend("pil")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Image.fromarray(PIXELS).save(tmp_path / "a.png")
    return tmp_path / "a.png"


def test_backends(path: Path) -> None:
    assert vision.get_image_backend() == "pil"
    picture = vision.image_load(str(path))
    assert (picture.mode, picture.size) == ("RGB", (5, 4))
    array = vision.image_load(path, "cv2")
    np.testing.assert_array_equal(array, PIXELS[..., ::-1])
    vision.set_image_backend("tensor")
    tensor = vision.image_load(path)
    assert tensor.dtype == proa.uint8
    np.testing.assert_array_equal(tensor.numpy(), PIXELS.transpose(2, 0, 1))


def test_grey(tmp_path: Path) -> None:
    path = tmp_path / "grey.png"
    Image.fromarray(PIXELS[..., 0]).save(path)
    assert vision.image_load(path).mode == "L"
    assert vision.image_load(path, "cv2").shape == (4, 5, 3)
    assert vision.image_load(path, "tensor").shape == [1, 4, 5]


def test_what_is_wrong(tmp_path: Path) -> None:
    for call in (vision.set_image_backend, lambda name: vision.image_load("a", name)):
        with pytest.raises(proa.core.InvalidArgumentError, match="the image backend is 'gif'"):
            call("gif")
    with pytest.raises(FileNotFoundError, match="there is no image 'nowhere.png'"):
        vision.image_load("nowhere.png")
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(proa.core.ArtifactError, match="is no whole image"):
        vision.image_load(tmp_path / "text.png")
