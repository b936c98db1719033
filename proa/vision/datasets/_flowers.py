"""Oxford Flowers: photographs of 102 kinds of flowers."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import ArtifactError
from proa.core._dtype import default_dtype
from proa.io import Dataset
from proa.vision._image import get_image_backend, open_image

from ._archive import Archive, local_file
from ._matlab import read_matlab
from ._mnist import _choice

_NAMES = ("102flowers.tgz", "imagelabels.mat", "setid.mat")
# The authors' test part is the largest; Paddle trains on it, and so do we.
_PARTS = {"train": "tstid", "test": "trnid", "valid": "valid"}


class Flowers(Dataset):
    """Photographs of flowers in 102 classes (Nilsback and Zisserman, 2008), from local files.

    Args:
        data_file: the archive `102flowers.tgz`.
        label_file: `imagelabels.mat`.
        setid_file: `setid.mat`. Files that are left out are looked for in the folder that the
            environment variable `PROA_DATA` names, its folder `flowers`, and
            `~/.cache/paddle/dataset/flowers`. Nothing is downloaded.
        mode: `'train'` (6,149 images), `'test'` (1,020) or `'valid'` (1,020).
        transform: called with each image; its result takes the image's place.
        download: accepted for compatibility.
        backend: `'pil'` for PIL images, `'cv2'` for arrays `[height, width, 3]` of the default
            dtype with values 0..255 in the order red, green, blue; that of
            `set_image_backend` when left out.

    Attributes:
        indexes: numbers of the images, from 1.
        labels: labels of all images, from 1.

    An item is `(image, label)` with label an int64 array of shape `[1]`.

    Raises:
        InvalidArgumentError: `mode` or `backend` is out of its choices.
        NotFoundError: a file is not there.
        ArtifactError: a file is damaged or another one.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        label_file: str | Path | None = None,
        setid_file: str | Path | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__()
        self.mode = _choice("mode", mode, tuple(_PARTS))
        self.backend = _choice("backend", backend or get_image_backend(), ("pil", "cv2"))
        self.transform, self.dtype = transform, default_dtype().name
        arguments = ("data_file", "label_file", "setid_file")
        given = (data_file, label_file, setid_file)
        paths = [
            local_file(path, name, "flowers", argument)
            for path, name, argument in zip(given, _NAMES, arguments, strict=True)
        ]
        self.data_file, self.label_file, self.setid_file = (str(path) for path in paths)
        self.labels = _vector(paths[1], "labels")
        self.indexes = _vector(paths[2], _PARTS[mode])
        if self.indexes.size and not 1 <= self.indexes.min() <= self.indexes.max() <= len(
            self.labels
        ):
            raise ArtifactError(
                f"{self.setid_file!r} names image {self.indexes.max()} of {len(self.labels)}",
                expected="files of one and the same data set",
                fix="take all three files from the same place",
            )
        wanted = {_member(index) for index in self.indexes}
        self._archive = Archive(paths[0], wanted.__contains__, _NAMES[0])

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        number = int(self.indexes[index])
        image = open_image(io.BytesIO(self._archive.read(_member(number))))
        if self.backend == "cv2":
            image = np.asarray(image)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == "cv2":
            image = image.astype(self.dtype)
        return image, self.labels[number - 1 : number].copy()

    def __len__(self) -> int:
        return len(self.indexes)


def _member(number: int) -> str:
    return f"jpg/image_{number:05d}.jpg"


def _vector(path: Path, name: str) -> np.ndarray:
    arrays = read_matlab(path)
    if name not in arrays:
        raise ArtifactError(
            f"the file {str(path)!r} holds {', '.join(arrays) or 'no arrays'}",
            expected=f"an array {name!r}",
            fix="take imagelabels.mat for the labels and setid.mat for the parts",
        )
    return arrays[name].reshape(-1).astype(np.int64)
