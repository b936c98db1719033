"""Files in the safetensors format: named arrays, and text beside them."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import ml_dtypes
import numpy as np

from proa.core import ArtifactError, UnsupportedError

from ._replace import replace_file

# The library's NumPy reader does not know all dtypes that its writer takes.
_DTYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "C64": np.complex64,
    "I64": np.int64,
    "I32": np.int32,
    "I16": np.int16,
    "I8": np.int8,
    "U64": np.uint64,
    "U32": np.uint32,
    "U16": np.uint16,
    "U8": np.uint8,
    "BOOL": np.bool_,
}
_KNOWN = {np.dtype(dtype) for dtype in _DTYPES.values()}


def pack_arrays(arrays: Mapping[str, np.ndarray], text: Mapping[str, str] | None = None) -> bytes:
    """Returns arrays and text as the content of a safetensors file.

    Raises:
        UnsupportedError: the format has no place for an array's dtype.
    """
    from safetensors.numpy import save

    for name, array in arrays.items():
        if array.dtype not in _KNOWN:
            raise UnsupportedError(
                f"tensor {name!r} is {array.dtype}",
                expected="a dtype of the safetensors format, such as float32 or int64",
                fix="cast it first; a complex128 tensor can be saved as its real and "
                "imaginary parts",
            )
    # Not `np.ascontiguousarray`, which makes a 0-d array 1-d.
    ready = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    return save(ready, None if text is None else dict(text))


def unpack_arrays(
    content: bytes | memoryview, kind: str
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Reads the content of a safetensors file.

    Args:
        content: what `pack_arrays` returned, or any other file of the format.
        kind: what it should be, for messages.

    Returns:
        The arrays, which are views of the content, and the text. (The library's reader copies
        each array twice.)

    Raises:
        ArtifactError: truncated, or not in this format.
    """
    view = memoryview(content)
    try:
        (length,) = struct.unpack("<Q", view[:8])
        if length > len(view) - 8:
            raise ValueError("its header is longer than the file")
        header = json.loads(bytes(view[8 : 8 + length]))
        text = header.pop("__metadata__", {})
        body, end = view[8 + length :], 0
        arrays = {}
        for name, item in sorted(header.items(), key=lambda pair: pair[1]["data_offsets"]):
            start, stop = item["data_offsets"]
            if start != end or stop < start:
                raise ValueError(f"{name!r} does not begin where the array before it ends")
            flat = np.frombuffer(body[start:stop], _DTYPES[item["dtype"]])
            arrays[name], end = flat.reshape(item["shape"]), stop
        if end != len(body):
            raise ValueError(f"{len(body)} bytes of numbers where {end} are described")
    except (struct.error, KeyError, ValueError, TypeError, AttributeError) as error:
        raise ArtifactError(
            f"{kind} is truncated, altered or of another kind: {error}",
            expected="a whole file in the safetensors format",
            fix="copy it again, or use an earlier one",
        ) from error
    return arrays, text


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], text: Mapping[str, str]) -> None:
    """Writes arrays and text to one file, whole or not at all.

    Raises:
        UnsupportedError: the format has no place for an array's dtype.
    """
    content = pack_arrays(arrays, text)
    with replace_file(path) as temporary:
        temporary.write_bytes(content)


def read_arrays(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Reads a file of `write_arrays`, or any other safetensors file.

    Args:
        path: the file.
        kind: what the file should be, for messages.

    Returns:
        The arrays and the text.

    Raises:
        ArtifactError: truncated, or not in this format.
    """
    return unpack_arrays(path.read_bytes(), f"{kind} {str(path)!r}")
