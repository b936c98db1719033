from __future__ import annotations

import proa
from proa import jit


def test_switches_change_nothing():
    jit.ignore_module([proa])
    jit.set_code_level(1, also_to_stdout=True)
    jit.set_verbosity(10)
    assert jit.to_static(lambda x: x + 1)(proa.ones([1])).tolist() == [2.0]
