"""Tensors in Paddle's binary form."""

from __future__ import annotations

import io

import ml_dtypes
import numpy as np
import pytest

import proa
from proa.core import ArtifactError, InvalidTypeError, UnsupportedError
from proa.framework._binary_tensor import is_binary, pack_tensor, unpack_tensor

# What paddle 3.3.1 writes for arange(6.0) as [2, 3], and for [1.0] in float64.
_RECORDED = {
    "float32": (
        "00000000000000000000000000000000060000000805100210030000"
        "00000000803f0000004000004040000080400000a040"
    ),
    "float64": "000000000000000000000000000000000400000008061001000000000000f03f",
}
_ARRAYS = {"float32": np.arange(6.0, dtype="float32").reshape(2, 3), "float64": np.ones(1)}


@pytest.mark.parametrize("dtype", _ARRAYS)
def test_files_are_paddles(dtype: str) -> None:
    data = bytes.fromhex(_RECORDED[dtype])
    assert is_binary(data)
    assert pack_tensor(_ARRAYS[dtype]) == data
    read = unpack_tensor(data, "a file")
    assert read.dtype == dtype
    np.testing.assert_array_equal(read, _ARRAYS[dtype])


@pytest.mark.parametrize(
    "array",
    [
        np.float32(2.5).reshape(()),
        np.zeros([0, 300], "int8"),
        np.array([True, False]),
        np.array([1.5, 2], ml_dtypes.bfloat16),
        np.array([1 + 2j], "complex64"),
    ],
)
def test_round_trip(array: np.ndarray) -> None:
    read = unpack_tensor(pack_tensor(array), "a file")
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(read, array)


def test_save_and_load(tmp_path) -> None:
    path, file = tmp_path / "t.pdtensor", io.BytesIO()
    for place in (path, file):
        proa.save(proa.to_tensor([[1.5, 2.0]]), place, use_binary_format=True)
    assert path.read_bytes() == file.getvalue()
    file.seek(0)
    for place in (str(path), file):
        assert proa.load(place).tolist() == [[1.5, 2.0]]
    assert type(proa.load(path, return_numpy=True)) is np.ndarray


def test_what_cannot_be_written() -> None:
    with pytest.raises(InvalidTypeError, match="a dict cannot be saved with use_binary_format"):
        proa.save({}, io.BytesIO(), use_binary_format=True)
    with pytest.raises(UnsupportedError, match="a tensor is uint64, for which Paddle's binary"):
        pack_tensor(np.zeros(1, "uint64"))


@pytest.mark.parametrize("cut", [17, 21, 25, -1])
def test_a_damaged_file_is_refused(cut: int) -> None:
    data = bytes.fromhex(_RECORDED["float32"])
    with pytest.raises(ArtifactError, match="a file is truncated, altered or of another kind"):
        unpack_tensor(data[:cut], "a file")


def test_an_altered_file_is_refused() -> None:
    data = bytearray.fromhex(_RECORDED["float64"])
    for place, value in ((20, 99), (21, 77), (16, 255)):
        altered = bytearray(data)
        altered[place] = value
        with pytest.raises(ArtifactError, match="truncated, altered"):
            unpack_tensor(bytes(altered), "a file")
