from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import UnsupportedError
from proa.formats import read_artifact
from proa.inference._engine import EngineOptions
from proa.inference._engine_xla import XlaEngine


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    path = tmp_path_factory.mktemp("xla") / "double"
    spec = proa.static.InputSpec([None, 2], "float32", "x")
    proa.jit.save(proa.jit.to_static(lambda x: x * 2, input_spec=[spec]), str(path))
    return read_artifact(path)


def test_it_runs_and_says_what_runs_where(artifact) -> None:
    model = XlaEngine().load(artifact, EngineOptions(threads=3))
    (out,) = model.run([np.ones((3, 2), np.float32)])
    np.testing.assert_array_equal(out, np.full((3, 2), 2, np.float32))
    assert model.num_compiled == 1
    assert "no effect on xla" in "\n".join(model.explain())
    model.trim()
    assert model.num_compiled == 0


def test_another_precision_than_the_recorded_one_is_refused(artifact) -> None:
    with pytest.raises(UnsupportedError, match="'xla' with precision 'bfloat16'"):
        XlaEngine().load(artifact, EngineOptions(precision="bfloat16"))
