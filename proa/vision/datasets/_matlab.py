"""Arrays of numbers in MATLAB's files of version 5."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proa.core import ArtifactError

# Numbers of the format: types of elements, and classes of arrays.
_TYPES = dict(enumerate(("i1", "u1", "i2", "u2", "i4", "u4", "f4"), 1)) | {
    9: "f8",
    12: "i8",
    13: "u8",
}
_MATRIX, _COMPRESSED = 14, 15
_CLASSES = dict(
    enumerate(("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), 6),
)
_HEADER = 128


def read_matlab(path: Path) -> dict[str, np.ndarray]:
    """The real numeric arrays of a `.mat` file by name; whatever else it holds is left out.

    Args:
        path: a file of version 5 to 7 (not 7.3, which is HDF5).

    Raises:
        ArtifactError: the file is another one, or damaged.

    References:
        MathWorks, MAT-File Format (R2019b), chapter 1.
    """
    data = path.read_bytes()
    order = {b"IM": "<", b"MI": ">"}.get(data[_HEADER - 2 : _HEADER])
    if order is None:
        raise _damaged(path, "has no header of version 5")
    try:
        return dict(_arrays(data[_HEADER:], order))
    except (struct.error, zlib.error, ValueError, IndexError, KeyError) as error:
        raise _damaged(path, f"is damaged: {error}") from error


def _damaged(path: Path, reason: str) -> ArtifactError:
    return ArtifactError(
        f"the file {str(path)!r} {reason}",
        expected="a .mat file of version 5",
        fix="get the file again, or point to another copy",
    )


def _elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Type and content of one element after the other."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if kind >> 16:
            # Short: the count shares the first word with the type, the content is the second.
            yield kind & 0xFFFF, data[at + 4 : at + 4 + (kind >> 16)]
            at += 8
            continue
        if at + 8 + size > len(data):
            raise ValueError("it ends too early")
        yield kind, data[at + 8 : at + 8 + size]
        at += 8 + size
        if kind != _COMPRESSED:
            at += -at % 8


def _arrays(data: bytes, order: str) -> Iterator[tuple[str, np.ndarray]]:
    for kind, content in _elements(data, order):
        if kind == _COMPRESSED:
            yield from _arrays(zlib.decompress(content), order)
        elif kind == _MATRIX:
            parts = list(_elements(content, order))
            flags = struct.unpack_from(f"{order}I", parts[0][1])[0]
            if flags & 0xFF not in _CLASSES or flags & 0x800:
                continue
            shape = np.frombuffer(parts[1][1], f"{order}i4")
            stored, values = parts[3]
            array = np.frombuffer(values, order + _TYPES[stored]).reshape(shape, order="F")
            yield parts[2][1].decode("ascii"), array.astype(_CLASSES[flags & 0xFF])
