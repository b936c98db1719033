from __future__ import annotations

import proa


def test_a_function_becomes_one_program():
    @proa.incubate.cc.compiler.compile
    def twice(x):
        return x + x

    assert twice(proa.to_tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert isinstance(twice, proa.jit.StaticFunction)
