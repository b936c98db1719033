from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError


def test_rows(tmp_path):
    table = np.arange(140.0).reshape(10, 14) % 17
    np.savetxt(tmp_path / "housing.data", table)
    train = proa.text.UCIHousing(tmp_path / "housing.data")
    test = proa.text.UCIHousing(tmp_path / "housing.data", mode="test")
    assert (len(train), len(test)) == (8, 2)
    features, price = test[1]
    want = (table - table.mean(0)) / (table.max(0) - table.min(0))
    np.testing.assert_allclose(features, want[9, :13], 1e-5)
    assert price.tolist() == [table[9, 13]]
    assert features.dtype == np.float32


def test_other_files(tmp_path):
    (tmp_path / "text").write_text("no numbers")
    with pytest.raises(InvalidArgumentError, match="is no table of 14 columns"):
        proa.text.UCIHousing(tmp_path / "text")
