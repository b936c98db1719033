"""Where the four IDX files of an MNIST-like data set are."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from proa.core._errors import NotFoundError

_SYSTEM = Path("/usr/share/datasets")
_PARTS = {"train": "train", "test": "t10k"}


@dataclass(frozen=True)
class IdxFiles:
    """The four files of an MNIST-like data set.

    Attributes:
        source: where they were found: `"folder"`, `"PROA_DATA"`, `"system"` or `"bundled"`.
        train_images: IDX file of the training images.
        train_labels: IDX file of the training labels.
        test_images: IDX file of the test images.
        test_labels: IDX file of the test labels.
    """

    source: str
    train_images: Path
    train_labels: Path
    test_images: Path
    test_labels: Path

    def images(self, mode: str) -> Path:
        """The images of `'train'` or `'test'`."""
        return self.train_images if mode == "train" else self.test_images

    def labels(self, mode: str) -> Path:
        """The labels of `'train'` or `'test'`."""
        return self.train_labels if mode == "train" else self.test_labels

    def content_hash(self) -> str:
        """SHA-256 of the four files one after the other, 64 hexadecimal digits."""
        digest = hashlib.sha256()
        for path in (self.train_images, self.train_labels, self.test_images, self.test_labels):
            digest.update(path.read_bytes())
        return digest.hexdigest()


def idx_files_in(folder: str | Path, *, source: str) -> IdxFiles:
    """The four files in a folder, each plain or gzipped.

    Args:
        folder: the folder, holding `train-images-idx3-ubyte[.gz]` and so on.
        source: what to record as the place they were found.

    Raises:
        NotFoundError: a file is missing.
    """
    found = {}
    for mode, part in _PARTS.items():
        for what, suffix in (("images", "idx3"), ("labels", "idx1")):
            name = f"{part}-{what}-{suffix}-ubyte"
            candidates = (Path(folder) / f"{name}.gz", Path(folder) / name)
            path = next((candidate for candidate in candidates if candidate.is_file()), None)
            if path is None:
                origin = "" if source == "folder" else f" ({source})"
                raise NotFoundError(
                    f"the folder {str(folder)!r}{origin} has no file {name!r}, plain or .gz",
                    expected="the four IDX files of images and labels for train and t10k",
                    fix="correct the folder, or leave it (and PROA_DATA) out to use what is found",
                )
            found[f"{mode}_{what}"] = path
    return IdxFiles(source=source, **found)


def find_idx_files(name: str) -> IdxFiles | None:
    """Looks for a data set in `$PROA_DATA`, `$PROA_DATA/<name>` and `/usr/share/datasets/<name>`.

    Args:
        name: name of the data set, for example `"fashion-mnist"`.

    Returns:
        The files, or `None` where the system has none.

    Raises:
        NotFoundError: `PROA_DATA` is set and lacks one of the files.
    """
    wanted = os.environ.get("PROA_DATA")
    if wanted:
        inner = Path(wanted) / name
        return idx_files_in(inner if inner.is_dir() else wanted, source="PROA_DATA")
    if (_SYSTEM / name).is_dir():
        return idx_files_in(_SYSTEM / name, source="system")
    return None
