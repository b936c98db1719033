from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, NotFoundError


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "numbers.bin"
    np.arange(6, dtype=np.float32).tofile(path)
    return path


@pytest.mark.parametrize(
    ("nbytes", "arguments", "expected"),
    [
        (24, ("float32",), [0, 1, 2, 3, 4, 5]),
        (16, ("float32", 1), [1, 2, 3]),
        (24, ("float32", 1, 5, 2), [1, 3]),
        (18, ("float32",), [0, 1, 2, 3]),
        (8, ("int32", 1, 2), [1065353216]),
        (4, (), [0, 0, 0, 0]),
        (0, (), []),
    ],
)
def test_elements_of_a_file(file, nbytes, arguments, expected):
    got = proa.MmapStorage(file, nbytes).get_slice(*arguments)
    assert got.tolist() == expected
    assert got.dtype == (arguments[0] if arguments else "uint8")


def test_what_is_not_there_is_refused(file):
    with pytest.raises(NotFoundError, match="there is no file"):
        proa.MmapStorage(file.with_name("other"), 4)
    with pytest.raises(InvalidArgumentError, match="`nbytes` is 25 for a file of 24 bytes"):
        proa.MmapStorage(file, 25)
    with pytest.raises(InvalidArgumentError, match=r"the slice \[0:7:1\] of 6 elements"):
        proa.MmapStorage(file, 24).get_slice("float32", 0, 7)
