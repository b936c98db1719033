"""One tensor in Paddle's binary form: `save(..., use_binary_format=True)`.

The form, in bytes, little endian: version 0 as uint32, a count of levels of sequences as uint64
(0: none), version 0 as uint32, the size of a description as int32, the description, the
values. The description is a protocol buffer message: field 1 the dtype's number, field 2, once
per axis, an extent.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import ml_dtypes
import numpy as np

from proa.core import ArtifactError, UnsupportedError

_HEAD = struct.Struct("<IQIi")
#: Numbers of Paddle's dtypes.
_DTYPES = {
    0: np.dtype("bool"),
    1: np.dtype("int16"),
    2: np.dtype("int32"),
    3: np.dtype("int64"),
    4: np.dtype("float16"),
    5: np.dtype("float32"),
    6: np.dtype("float64"),
    20: np.dtype("uint8"),
    21: np.dtype("int8"),
    22: np.dtype(ml_dtypes.bfloat16),
    23: np.dtype("complex64"),
    24: np.dtype("complex128"),
    32: np.dtype(ml_dtypes.float8_e4m3fn),
    33: np.dtype(ml_dtypes.float8_e5m2),
}
_NUMBERS = {dtype: number for number, dtype in _DTYPES.items()}
# Tags of the description: field number * 8; the values are varints.
_DTYPE, _EXTENT = 8, 16


def is_binary(start: bytes) -> bool:
    """Whether a file that begins so is of this form; pickles begin with 0x80."""
    return len(start) >= _HEAD.size and start.startswith(bytes(16))


def pack_tensor(array: np.ndarray) -> bytes:
    """Writes an array.

    Raises:
        UnsupportedError: the form has no number for its dtype.
    """
    if array.dtype not in _NUMBERS:
        raise UnsupportedError(
            f"a tensor is {array.dtype}, for which Paddle's binary form has no number",
            expected="one of " + ", ".join(str(dtype) for dtype in _NUMBERS),
            fix="cast it, or save a dict of tensors as '.safetensors'",
        )
    description = bytes([_DTYPE]) + _varint(_NUMBERS[array.dtype])
    description += b"".join(bytes([_EXTENT]) + _varint(extent) for extent in array.shape)
    values = np.ascontiguousarray(array).tobytes()
    return _HEAD.pack(0, 0, 0, len(description)) + description + values


def unpack_tensor(data: bytes, shown: str) -> np.ndarray:
    """Reads an array.

    Args:
        data: the whole file.
        shown: how to call the file in messages.

    Raises:
        ArtifactError: the file is truncated, or altered.
    """
    try:
        size = _HEAD.unpack_from(data)[3]
        end = _HEAD.size + size
        number, shape = _describe(data[_HEAD.size : end])
        dtype = _DTYPES[number]
        wanted = math.prod(shape) * dtype.itemsize
        if size < 0 or len(data) - end != wanted:
            raise ValueError(f"{len(data) - end} bytes of values, {wanted} described")
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise ArtifactError(
            f"{shown} is truncated, altered or of another kind: {error}",
            expected="a whole file as proa.save or Paddle writes it",
            fix="copy it again, or use an earlier one",
        ) from error
    return np.frombuffer(data, dtype, offset=end).reshape(shape).copy()


def _varint(value: int) -> bytes:
    """Groups of seven bits, the lowest first; all but the last one marked by the eighth."""
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def _describe(message: bytes) -> tuple[Any, tuple[int, ...]]:
    """The dtype's number and the shape."""
    number, shape, at = None, [], 0
    while at < len(message):
        tag, value, shift = message[at], 0, 0
        while True:
            at += 1
            value |= (message[at] & 0x7F) << shift
            shift += 7
            if message[at] < 0x80:
                break
        at += 1
        if tag == _DTYPE:
            number = value
        elif tag == _EXTENT:
            shape.append(value)
        else:
            raise ValueError(f"an unknown field with tag {tag}")
    return number, tuple(shape)
