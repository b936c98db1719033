from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import proa
from proa.core import NonFiniteError, set_flags
from proa.formats import read_artifact
from proa.jit import Pipeline, load, save
from proa.static import InputSpec


def test_compiled_shapes_are_bounded_and_can_be_dropped(tmp_path):
    path = save(proa.nn.Linear(2, 2), tmp_path / "net", [InputSpec([None, 2])])
    pipeline = Pipeline(read_artifact(path), max_variants=3)
    for batch in range(1, 7):
        pipeline.run([np.ones((batch, 2), np.float32)])
    assert pipeline.num_compiled == 3
    pipeline.trim()
    assert pipeline.num_compiled == 0


def test_threads_that_ask_for_one_shape_compile_it_once(tmp_path, monkeypatch):
    path = save(proa.nn.Linear(2, 2), tmp_path / "net", [InputSpec([None, 2])])
    pipeline = Pipeline(read_artifact(path))
    compiled, original = [], pipeline._compile

    def compile_slowly(signature, arrays):
        compiled.append(signature)
        return original(signature, arrays)

    monkeypatch.setattr(pipeline, "_compile", compile_slowly)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: pipeline.run([np.ones((2, 2), np.float32)]), range(16)))
    assert compiled == [((2, 2),)]


def test_nan_checks_name_the_op_of_a_loaded_model(tmp_path):
    path = save(lambda x: proa.log(x) * 2, tmp_path / "net", [InputSpec([None])])
    pipeline, layer = Pipeline(read_artifact(path)), load(path)
    given = np.float32([1.0, -1.0])
    assert np.isnan(pipeline.run([given])[0]).any()
    set_flags({"FLAGS_check_nan_inf": True})
    try:
        for run in (lambda: pipeline.run([given]), lambda: layer(given)):
            with pytest.raises(NonFiniteError, match="op `log` gave 1 NaN"):
                run()
        assert pipeline.run([np.float32([1.0])])[0].tolist() == [0.0]
    finally:
        set_flags({"FLAGS_check_nan_inf": False})
