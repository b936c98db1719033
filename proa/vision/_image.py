"""How images are read: as PIL images, as OpenCV would, or as tensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from proa.core import ArtifactError, InvalidArgumentError, NotFoundError, to_tensor

_BACKENDS = ("pil", "cv2", "tensor")
_state = {"backend": "pil"}


def _check_backend(backend: Any) -> str:
    if backend not in _BACKENDS:
        raise InvalidArgumentError(
            f"the image backend is {backend!r}",
            expected="one of " + ", ".join(repr(known) for known in _BACKENDS),
            fix="pass 'pil' for PIL images, 'cv2' for arrays, 'tensor' for Tensors",
        )
    return backend


def set_image_backend(backend: str) -> None:
    """Says what images are read as where nothing else is said: by `image_load` and data sets.

    Args:
        backend: `'pil'`, `'cv2'` or `'tensor'`; see `image_load`.

    Raises:
        InvalidArgumentError: another name.

    Examples:
        >>> from proa import vision
        >>> vision.set_image_backend("cv2")
        >>> vision.get_image_backend()
        'cv2'
        >>> vision.set_image_backend("pil")
    """
    _state["backend"] = _check_backend(backend)


def get_image_backend() -> str:
    """Returns what images are read as: `'pil'` unless `set_image_backend` said otherwise."""
    return _state["backend"]


def image_load(path: str | Path, backend: str | None = None) -> Any:
    """Reads an image file.

    Args:
        path: the file, of any format that PIL reads.
        backend: `'pil'` for a PIL image as it is in the file; `'cv2'` for a uint8 array
            [height, width, 3] of blue, green, red, as OpenCV gives it (OpenCV is not needed);
            `'tensor'` for a uint8 Tensor [channels, height, width]. That of
            `set_image_backend` when left out.

    Raises:
        InvalidArgumentError: another backend.
        NotFoundError: there is no such file.
        ArtifactError: the file is no image.

    Differs:
        PaddlePaddle 3.3.1 returns None for `'tensor'`.
    """
    kind = _check_backend(backend or get_image_backend())
    if kind == "pil":
        return open_image(path)
    if kind == "cv2":
        return np.ascontiguousarray(np.asarray(open_image(path).convert("RGB"))[..., ::-1])
    pixels = np.atleast_3d(np.asarray(open_image(path)))
    return to_tensor(np.ascontiguousarray(pixels.transpose(2, 0, 1)))


def open_image(file: Any) -> Any:
    """Reads an image of a path, or of an open binary file.

    Raises:
        NotFoundError: there is no such file.
        ArtifactError: the file is no image.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(file)
        # At once, so that no file stays open.
        image.load()
    except FileNotFoundError as error:
        raise NotFoundError(
            f"there is no image {str(file)!r}",
            expected="the path of a file",
            fix="correct the path; it is relative to the working directory",
        ) from error
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ArtifactError(
            f"{str(file)!r} is no whole image: {error}",
            expected="a file of a format that PIL reads",
            fix="get the file again, or convert it",
        ) from error
    return image
