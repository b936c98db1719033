from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import proa
from proa.core import UnknownNameError, UnsupportedError
from proa.formats import read_artifact
from proa.inference import ENGINES
from proa.inference._engine import CompiledModel, Engine, EngineOptions
from proa.inference._measure import Measurement, measure_engines
from proa.jit import save
from proa.static import InputSpec


class _Model(CompiledModel):
    def __init__(self, factor):
        self.factor = factor

    def run(self, arrays):
        return [np.asarray(arrays[0]) * np.float32(self.factor)]

    def explain(self):
        return []


class _Made(Engine):
    def __init__(self, name, factor, reason=None):
        self.name, self.factor, self.reason = name, factor, reason

    def unavailable(self):
        return self.reason

    def version(self):
        return "1.0"

    def load(self, artifact, options):
        if self.factor is None:
            raise UnsupportedError("the op `double` is not known", expected="x", fix="y")
        return _Model(self.factor)


@pytest.fixture
def artifact(tmp_path):
    return read_artifact(save(lambda x: x * 2, tmp_path / "n", [InputSpec([None, 3], name="x")]))


@pytest.fixture
def engines(monkeypatch):
    for made in (
        _Made("close", 2.0001),
        _Made("wrong", 3),
        _Made("unable", None),
        _Made("absent", 2, "it is not installed"),
    ):
        monkeypatch.setitem(ENGINES, made.name, made)


SAMPLES = [[np.ones((2, 3), np.float32)], [np.ones((4, 3), np.float32)]]


def test_the_fastest_engine_that_agrees_is_the_best(artifact, engines):
    names = ["wrong", "close", "unable", "absent"]
    found = measure_engines(
        artifact, SAMPLES, options=EngineOptions(), engines=names, rounds=3, seconds=0.002
    )
    assert list(found.entries) == ["xla", *names]
    # It multiplies one small array: nothing that is compiled and called is as fast.
    assert found.best == "close"
    assert 0.4 < found.entries["close"].difference < 0.6
    assert found.entries["wrong"].reason == "its outputs differ from those of xla"
    assert found.entries["wrong"].seconds > 0
    assert "the op `double` is not known" in found.entries["unable"].reason
    assert found.entries["absent"].version is None
    assert found.shapes == [[[2, 3]], [[4, 3]]]
    lines = found.describe()
    assert lines[2].startswith("* close 1.0")
    assert "absent" in lines[4]
    assert "it is not installed" in lines[4]


def test_a_measurement_can_be_kept(artifact):
    found = measure_engines(
        artifact, SAMPLES, options=EngineOptions(), engines=[], rounds=1, seconds=0
    )
    assert Measurement.from_dict(found.to_dict()) == found
    with pytest.raises(KeyError):
        Measurement.from_dict({**found.to_dict(), "best": "other"})


def test_unknown_engines_are_refused(artifact):
    with pytest.raises(UnknownNameError, match="there is no engine 'tvm'"):
        measure_engines(artifact, SAMPLES, options=EngineOptions(), engines=["tvm"])


def test_all_engines_that_are_installed_agree_on_a_network(tmp_path):
    # Looked for, not imported: openvino's import sends a report through a fork (see its engine).
    if not all(map(find_spec, ("onnxruntime", "openvino"))):
        pytest.skip("needs onnxruntime and openvino")
    net = proa.nn.Sequential(proa.nn.Linear(8, 16), proa.nn.GELU(), proa.nn.Linear(16, 4))
    artifact = read_artifact(save(net, tmp_path / "net", [InputSpec([None, 8])]))
    sample = [np.random.default_rng(0).standard_normal((2, 8)).astype(np.float32)]
    found = measure_engines(artifact, [sample], options=EngineOptions(), rounds=1, seconds=0.001)
    assert [entry.reason for entry in found.entries.values()] == [None] * 3
    assert max(entry.difference for entry in found.entries.values()) < 1.0
