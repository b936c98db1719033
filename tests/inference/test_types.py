from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from proa.core import InvalidTypeError, UnsupportedError
from proa.inference import (
    Config,
    DataType,
    PlaceType,
    PrecisionType,
    XpuConfig,
    get_num_bytes_of_data_type,
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)
from proa.inference._types import data_type_of, precision_name
from proa.version import full_version


def test_numbers_are_those_of_paddle():
    assert [p.value for p in PrecisionType] == [0, 1, 2, 3]
    assert {d.name: d.value for d in DataType} == {
        "FLOAT32": 0,
        "INT64": 1,
        "INT32": 2,
        "UINT8": 3,
        "INT8": 4,
        "FLOAT16": 5,
        "BOOL": 6,
        "FLOAT64": 7,
        "BFLOAT16": 8,
    }
    assert {p.name: p.value for p in PlaceType} == {
        "UNK": -1,
        "CPU": 0,
        "GPU": 1,
        "XPU": 2,
        "CUSTOM": 4,
    }
    assert PrecisionType(2) is PrecisionType.Half
    assert Config.Precision is PrecisionType
    assert Config.Bfloat16 is PrecisionType.Bfloat16


@pytest.mark.parametrize("kind", DataType)
def test_each_data_type_has_a_size(kind):
    name = kind.name.lower()
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    assert data_type_of(dtype) is kind
    assert get_num_bytes_of_data_type(kind) == dtype.itemsize


def test_other_kinds_are_refused():
    with pytest.raises(UnsupportedError, match="dtype complex64 in a handle"):
        data_type_of(np.complex64)
    with pytest.raises(InvalidTypeError, match="`dtype` is 'float32'"):
        get_num_bytes_of_data_type("float32")
    with pytest.raises(UnsupportedError, match="precision int8"):
        precision_name(PrecisionType.Int8)
    assert precision_name(np.float16) == "float16"


def test_versions():
    assert get_version().splitlines() == [f"version: {full_version}"]
    assert get_trt_compile_version() == get_trt_runtime_version() == (0, 0, 0)
    assert XpuConfig().context_gm_size == -1
