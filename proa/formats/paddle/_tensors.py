"""Tensors in Paddle's parameter files: one per file, or all in one, sorted by name.

One tensor is: version (u32, 0), number of levels of sequence offsets (u64), per level its size
in bytes (u64) and offsets (u64 each), version (u32, 0), size of a TensorDesc (i32), the TensorDesc,
and the elements, little-endian, last axis fastest. A combined file is a row of these.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

import numpy as np

from ._schema import TensorDesc, dtype_of, number_of


def pack_tensor(array: np.ndarray) -> bytes:
    """Returns one tensor as bytes."""
    description = TensorDesc(number_of(array.dtype), list(array.shape)).serialise()
    head = struct.pack("<IQIi", 0, 0, 0, len(description))
    return head + description + np.asarray(array, order="C").tobytes()


def pack_tensors(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Returns all tensors as the content of one file: in the order of their sorted names."""
    return b"".join([pack_tensor(arrays[name]) for name in sorted(arrays)])


def _read(form: str, content: bytes, position: int) -> tuple[int, int]:
    size = struct.calcsize(form)
    if position + size > len(content):
        raise ValueError(f"it ends at byte {len(content)}, inside the head of a tensor")
    return struct.unpack_from(form, content, position)[0], position + size


def read_tensor(content: bytes, position: int = 0) -> tuple[np.ndarray, int]:
    """Reads the tensor that begins at a position; returns it and the position after it.

    Raises:
        ValueError: it is truncated, or of another form.
    """
    version, position = _read("<I", content, position)
    levels, position = _read("<Q", content, position)
    if version or levels > 64:
        raise ValueError(f"no tensor begins at byte {position - 12}")
    for _ in range(levels):
        size, position = _read("<Q", content, position)
        position += size
    version, position = _read("<I", content, position)
    size, position = _read("<i", content, position)
    if version or not 0 <= size <= len(content) - position:
        raise ValueError(f"no description of a tensor stands at byte {position - 8}")
    description = TensorDesc.parse(content[position : position + size])
    position += size
    dtype, shape = dtype_of(description.data_type), tuple(description.dims)
    count = math.prod(shape)
    end = position + count * dtype.itemsize
    if min(shape, default=0) < 0 or end > len(content):
        raise ValueError(
            f"a tensor {dtype.name}{list(shape)} at byte {position} has "
            f"{len(content) - position} bytes left of {end - position}"
        )
    # A copy, so that one tensor does not keep the whole file alive.
    array = np.frombuffer(content, dtype, count, position).reshape(shape).copy()
    return array, end


def read_tensors(content: bytes, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Reads a combined file: tensors in the order of the sorted names.

    Raises:
        ValueError: it is truncated, or holds more or fewer tensors than names.
    """
    found: dict[str, np.ndarray] = {}
    position = 0
    for name in sorted(names):
        if position == len(content):
            raise ValueError(f"it ends after {len(found)} tensors of {len(names)}")
        try:
            found[name], position = read_tensor(content, position)
        except ValueError as error:
            raise ValueError(f"tensor {name!r}: {error}") from error
    if position != len(content):
        raise ValueError(f"{len(content) - position} bytes follow the last of {len(names)} tensors")
    return found
