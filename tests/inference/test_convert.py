from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnsupportedError
from proa.formats import read_model
from proa.inference import (
    Config,
    PlaceType,
    PrecisionType,
    convert_to_mixed_precision,
    create_predictor,
)
from proa.jit import save
from proa.static import InputSpec

X = np.random.default_rng(0).standard_normal((4, 16)).astype(np.float32)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    net = proa.nn.Sequential(proa.nn.Linear(16, 32), proa.nn.ReLU(), proa.nn.Linear(32, 4))
    file = tmp_path_factory.mktemp("convert") / "net"
    return save(net, file, [InputSpec([None, 16], name="x")], samples=[X])


@pytest.fixture(scope="module")
def exact(path):
    return create_predictor(Config(path)).run([X])[0]


@pytest.mark.parametrize("kind", [PrecisionType.Half, PrecisionType.Bfloat16])
def test_a_model_is_written_anew_in_low_precision(path, exact, kind, tmp_path):
    target = tmp_path / "low.proa"
    convert_to_mixed_precision(path, "", target, "", kind, PlaceType.CPU)
    made = read_model(target)
    held = [*made.weights.values(), *made.programs["main"].constants.values()]
    assert {str(array.dtype) for array in held} == {
        {PrecisionType.Half: "float16", PrecisionType.Bfloat16: "bfloat16"}[kind]
    }
    assert target.stat().st_size < path.stat().st_size
    (out,) = create_predictor(Config(target)).run([X])
    assert out.dtype == np.float32
    assert 1e-6 < np.abs(out - exact).max() < 0.03


def test_a_config_computes_in_low_precision_and_keeps_ops_that_are_named(path, exact):
    config = Config(path)
    config.enable_mkldnn_bfloat16()
    (rough,) = create_predictor(config).run([X])
    assert 1e-6 < np.abs(rough - exact).max() < 0.03
    config.exp_disable_mixed_precision_ops({"linear", "relu"})
    (kept,) = create_predictor(config).run([X])
    np.testing.assert_allclose(kept, exact, rtol=1e-6)


def test_autotune_compares_with_float32(path):
    config = Config(path)
    config.set_precision("bfloat16")
    choice = config.autotune(rounds=1, seconds=0)
    assert 1.0 < choice.measurement.entries["xla"].difference < 1000
    assert choice.measurement.precision == "bfloat16"


def test_a_paddle_model_is_written_as_one(path, exact, tmp_path):
    target, params = tmp_path / "low.json", tmp_path / "low.pdiparams"
    convert_to_mixed_precision(path, None, target, params, PrecisionType.Half, PlaceType.CPU)
    (out,) = create_predictor(Config(target, params)).run([X])
    assert np.abs(out - exact).max() < 0.03
    with pytest.raises(InvalidArgumentError, match="`mixed_params_file` is 'other'"):
        convert_to_mixed_precision(path, None, target, "other", PrecisionType.Half, PlaceType.CPU)


@pytest.mark.parametrize(
    ("precision", "backend", "options", "error", "message"),
    [
        (PrecisionType.Float32, PlaceType.CPU, {}, InvalidArgumentError, "`mixed_precision` is"),
        (PrecisionType.Int8, PlaceType.CPU, {}, UnsupportedError, "precision int8"),
        (PrecisionType.Half, PlaceType.XPU, {}, UnsupportedError, "with PlaceType.XPU"),
        (
            PrecisionType.Half,
            PlaceType.CPU,
            {"keep_io_types": False},
            UnsupportedError,
            "with keep_io_types=False",
        ),
        (
            PrecisionType.Half,
            PlaceType.CPU,
            {"white_list": {"relu"}},
            UnsupportedError,
            r"with white_list=\['relu'\]",
        ),
        (PrecisionType.Half, PlaceType.CPU, {"x": 1}, UnsupportedError, r"with options \['x'\]"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    path, tmp_path, precision, backend, options, error, message
):
    target = tmp_path / "low.proa"
    with pytest.raises(error, match=message):
        convert_to_mixed_precision(path, "", target, "", precision, backend, **options)
    assert not target.exists()
