"""Pascal VOC 2012: photographs with the class of each pixel."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from proa.core._dtype import default_dtype
from proa.io import Dataset
from proa.vision._image import get_image_backend, open_image

from ._archive import Archive, local_file
from ._mnist import _choice

_NAME = "VOCtrainval_11-May-2012.tar"
_ROOT = "VOCdevkit/VOC2012"
# The parts that Paddle takes for its modes.
_PARTS = {"train": "trainval", "test": "train", "valid": "val"}


class VOC2012(Dataset):
    """Photographs and the class of each pixel (Everingham et al., 2012), from a local archive.

    Args:
        data_file: the archive `VOCtrainval_11-May-2012.tar`; without it, it is looked for in the
            folder that the environment variable `PROA_DATA` names, its folder `voc2012`, and
            `~/.cache/paddle/dataset/voc2012`. Nothing is downloaded.
        mode: `'train'` (the part trainval), `'test'` (train) or `'valid'` (val).
        transform: called with each photograph; its result takes the photograph's place.
        download: accepted for compatibility.
        backend: `'pil'` for PIL images, `'cv2'` for arrays of the default dtype, photographs
            `[height, width, 3]` in the order red, green, blue; that of `set_image_backend` when
            left out.

    Attributes:
        names: names of the images of the part.

    An item is `(photograph, classes)`; the classes as `[height, width]` of 0 (background) to
    20, and 255 for borders.

    Raises:
        InvalidArgumentError: `mode` or `backend` is out of its choices.
        NotFoundError: the archive is not there.
        ArtifactError: the archive is damaged or another one.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__()
        self.mode = _choice("mode", mode, tuple(_PARTS))
        self.backend = _choice("backend", backend or get_image_backend(), ("pil", "cv2"))
        self.transform, self.dtype = transform, default_dtype().name
        path = local_file(data_file, _NAME, "voc2012", "data_file")
        self.data_file = str(path)
        self._archive = Archive(path, _is_wanted, _NAME)
        listed = self._archive.read(f"{_ROOT}/ImageSets/Segmentation/{_PARTS[mode]}.txt")
        self.names = listed.decode("ascii", "replace").split()

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        name = self.names[index]
        image, label = (
            open_image(io.BytesIO(self._archive.read(f"{_ROOT}/{member}")))
            for member in (f"JPEGImages/{name}.jpg", f"SegmentationClass/{name}.png")
        )
        if self.backend == "cv2":
            image, label = np.asarray(image), np.asarray(label)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == "cv2":
            return image.astype(self.dtype), label.astype(self.dtype)
        return image, label

    def __len__(self) -> int:
        return len(self.names)


def _is_wanted(name: str) -> bool:
    parts = name.split("/")
    return "Segmentation" in parts or parts[-2:-1] in (["JPEGImages"], ["SegmentationClass"])
