from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import UnsupportedError
from proa.inference._engine import EngineOptions
from proa.inference._engine_onnxruntime import OnnxruntimeEngine
from proa.program import InputSpec
from tests.inference.onnx_artifacts import artifact_of, checked_by_threads, images

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def test_many_threads_get_their_own_answers_for_many_shapes() -> None:
    model, *_ = checked_by_threads(OnnxruntimeEngine())
    assert "threads        1" in model.explain()
    assert any("NaN" in line and "xla keeps it" in line for line in model.explain())


def test_nothing_is_given_to_recurrent_kernels() -> None:
    # ONNX Runtime 1.32 ends the process.
    layer = proa.nn.LSTM(3, 4)
    layer.eval()
    x = np.ones((2, 5, 3), np.float32)
    spec = InputSpec([None, 5, 3], "float32", "x")
    model = OnnxruntimeEngine().load(artifact_of(lambda x: layer(x)[0], spec), EngineOptions())
    assert model.run([x])[0].shape == (2, 5, 4)
    with pytest.raises(UnsupportedError, match=r"recurrent layers on none"):
        model.run([x[:0]])


def test_another_precision_than_the_recorded_one_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="'onnxruntime' with precision 'bfloat16'"):
        OnnxruntimeEngine().load(
            artifact_of(lambda x: x, images()), EngineOptions(precision="bfloat16")
        )


def test_what_it_has_no_kernel_for_is_refused_with_its_own_words() -> None:
    artifact = artifact_of(lambda x: proa.erf(x.astype("float64")), images())
    with pytest.raises(UnsupportedError, match="'onnxruntime' cannot run this model: (.|\n)*Erf"):
        OnnxruntimeEngine().load(artifact, EngineOptions())
