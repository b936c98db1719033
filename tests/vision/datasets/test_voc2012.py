"""VOC2012 gives the items that Paddle gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proa.core import ArtifactError, InvalidArgumentError, NotFoundError
from proa.vision.datasets import VOC2012
from tests.vision.datasets.archives import PIXELS, picture, write

ROOT = "VOCdevkit/VOC2012"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lists = {"train": b"a\nb\n", "val": b"c\n", "trainval": b"a\nb\nc\n"}
    members = {f"{ROOT}/ImageSets/Segmentation/{k}.txt": v for k, v in lists.items()}
    for shade, name in enumerate("abc"):
        members[f"{ROOT}/JPEGImages/{name}.jpg"] = picture(shade, "JPEG")
        members[f"{ROOT}/SegmentationClass/{name}.png"] = picture(shade, "PNG")
    return write(tmp_path / "VOCtrainval_11-May-2012.tar", members, "w")


def test_parts(path: Path) -> None:
    for mode, names in (("train", "abc"), ("test", "ab"), ("valid", "c")):
        assert VOC2012(path, mode=mode).names == list(names)
    image, classes = VOC2012(path, mode="valid")[0]
    assert (image.mode, classes.mode, image.size) == ("RGB", "P", (10, 8))
    np.testing.assert_array_equal(np.asarray(classes), PIXELS + 2)


def test_arrays_and_places(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROA_DATA", str(path.parent))
    image, classes = VOC2012(backend="cv2", transform=lambda image: image[:2])[1]
    assert (image.shape, image.dtype) == ((2, 10, 3), np.float32)
    np.testing.assert_array_equal(classes, (PIXELS + 1).astype("float32"))


def test_what_is_wrong(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="`mode` is 'val'"):
        VOC2012(path, mode="val")
    with pytest.raises(NotFoundError, match="the file VOCtrainval_11-May-2012.tar"):
        VOC2012(tmp_path / "no")
    other = write(tmp_path / "other.tar", {"a": b"a"}, "w")
    with pytest.raises(ArtifactError, match="has no file '.*/trainval.txt'"):
        VOC2012(other)
