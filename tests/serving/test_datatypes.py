"""Names of dtypes in the protocol."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.serving._datatypes import datatype_of, dtype_of

NAMES = {"BOOL": "bool", "UINT8": "uint8", "INT64": "int64", "FP16": "float16", "FP32": "float32"}


@pytest.mark.parametrize("name", NAMES)
def test_names_go_both_ways(name):
    assert dtype_of(name, "x") == np.dtype(NAMES[name])
    assert datatype_of(NAMES[name]) == name


def test_bfloat16_is_one_of_them():
    assert dtype_of("BF16", "x") == np.dtype(ml_dtypes.bfloat16)
    assert datatype_of(ml_dtypes.bfloat16) == "BF16"


@pytest.mark.parametrize("name", ["FP31", "BYTES", "", None, 3, ["FP32"]])
def test_other_names_are_refused_with_their_field(name):
    with pytest.raises(InvalidArgumentError, match=r"inputs\[2\].datatype is"):
        dtype_of(name, "inputs[2]")


def test_dtypes_without_a_name_are_refused():
    with pytest.raises(InvalidArgumentError, match="a tensor of dtype complex64"):
        datatype_of(np.dtype("complex64"))
