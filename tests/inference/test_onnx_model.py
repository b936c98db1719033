from __future__ import annotations

import numpy as np
import pytest

from proa.core import UnsupportedError
from proa.inference._onnx_model import as_arrays, dtypes_of, missing, model_bytes
from tests.inference.onnx_artifacts import artifact_of, images

pytest.importorskip("onnx")


def test_what_is_not_installed_is_named_with_its_extra() -> None:
    assert missing("openvino", "numpy") is None
    assert missing("openvino", "numpy", "no_such_package") == (
        "no_such_package not installed: pip install 'proa[openvino]'"
    )


def test_an_input_that_numpy_cannot_hold_is_refused() -> None:
    artifact = artifact_of(lambda x: x * 2, images("bfloat16"))
    with pytest.raises(UnsupportedError, match="`image` is bfloat16"):
        model_bytes("openvino", artifact)


def test_dtypes_of_all_values_are_found() -> None:
    artifact = artifact_of(lambda x: x.astype("float64").sum().astype("float32"), images())
    assert {"float32", "float64"} <= dtypes_of(artifact)


def test_arrays_are_laid_out_row_by_row_and_keep_their_shape() -> None:
    turned, number = as_arrays([np.ones((2, 3)).T, np.float32(1)])
    assert turned.flags.c_contiguous
    assert (turned.shape, number.shape) == ((3, 2), ())
