"""CIFAR-10 and CIFAR-100, read from their local archives."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from proa.core._dtype import default_dtype
from proa.framework._unpickle import load_plain
from proa.io import Dataset
from proa.vision._image import get_image_backend

from ._archive import local_file, wrong_archive
from ._mnist import _choice, _to_pil


class Cifar10(Dataset):
    """Colour images of 32×32 in ten classes (Krizhevsky, 2009), from a local archive.

    Args:
        data_file: the archive `cifar-10-python.tar.gz`; without it, it is looked for in the folder
            that the environment variable `PROA_DATA` names, its folder `cifar`, and
            `~/.cache/paddle/dataset/cifar`. Nothing is downloaded.
        mode: `'train'` or `'test'`.
        transform: called with each image; its result takes the image's place.
        download: accepted for compatibility.
        backend: `'pil'` for a PIL image, `'cv2'` for an array `[32, 32, 3]` of the default dtype
            with values 0..255; that of `set_image_backend` when left out.

    Attributes:
        data: pairs of the values of an image, uint8 `[3072]`, and its label.

    An item is `(image, label)` with label an int64 array of no axes.

    Raises:
        InvalidArgumentError: `mode` or `backend` is out of its choices.
        NotFoundError: the archive is not there.
        ArtifactError: the archive is damaged or another one.
    """

    NAME = "cifar-10-python.tar.gz"
    _PARTS = {"train": "data_batch", "test": "test_batch"}
    _LABELS = "labels"

    def __init__(
        self,
        data_file: str | Path | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__()
        self.mode = _choice("mode", mode, ("train", "test"))
        self.backend = _choice("backend", backend or get_image_backend(), ("pil", "cv2"))
        self.transform, self.dtype = transform, default_dtype().name
        path = local_file(data_file, self.NAME, "cifar", "data_file")
        self.data_file = str(path)
        self.data = self._read(path)

    def _read(self, path: Path) -> list[tuple[np.ndarray, int]]:
        data: list[tuple[np.ndarray, int]] = []
        try:
            with tarfile.open(path) as archive:
                for member in sorted(archive.getmembers(), key=lambda member: member.name):
                    name = member.name.rpartition("/")[2]
                    stream = archive.extractfile(member)
                    if stream is None or not name.startswith(self._PARTS[self.mode]):
                        continue
                    batch = load_plain(io.BytesIO(stream.read()), f"{path}:{name}")
                    labels = [int(label) for label in batch[self._LABELS]]
                    data += zip(np.asarray(batch["data"], "uint8"), labels, strict=True)
        except (tarfile.TarError, EOFError, OSError, KeyError) as error:
            raise wrong_archive(path, self.NAME, f": {error}") from error
        if not data:
            raise wrong_archive(path, self.NAME, f" has no part {self._PARTS[self.mode]!r}")
        return data

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        values, label = self.data[index]
        pixels = np.ascontiguousarray(values.reshape(3, 32, 32).transpose(1, 2, 0))
        image = _to_pil(pixels) if self.backend == "pil" else pixels.astype(self.dtype)
        if self.transform is not None:
            image = self.transform(image)
        return image, np.array(label, "int64")

    def __len__(self) -> int:
        return len(self.data)


class Cifar100(Cifar10):
    """Colour images of 32×32 in a hundred classes, from `cifar-100-python.tar.gz`.

    Arguments, items and errors are those of `Cifar10`; labels are the fine ones.
    """

    NAME = "cifar-100-python.tar.gz"
    _PARTS = {"train": "train", "test": "test"}
    _LABELS = "fine_labels"
