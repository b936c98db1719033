"""IDX files, the format of MNIST and its relatives: a typed header and one array, often gzipped."""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from pathlib import Path

import numpy as np

from proa.core._errors import InvalidArgumentError, InvalidTypeError, NotFoundError

_GZIP_MAGIC = b"\x1f\x8b"
_DTYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_CODES = {np.dtype(text).newbyteorder("="): code for code, text in _DTYPES.items()}
_AGAIN = "get the file again, or point to another copy"


def read_idx(path: str | Path, *, what: str, rank: int) -> np.ndarray:
    """Reads the array of an IDX file, plain or gzipped.

    Args:
        path: the file.
        what: what the file is for, as messages call it, for example "images".
        rank: number of axes that the array must have.

    Returns:
        The array in native byte order.

    Raises:
        InvalidTypeError: `path` is no path.
        NotFoundError: there is no such file.
        InvalidArgumentError: the file is truncated, too long, damaged or of another kind.
    """
    content = _content(path, what)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _DTYPES:
        raise InvalidArgumentError(
            f"the {what} file {str(path)!r} starts with bytes {content[:4].hex(' ') or '(none)'}",
            expected=f"an IDX file: 00 00, a type byte, {rank:02x} for {rank} axes",
            fix=f"check that this is the file of {what}; {_AGAIN}",
        )
    if content[3] != rank:
        raise InvalidArgumentError(
            f"the {what} file {str(path)!r} holds an array of {content[3]} axes",
            expected=f"{rank} axes for {what}",
            fix="check that the files of images and labels are not swapped",
        )
    dtype = np.dtype(_DTYPES[content[2]])
    start = 4 + 4 * rank
    if len(content) < start:
        raise _wrong_size(path, what, len(content), f"at least {start} bytes for the header")
    shape = struct.unpack(f">{rank}I", content[4:start])
    expected = start + math.prod(shape) * dtype.itemsize
    if len(content) != expected:
        array = f"{expected} bytes for an array of shape {list(shape)}, as its header says"
        raise _wrong_size(path, what, len(content), array)
    array = np.frombuffer(content, dtype, offset=start).reshape(shape)
    return array.astype(dtype.newbyteorder("="))


def _content(path: str | Path, what: str) -> bytes:
    if not isinstance(path, str | Path):
        raise InvalidTypeError(
            f"the path of the {what} is a {type(path).__name__}",
            expected="a str or a pathlib.Path",
            fix="pass the path of an IDX file, plain or .gz",
        )
    try:
        content = Path(path).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFoundError(
            f"there is no {what} file {str(path)!r}",
            expected="an IDX file, plain or .gz",
            fix="correct the path, or leave it out to use the data that comes with Proa",
        ) from error
    if content[:2] != _GZIP_MAGIC:
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidArgumentError(
            f"the {what} file {str(path)!r} does not unpack: {error}",
            expected="a complete gzip file",
            fix=f"the file is truncated or damaged: {_AGAIN}",
        ) from error


def _wrong_size(path: str | Path, what: str, size: int, expected: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"the {what} file {str(path)!r} holds {size} bytes after unpacking",
        expected=expected,
        fix=f"the file is truncated or damaged: {_AGAIN}",
    )


def idx_bytes(array: np.ndarray) -> bytes:
    """The content of an IDX file that holds `array`; the inverse of `read_idx`.

    Args:
        array: uint8, int8, int16, int32, float32 or float64, of at most 255 axes.

    Raises:
        InvalidTypeError: IDX has no code for the dtype.
    """
    code = _CODES.get(array.dtype)
    if code is None:
        raise InvalidTypeError(
            f"an array of dtype {array.dtype}",
            expected="one of " + ", ".join(sorted(str(dtype) for dtype in _CODES)),
            fix="convert the array with astype()",
        )
    header = struct.pack(f">2xBB{array.ndim}I", code, array.ndim, *array.shape)
    return header + array.astype(_DTYPES[code]).tobytes()
