from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from proa.core import InvalidArgumentError, UnsupportedError
from proa.inference._engine import EngineOptions
from proa.inference._engine_openvino import OpenvinoEngine
from tests.inference.onnx_artifacts import artifact_of, checked_by_threads, images

pytest.importorskip("onnx")
if find_spec("openvino") is None:
    # Its plain import would send a report.
    pytest.skip("openvino is not installed", allow_module_level=True)


def test_many_threads_get_their_own_answers_for_many_shapes() -> None:
    model, inputs, expected = checked_by_threads(OpenvinoEngine())
    model.trim()
    (again,) = model.run([inputs[1]])
    np.testing.assert_allclose(again, expected[1], 1e-4, 1e-5)


def test_it_says_on_how_many_threads_and_in_which_precision() -> None:
    model = OpenvinoEngine().load(artifact_of(lambda x: x + 1, images()), EngineOptions(threads=1))
    said = "\n".join(model.explain())
    assert "computes in f32" in said
    assert "threads        1" in said


def test_results_of_one_run_stay_as_they_are_in_the_next() -> None:
    model = OpenvinoEngine().load(artifact_of(lambda x: x + 1, images()), EngineOptions())
    (first,) = model.run([np.zeros((1, 3, 2, 8), np.float32)])
    model.run([np.full((1, 3, 2, 8), 5, np.float32)])
    assert first.max() == 1


def test_float64_is_refused_since_it_would_be_computed_in_float32() -> None:
    artifact = artifact_of(lambda x: x.astype("float64").sum(), images())
    with pytest.raises(UnsupportedError, match="it computes in float64"):
        OpenvinoEngine().load(artifact, EngineOptions())


def test_an_integer_of_more_than_32_bits_is_refused() -> None:
    model = OpenvinoEngine().load(artifact_of(lambda x: x + 1, images("int64")), EngineOptions())
    (fits,) = model.run([np.full((1, 3, 1, 8), 7)])
    assert (fits == 8).all()
    with pytest.raises(InvalidArgumentError, match="`image` holds integers from"):
        model.run([np.full((1, 3, 1, 8), 2**33)])


def test_nothing_is_reported_to_its_maker() -> None:
    assert OpenvinoEngine().version()
    assert "openvino_telemetry" not in sys.modules
