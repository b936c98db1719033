"""The MNIST family: local IDX files as data sets of (image, label)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from proa.core._dtype import default_dtype
from proa.core._errors import InvalidArgumentError, InvalidTypeError, NotFoundError
from proa.io import Dataset
from proa.vision._image import get_image_backend

from ._files import IdxFiles, find_idx_files
from ._idx import read_idx

_BACKENDS = ("pil", "cv2")


class MNIST(Dataset):
    """Grey images with one label each, read from local IDX files.

    Nothing is ever downloaded. Without paths the four original files are looked for in the folder
    that the environment variable `PROA_DATA` names (or in its `mnist` folder) and in
    `/usr/share/datasets/mnist`.

    Args:
        image_path: IDX file of images, uint8 `[n, height, width]`, plain or gzipped. Give both
            paths or none.
        label_path: IDX file of labels, uint8 `[n]`.
        mode: `'train'` or `'test'`; says which files to look for when no paths are given.
        transform: called with each image; its result takes the image's place.
        download: accepted for compatibility; data that is not there is an error in any case.
        backend: what an image is: `'pil'` for a `PIL.Image.Image` of mode `L`, `'cv2'` for an
            array `[height, width]` of the default dtype with values 0..255; that of
            `set_image_backend` when left out.

    Attributes:
        images: uint8 array `[n, height, width]`.
        labels: int64 array `[n, 1]`.
        dtype: the default dtype at the time of making, that of images of backend `'cv2'`.

    An item is `(image, label)` with label an int64 array of shape `[1]`.

    Raises:
        InvalidArgumentError: an argument is out of its choices, or a file is truncated, damaged, of
            another kind, or images and labels differ in number.
        NotFoundError: a file is not there.

    Example:
        >>> from proa.vision.datasets import MNIST, fashion_mnist_files
        >>> files = fashion_mnist_files("bundled")
        >>> data = MNIST(files.test_images, files.test_labels, mode="test", backend="cv2")
        >>> image, label = data[0]
        >>> image.shape, image.dtype, label.shape, len(data)
        ((28, 28), dtype('float32'), (1,), 1000)

    References:
        Behaviour of the items: PaddlePaddle 3.3.1.

    Differs:
        `images` and `labels` are two arrays, not lists of arrays; nothing is downloaded.
    """

    NAME = "mnist"
    num_classes = 10

    def __init__(
        self,
        image_path: str | Path | None = None,
        label_path: str | Path | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__()
        self.mode = _choice("mode", mode, ("train", "test"))
        self.backend = _choice("backend", backend or get_image_backend(), _BACKENDS)
        if transform is not None and not callable(transform):
            raise InvalidTypeError(
                f"`transform` is a {type(transform).__name__}",
                expected="a function of one image, or None",
                fix="pass the function itself, or compose several into one",
            )
        if (image_path is None) != (label_path is None):
            missing = "image_path" if image_path is None else "label_path"
            raise InvalidArgumentError(
                f"`{missing}` is missing while the other path is given",
                expected="both paths, or none to use the files found on this machine",
                fix=f"pass `{missing}` as well",
            )
        if image_path is None or label_path is None:
            files = self._find()
            image_path, label_path = files.images(mode), files.labels(mode)
        self.transform = transform
        self.dtype = default_dtype().name
        self.image_path, self.label_path = str(image_path), str(label_path)
        self.images, self.labels = _read(self.image_path, self.label_path)

    def _find(self) -> IdxFiles:
        files = find_idx_files(self.NAME)
        if files is None:
            raise NotFoundError(
                f"the files of {type(self).__name__} are not on this machine",
                expected=f"the four IDX files in $PROA_DATA, $PROA_DATA/{self.NAME} or "
                f"/usr/share/datasets/{self.NAME}",
                fix="set PROA_DATA, or pass image_path and label_path; nothing is downloaded",
            )
        return files

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        pixels, label = self.images[index], self.labels[index]
        image = _to_pil(pixels) if self.backend == "pil" else pixels.astype(self.dtype)
        if self.transform is not None:
            image = self.transform(image)
        return image, label.copy()

    def __len__(self) -> int:
        return len(self.labels)


def _choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected="one of " + ", ".join(repr(choice) for choice in choices),
            fix=f"pass {name}={choices[0]!r}",
        )
    return value


def _read(image_path: str, label_path: str) -> tuple[np.ndarray, np.ndarray]:
    images = read_idx(image_path, what="images", rank=3)
    labels = read_idx(label_path, what="labels", rank=1)
    if len(images) != len(labels):
        raise InvalidArgumentError(
            f"{image_path!r} holds {len(images)} images, {label_path!r} {len(labels)} labels",
            expected="one label for each image",
            fix="take both files from the same part of the same data set",
        )
    return images, labels.astype(np.int64)[:, None]


def _to_pil(pixels: np.ndarray) -> Any:
    from PIL import Image

    return Image.fromarray(pixels)
