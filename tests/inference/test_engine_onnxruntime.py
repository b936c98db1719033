from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError
from proa.inference._engine import EngineOptions
from proa.inference._engine_onnxruntime import OnnxruntimeEngine
from tests.inference.onnx_artifacts import artifact_of, checked_by_threads, images

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def test_many_threads_get_their_own_answers_for_many_shapes() -> None:
    model, *_ = checked_by_threads(OnnxruntimeEngine())
    assert "threads        1" in model.explain()


def test_another_precision_than_the_recorded_one_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="'onnxruntime' with precision 'bfloat16'"):
        OnnxruntimeEngine().load(
            artifact_of(lambda x: x, images()), EngineOptions(precision="bfloat16")
        )


def test_what_it_has_no_kernel_for_is_refused_with_its_own_words() -> None:
    artifact = artifact_of(lambda x: proa.erf(x.astype("float64")), images())
    with pytest.raises(UnsupportedError, match="'onnxruntime' cannot run this model: (.|\n)*Erf"):
        OnnxruntimeEngine().load(artifact, EngineOptions())
