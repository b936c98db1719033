"""Folders of images give what Paddle gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from proa.core import NotFoundError
from proa.vision.datasets import DatasetFolder, ImageFolder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for value, name in enumerate(("cat", "dog")):
        (tmp_path / name / "sub").mkdir(parents=True)
        picture = Image.fromarray(np.full((4, 5), 10 * value, "uint8"))
        for path in ("1.png", "0.png", "sub/x.PNG"):
            picture.save(tmp_path / name / path)
        (tmp_path / name / "note.txt").write_text("x")
    return tmp_path


def test_one_folder_a_class(root: Path) -> None:
    data = DatasetFolder(root)
    assert (data.classes, data.class_to_idx) == (["cat", "dog"], {"cat": 0, "dog": 1})
    names = ["0.png", "1.png", "sub/x.PNG"]
    assert data.samples == [
        (str(root / c / n), i) for i, c in enumerate(data.classes) for n in names
    ]
    assert (len(data), data.targets) == (6, [0, 0, 0, 1, 1, 1])
    image, label = data[3]
    assert (image.mode, image.size, image.getpixel((0, 0)), label) == ("RGB", (5, 4), (10,) * 3, 1)


def test_without_labels(root: Path) -> None:
    data = ImageFolder(root, transform=lambda image: image.size)
    assert (len(data), data[0]) == (6, [(5, 4)])
    assert len(ImageFolder(root, extensions=(".txt",))) == 2
    chosen = ImageFolder(root, loader=str, is_valid_file=lambda path: path.endswith("cat/0.png"))
    assert [chosen[0]] == [[str(root / "cat" / "0.png")]]


@pytest.mark.parametrize("kind", [DatasetFolder, ImageFolder])
def test_nothing_there(kind: type, root: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no folder '.*nowhere'\n  Expected: a folder"):
        kind(root / "nowhere")
    with pytest.raises(NotFoundError, match="no such file below it\n.*: files ending in .gif"):
        kind(root, extensions=(".gif",))
