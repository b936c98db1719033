from __future__ import annotations

import types

import proa
from proa import jit
from proa.jit._switches import is_left_alone


def doubled_if_positive(x):
    if x.sum() > 0:
        x = x * 2
    return x


def test_levels_show_recordings_and_converted_source(capsys):
    jit.set_code_level(100, also_to_stdout=True)
    jit.set_verbosity(3)
    try:
        assert jit.to_static(doubled_if_positive)(proa.ones([1])).tolist() == [2.0]
    finally:
        jit.set_code_level(0)
        jit.set_verbosity(0)
    shown = capsys.readouterr()
    assert "`doubled_if_positive` after conversion" in shown.out
    assert "ag__.if_stmt" in shown.out
    assert "recorded `doubled_if_positive`, variant 1: first call" in shown.err
    assert "if_else" in shown.err
    jit.to_static(doubled_if_positive)(proa.ones([2]))
    assert capsys.readouterr().err == ""


def test_functions_of_ignored_modules_and_marked_ones_are_left_alone():
    module = types.ModuleType("some_module_of_a_test")
    exec("def function(x):\n    return x", module.__dict__)
    assert not is_left_alone(module.function)
    jit.ignore_module([module])
    assert is_left_alone(module.function)
    assert is_left_alone(jit.not_to_static(lambda x: x))
    assert is_left_alone(jit.not_to_static()(lambda x: x))
