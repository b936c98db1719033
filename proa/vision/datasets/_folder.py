"""Folders of images, with or without labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import NotFoundError
from proa.core._dtype import default_dtype
from proa.io import Dataset
from proa.vision._image import get_image_backend, open_image

IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def _read_image(path: str) -> Any:
    """A colour image: an array [height, width, 3] for the backend 'cv2', otherwise a PIL image."""
    with open_image(path) as image:
        # Of an image that is RGB already, `convert` would be a copy.
        picture = image if image.mode == "RGB" else image.convert("RGB")
    return np.asarray(picture) if get_image_backend() == "cv2" else picture


def _files_below(
    folder: Path, extensions: Sequence[str] | None, is_valid_file: Callable[[str], bool] | None
) -> list[str]:
    """Paths of the wanted files of a folder and all below it, sorted."""
    if not folder.is_dir():
        raise NotFoundError(
            f"there is no folder {str(folder)!r}",
            expected="a folder of images",
            fix="correct `root`; nothing is downloaded",
        )
    suffixes = tuple(suffix.lower() for suffix in extensions or IMAGE_SUFFIXES)
    accept = is_valid_file or (lambda path: path.lower().endswith(suffixes))
    paths = sorted(str(path) for path in folder.rglob("*") if path.is_file())
    return [path for path in paths if accept(path)]


def _none_found(root: str, extensions: Sequence[str] | None) -> NotFoundError:
    return NotFoundError(
        f"the folder {root!r} has no such file below it",
        expected="files ending in " + ", ".join(extensions or IMAGE_SUFFIXES),
        fix="correct `root`, or pass extensions=... or is_valid_file=...",
    )


class DatasetFolder(Dataset):
    """Images in one folder a class: `root/<class>/.../<file>`.

    Args:
        root: the folder of the folders.
        loader: reads the file of a path; when left out, images are read as RGB, by PIL, or as
            arrays [height, width, 3] after `set_image_backend("cv2")`.
        extensions: endings of the files to take; those of images when left out.
        transform: called with each image; its result takes the image's place.
        is_valid_file: says of a path whether to take it, instead of `extensions`.

    Attributes:
        classes: names of the classes, sorted.
        class_to_idx: number of each class.
        samples: pairs of path and number of the class.
        targets: numbers of the classes of all samples.

    An item is `(image, number of the class)`.

    Raises:
        NotFoundError: there is no such folder, or no file in it.
    """

    def __init__(
        self,
        root: str | Path,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__()
        self.root, self.transform = str(root), transform
        self.extensions = tuple(extensions or IMAGE_SUFFIXES)
        self.loader = loader or _read_image
        if not Path(root).is_dir():
            _files_below(Path(root), extensions, is_valid_file)
        self.classes = sorted(entry.name for entry in Path(root).iterdir() if entry.is_dir())
        self.class_to_idx = {name: index for index, name in enumerate(self.classes)}
        self.samples = [
            (path, index)
            for name, index in self.class_to_idx.items()
            for path in _files_below(Path(root) / name, extensions, is_valid_file)
        ]
        if not self.samples:
            raise _none_found(self.root, extensions)
        self.targets = [index for _, index in self.samples]
        self.dtype = default_dtype().name

    def __getitem__(self, index: int) -> tuple[Any, int]:
        path, target = self.samples[index]
        image = self.loader(path)
        return (image if self.transform is None else self.transform(image)), target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(Dataset):
    """All images of a folder and those below it, without labels.

    Args:
        root: the folder.
        loader: reads the file of a path; when left out, images are read as RGB, by PIL, or as
            arrays [height, width, 3] after `set_image_backend("cv2")`.
        extensions: endings of the files to take; those of images when left out.
        transform: called with each image; its result takes the image's place.
        is_valid_file: says of a path whether to take it, instead of `extensions`.

    Attributes:
        samples: the paths, sorted.

    An item is `[image]`.

    Raises:
        NotFoundError: there is no such folder, or no file in it.
    """

    def __init__(
        self,
        root: str | Path,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__()
        self.root, self.transform = str(root), transform
        self.extensions = tuple(extensions or IMAGE_SUFFIXES)
        self.loader = loader or _read_image
        self.samples = _files_below(Path(root), extensions, is_valid_file)
        if not self.samples:
            raise _none_found(self.root, extensions)

    def __getitem__(self, index: int) -> list[Any]:
        image = self.loader(self.samples[index])
        return [image if self.transform is None else self.transform(image)]

    def __len__(self) -> int:
        return len(self.samples)
