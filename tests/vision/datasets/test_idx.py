"""IDX files: values come back as written; every kind of bad file is named."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from proa.core._errors import InvalidArgumentError, InvalidTypeError, NotFoundError
from proa.vision.datasets._idx import idx_bytes, read_idx

pytestmark = pytest.mark.smoke

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_values_come_back(dtype: str, pack: object, tmp_path: Path) -> None:
    array = (np.arange(-6, 6).astype(dtype) * 3).reshape(3, 4)
    path = tmp_path / "a.idx"
    path.write_bytes(pack(idx_bytes(array)))
    read = read_idx(path, what="numbers", rank=2)
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


def test_bytes_are_those_of_the_format() -> None:
    assert idx_bytes(np.array([1, 258], np.int16)).hex(" ") == "00 00 0b 01 00 00 00 02 00 01 01 02"


def test_an_empty_array_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.idx"
    path.write_bytes(idx_bytes(np.zeros((0, 28, 28), np.uint8)))
    assert read_idx(path, what="images", rank=3).shape == (0, 28, 28)


WHOLE = idx_bytes(IMAGES)
PACKED = gzip.compress(WHOLE)
DAMAGED = PACKED[:20] + bytes([PACKED[20] ^ 0xFF]) + PACKED[21:]
BAD = {
    "empty": (b"", r"starts with bytes \(none\)\n  Expected: an IDX file: 00 00"),
    "a picture": (b"\x89PNG....", "starts with bytes 89 50 4e 47"),
    "unknown dtype": (b"\0\0\x07\x03", "starts with bytes 00 00 07 03"),
    "labels for images": (
        idx_bytes(np.zeros(3, np.uint8)),
        "array of 1 axes\n  Expected: 3 axes for images\n  Fix: check .* swapped",
    ),
    "header cut": (WHOLE[:9], "holds 9 bytes after unpacking\n  Expected: at least 16 bytes"),
    "truncated": (WHOLE[:-1], r"holds 39 bytes .*\n  Expected: 40 bytes for .* \[2, 3, 4\]"),
    "too long": (WHOLE + b"\0", "holds 41 bytes"),
    "gzip cut": (PACKED[:-9], "does not unpack: .*\n  Expected: a complete gzip file"),
    "gzip damaged": (DAMAGED, "does not unpack"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_named(case: str, tmp_path: Path) -> None:
    content, message = BAD[case]
    path = tmp_path / "images.idx"
    path.write_bytes(content)
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        read_idx(path, what="images", rank=3)
    assert f"the images file {str(path)!r}" in str(caught.value)
    assert "Fix: " in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.gz", tmp_path):
        with pytest.raises(NotFoundError, match="there is no labels file .*\n.*\n  Fix: correct"):
            read_idx(path, what="labels", rank=1)


def test_wrong_types() -> None:
    with pytest.raises(InvalidTypeError, match="the path of the images is a int"):
        read_idx(3, what="images", rank=3)
    with pytest.raises(InvalidTypeError, match="an array of dtype int64"):
        idx_bytes(np.zeros(3, np.int64))
