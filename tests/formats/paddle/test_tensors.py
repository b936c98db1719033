from __future__ import annotations

import struct

import ml_dtypes
import numpy as np
import pytest

from proa.formats.paddle._tensors import pack_tensor, pack_tensors, read_tensor, read_tensors

ARRAYS = {
    "b": np.arange(6, dtype=np.float32).reshape(2, 3),
    "a": np.array(7, np.int64),
    "c": np.zeros((0, 2), np.float16),
    "d": np.array([1.5, -2], ml_dtypes.bfloat16),
    "e": np.array([[True], [False]]),
}


def test_a_tensor_is_the_bytes_of_the_format():
    array = np.array([1, 2], np.int32)
    # TensorDesc: data_type = 2, dims = [2].
    description = b"\x08\x02\x10\x02"
    expected = struct.pack("<IQIi", 0, 0, 0, 4) + description + b"\x01\0\0\0\x02\0\0\0"
    assert pack_tensor(array) == expected


def test_one_file_holds_tensors_in_the_order_of_their_names():
    content = pack_tensors(ARRAYS)
    assert content.startswith(pack_tensor(ARRAYS["a"]) + pack_tensor(ARRAYS["b"]))
    found = read_tensors(content, list(ARRAYS))
    assert list(found) == ["a", "b", "c", "d", "e"]
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_sequence_offsets_are_skipped():
    plain = pack_tensor(ARRAYS["b"])
    levels = struct.pack("<IQ", 0, 2) + struct.pack("<QQQ", 16, 0, 2) + struct.pack("<QQ", 8, 0)
    array, end = read_tensor(levels + plain[12:])
    np.testing.assert_array_equal(array, ARRAYS["b"])
    assert end == len(levels) + len(plain) - 12


def test_truncated_and_foreign_files_are_refused():
    content = pack_tensors(ARRAYS)
    for length in range(len(content)):
        with pytest.raises(ValueError, match=r"ends|left of|no description|bytes at|does not end"):
            read_tensors(content[:length], list(ARRAYS))
    with pytest.raises(ValueError, match="bytes follow the last of 4 tensors"):
        read_tensors(content, ["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="tensor 'x': no tensor begins at byte 0"):
        read_tensors(b"\x80\x02}q\x00." * 9, ["x"])
