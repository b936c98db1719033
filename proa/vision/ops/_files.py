"""Images as bytes: a file as a tensor, and a JPEG as pixels."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from proa.core import (
    InvalidArgumentError,
    NotFoundError,
    Tensor,
    composite,
    to_tensor,
)
from proa.vision._image import open_image

_MODES = {"unchanged": None, "gray": "L", "rgb": "RGB"}


@composite
def read_file(filename: str | Path, name: str | None = None) -> Tensor:
    """The bytes of a file.

    Args:
        filename: its path.
        name: not used.

    Returns:
        uint8 vector.

    Raises:
        NotFoundError: there is no such file.
    """
    path = Path(filename)
    if not path.is_file():
        raise NotFoundError(
            f"there is no file {str(filename)!r}",
            expected="the path of a file",
            fix="correct the path; it is relative to the working directory",
        )
    return to_tensor(np.frombuffer(path.read_bytes(), np.uint8))


@composite
def decode_jpeg(x: Tensor, mode: str = "unchanged", name: str | None = None) -> Tensor:
    """The pixels of a JPEG file.

    Args:
        x: uint8 vector, the file's bytes; see `read_file`.
        mode: `'unchanged'` for the channels that the file has, `'gray'` or `'rgb'`.
        name: not used.

    Returns:
        uint8 tensor [channels, height, width].

    Raises:
        InvalidArgumentError: no byte vector, or an unknown mode.
        ArtifactError: the bytes are no image, or end too early.
    """
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"`mode` of `decode_jpeg` is {mode!r}",
            expected="one of " + ", ".join(repr(known) for known in _MODES),
            fix="leave it out to keep the file's channels",
        )
    if x.ndim != 1 or x.dtype.name != "uint8":
        raise InvalidArgumentError(
            f"`x` of `decode_jpeg` is a {x.dtype.name} tensor of shape {list(x.shape)}",
            expected="a uint8 vector, the bytes of a file",
            fix="read them with read_file",
        )
    kind, image = _MODES[mode], open_image(io.BytesIO(x.numpy().tobytes()))
    pixels = np.atleast_3d(np.asarray(image if kind is None else image.convert(kind)))
    return to_tensor(np.ascontiguousarray(pixels.transpose(2, 0, 1)))
