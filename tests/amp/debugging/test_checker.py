from __future__ import annotations

from pathlib import Path

import pytest

import proa
from proa.amp import debugging
from proa.amp.debugging import DebugMode, TensorCheckerConfig
from proa.core import interceptors


@pytest.fixture(autouse=True)
def _off():
    yield
    debugging.disable_tensor_checker()
    assert not interceptors


def zero_division() -> proa.Tensor:
    return proa.ones([1]) / proa.zeros([1])


def test_the_first_bad_op_is_named():
    debugging.enable_tensor_checker(TensorCheckerConfig(True))
    with pytest.raises(
        FloatingPointError, match="op `divide` gave 0 NaN and 1 Inf(.|\n)*test_checker"
    ):
        zero_division()
    debugging.disable_tensor_checker()
    assert zero_division().tolist() == [float("inf")]


@pytest.mark.parametrize(
    ("settings", "is_printed"),
    [
        ({}, True),
        ({"enable": False}, False),
        ({"checked_op_list": ["elementwise_div"]}, True),
        ({"checked_op_list": ["log"]}, False),
        ({"skipped_op_list": {"divide"}}, False),
        ({"debug_step": [0, 1]}, True),
        ({"debug_step": [1, 2]}, False),
    ],
)
def test_what_is_looked_at(settings, is_printed, capsys):
    config = TensorCheckerConfig(
        **{"enable": True, "debug_mode": DebugMode.CHECK_NAN_INF, **settings}
    )
    debugging.enable_tensor_checker(config)
    zero_division()
    assert ("op=divide" in capsys.readouterr().out) is is_printed


def test_steps_are_counted_by_calls(capsys):
    config = TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF, debug_step=(1, 3))
    capsys.readouterr()
    printed = []
    for _ in range(4):
        debugging.enable_tensor_checker(config)
        zero_division()
        printed.append(bool(capsys.readouterr().out))
    assert printed == [False, True, True, False]


def test_gradients_are_looked_at(capsys):
    x = proa.zeros([1])
    x.stop_gradient = False
    debugging.enable_tensor_checker(TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF))
    proa.sqrt(x).backward()
    assert "op=sqrt_grad" in capsys.readouterr().out


def test_a_report_is_written(tmp_path: Path):
    config = TensorCheckerConfig(True, DebugMode.CHECK_ALL, output_dir=str(tmp_path / "run"))
    debugging.enable_tensor_checker(config)
    proa.exp(proa.zeros([2]) + 1)
    debugging.disable_tensor_checker()
    lines = (tmp_path / "run" / "worker_cpu").read_text().splitlines()
    assert ["op=add" in lines[-2], "op=exp" in lines[-1]] == [True, True]


def test_compiled_functions_run_as_they_are():
    debugging.enable_tensor_checker(TensorCheckerConfig(True))
    compiled = proa.jit.to_static(lambda x: x / 0.0, full_graph=True)
    assert compiled(proa.ones([1])).tolist() == [float("inf")]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"debug_mode": 0}, TypeError, "`debug_mode` is 0"),
        ({"debug_step": [3, 1]}, ValueError, r"`debug_step` is \[3, 1\]"),
        ({"debug_step": 3}, ValueError, "`debug_step` is 3"),
        ({"checked_op_list": 3}, TypeError, "`checked_op_list` is 3"),
    ],
)
def test_wrong_settings_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        TensorCheckerConfig(True, **settings)


def test_a_config_is_needed():
    with pytest.raises(TypeError, match="enable_tensor_checker was given a bool"):
        debugging.enable_tensor_checker(True)


def test_a_config_that_looks_starts_the_streams_again(capsys):
    proa.seed(5)
    wanted = proa.rand([2]).tolist()
    config = TensorCheckerConfig(True)
    assert (config.seed, config.initial_seed) == (5, 5)
    assert proa.rand([2]).tolist() == wanted
    assert capsys.readouterr().out.split() == "AMP Debugging TensorCheckerConfig: seed 5".split()
    TensorCheckerConfig(False)
    assert capsys.readouterr().out == ""
