from __future__ import annotations

import threading

import numpy as np
import pytest

import proa
from proa.core import UnsupportedError
from proa.inference._engine import EngineOptions
from proa.inference._engine_onnxruntime import OnnxruntimeEngine
from proa.inference._engine_xla import XlaEngine
from tests.inference.onnx_artifacts import artifact_of, images, network

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def test_many_threads_get_their_own_answers_for_many_shapes() -> None:
    artifact = artifact_of(network(), images())
    model = OnnxruntimeEngine().load(artifact, EngineOptions(threads=1))
    inputs = [np.full((n % 3 + 1, 3, n + 2, 8), n, np.float32) for n in range(6)]
    reference = XlaEngine().load(artifact, EngineOptions())
    expected = [np.asarray(reference.run([x])[0]) for x in inputs]
    wrong: list[int] = []

    def ask(first: int) -> None:
        for step in range(12):
            number = (first + step) % len(inputs)
            (got,) = model.run([inputs[number]])
            if not np.allclose(got, expected[number], 1e-4, 1e-5):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
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
