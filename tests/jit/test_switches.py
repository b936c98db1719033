from __future__ import annotations

import types

import proa
from proa import jit
from proa.jit._switches import is_left_alone


def test_levels_change_nothing():
    jit.set_code_level(1, also_to_stdout=True)
    jit.set_verbosity(10)
    assert jit.to_static(lambda x: x + 1)(proa.ones([1])).tolist() == [2.0]


def test_functions_of_ignored_modules_and_marked_ones_are_left_alone():
    module = types.ModuleType("some_module_of_a_test")
    exec("def function(x):\n    return x", module.__dict__)
    assert not is_left_alone(module.function)
    jit.ignore_module([module])
    assert is_left_alone(module.function)
    assert is_left_alone(jit.not_to_static(lambda x: x))
    assert is_left_alone(jit.not_to_static()(lambda x: x))
