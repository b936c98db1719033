"""Arrays come out of .mat files as SciPy put them in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from proa.core import ArtifactError
from proa.vision.datasets._matlab import read_matlab

ARRAYS = {
    "labels": np.arange(250, dtype="uint8")[None],
    "short": np.array([[1, 2]], "uint16"),
    "matrix": np.arange(6.0).reshape(2, 3),
    "single": np.array([[1.5]], "float32"),
    "long": np.array([[2**40], [-1]], "int64"),
    "none": np.zeros([0, 0]),
}


@pytest.mark.parametrize("is_compressed", [True, False])
def test_reads(tmp_path: Path, is_compressed: bool) -> None:
    path = tmp_path / "a.mat"
    savemat(
        path, {**ARRAYS, "text": "left out", "z": np.array([[1j]])}, do_compression=is_compressed
    )
    found = read_matlab(path)
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype, name
        np.testing.assert_array_equal(found[name], array)


def test_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    savemat(path, ARRAYS)
    whole = path.read_bytes()
    path.write_bytes(whole[:300])
    with pytest.raises(ArtifactError, match="is damaged: it ends too early"):
        read_matlab(path)
    path.write_bytes(b"x" * 200)
    with pytest.raises(ArtifactError, match="has no header of version 5"):
        read_matlab(path)
