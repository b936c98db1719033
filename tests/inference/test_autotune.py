from __future__ import annotations

import json

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.inference import Config, _autotune, _optimise, create_predictor
from proa.inference._measure import EngineTime, Measurement
from proa.jit import save
from proa.static import InputSpec


@pytest.fixture
def path(tmp_path):
    return save(lambda x: x * 2, tmp_path / "net", [InputSpec([None, None], name="x")])


@pytest.fixture
def measured(monkeypatch):
    """Stands for the measurement, and counts it."""
    calls = []

    def measure(artifact, samples, *, options, rounds, seconds, narrowed):
        calls.append([[list(a.shape) for a in sample] for sample in samples])
        entries = {"xla": EngineTime("xla", "1", 0.002, 0.0)}
        return Measurement("xla", entries, options.threads, options.precision, calls[-1])

    monkeypatch.setattr(_autotune, "measure_engines", measure)
    return calls


def _config(path):
    config = Config(path)
    config.set_input_range("x", [1, 3], [8, 3])
    return config


def test_a_result_is_kept_beside_the_model_and_taken_from_there(path, measured):
    first = _config(path).autotune()
    assert (first.engine, first.is_new, measured) == ("xla", True, [[[[1, 3]]]])
    assert first.kept.parent == path.with_name("net.proa.cache")
    config = _config(path)
    second = config.autotune()
    assert (second.is_new, second.measurement, len(measured)) == (False, first.measurement, 1)
    assert "measured before, kept in " in create_predictor(config).explain()
    assert "* xla 1" in str(second)
    assert _config(path).autotune(repeat=True).is_new


def test_what_differs_is_measured_anew(path, measured):
    _config(path).autotune()
    config = _config(path)
    config.autotune([[np.ones((2, 5), np.float32)]])
    config.set_cpu_math_library_num_threads(1)
    config.autotune()
    config.switch_ir_optim(False)
    config.autotune()
    config.set_cache(None)
    assert config.autotune().kept is None
    assert len(measured) == 5
    assert measured[1] == [[[2, 5]]]


@pytest.mark.parametrize("damage", ["junk", "another key", "no engine"])
def test_a_file_that_does_not_fit_is_measured_anew(path, measured, damage):
    file = _config(path).autotune().kept
    content = json.loads(file.read_text())
    if damage == "another key":
        content["key"]["machine"] = "another"
    if damage == "no engine":
        content["measurement"]["best"] = "tvm"
        content["measurement"]["entries"]["tvm"] = content["measurement"]["entries"]["xla"]
    file.write_text("{" if damage == "junk" else json.dumps(content))
    assert _config(path).autotune().is_new
    assert not _config(path).autotune().is_new


@pytest.mark.parametrize("worth", [0.0, 1e9], ids=["channels last is slower", "faster"])
def test_xla_gets_the_layout_that_measures_faster(tmp_path, measured, monkeypatch, worth):
    monkeypatch.setattr(_optimise, "_WORTH", worth)
    net = proa.nn.Sequential(proa.nn.Conv2D(3, 4, 3), proa.nn.ReLU())
    x = np.ones((1, 3, 8, 8), np.float32)
    file = save(net, tmp_path / "conv", [InputSpec([1, 3, 8, 8], name="x")], samples=[x])
    for is_new in (True, False):
        config = Config(file)
        choice = config.autotune()
        assert (choice.is_new, choice.channels_last) == (is_new, worth > 0)
        assert ("layout_nhwc" in config.pass_builder().all_passes()) == (worth > 0)
        assert ("channels of images last" in str(choice)) == (worth > 0)
    (got,) = create_predictor(config).run([x])
    net.eval()
    np.testing.assert_allclose(got, net(proa.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)


def test_with_a_memory_limit_the_engine_auto_is_xla(path, measured):
    config = _config(path)
    config.set_engine("auto")
    config.set_memory_limit(100)
    predictor = create_predictor(config)
    assert (predictor.config.engine, measured) == ("xla", [])
    assert "no other engine keeps a memory limit" in predictor.explain()


def test_samples_are_checked(path, measured):
    with pytest.raises(InvalidArgumentError, match="`samples` is ndarray"):
        _config(path).autotune(np.ones((1, 3), np.float32))
    with pytest.raises(InvalidArgumentError, match="2 inputs were given"):
        _config(path).autotune([[np.ones((1, 3), np.float32)] * 2])
    with pytest.raises(InvalidArgumentError, match="the size 'x_1' of input `x` is not known"):
        Config(path).autotune()


def test_the_engine_auto_is_chosen_when_the_predictor_is_made(path, monkeypatch):
    measure = _autotune.measure_engines

    def briefly(*args, **options):
        return measure(*args, **{**options, "rounds": 1, "seconds": 0.0})

    monkeypatch.setattr(_autotune, "measure_engines", briefly)
    config = _config(path)
    config.set_engine("auto")
    predictor = create_predictor(config)
    assert config.engine == "auto"
    assert predictor.config.engine in ("xla", "openvino", "onnxruntime")
    assert "measured now" in predictor.explain()
    assert predictor.run([np.ones((1, 3), np.float32)])[0].tolist() == [[2.0] * 3]
