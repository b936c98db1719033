from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from proa.core import ArtifactError, UnsupportedError
from proa.framework import read_arrays, write_arrays

DTYPES = ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32"]
DTYPES += ["uint16", "uint8", "bool", "complex64"]
EXTENSIONS = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", [*DTYPES, *EXTENSIONS])
def test_every_dtype_comes_back(tmp_path: Path, dtype: object) -> None:
    path = tmp_path / "x.safetensors"
    array = np.array([[0, 1], [1, 0]]).astype(np.dtype(dtype)).T  # not contiguous
    given = {"a": array, "scalar": array[0, 1], "empty": array[:0]}
    given = {name: np.asarray(value) for name, value in given.items()}
    write_arrays(path, given, {"key": "täxt"})
    arrays, text = read_arrays(path, "file")
    assert text == {"key": "täxt"}
    for name, value in given.items():
        assert arrays[name].dtype == value.dtype
        assert arrays[name].shape == value.shape
        np.testing.assert_array_equal(arrays[name], value)


def test_a_dtype_without_a_form_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="tensor 'z' is complex128"):
        write_arrays(tmp_path / "x", {"z": np.ones(2, "complex128")}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [0, 4, 30, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "x.safetensors"
    write_arrays(path, {"a": np.ones(8)}, {})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ArtifactError, match="file .* is truncated, altered or of another kind"):
        read_arrays(path, "file")
