from __future__ import annotations

import proa
import proa.compat


def test_shapes_and_generators_print_as_paddles_while_the_alias_stands():
    shape, generator = proa.ones([2]).shape, proa.seed(0)
    proa.compat.install()
    try:
        assert repr(shape) == "paddle.Size([2])"
        assert repr(proa.ones([2])).startswith("Tensor(shape=[2], ")
        assert repr(generator).startswith("<paddle.base.libpaddle.Generator object")
        assert repr(proa.no_grad()).startswith("<paddle.base.dygraph.base.set_grad_enabled object")
        handle = proa.ones([2], requires_grad=True).register_hook(print)
        assert "base.dygraph.tensor_patch_methods.TensorHookRemoveHelper object" in repr(handle)
        assert repr(generator.get_state()).startswith("<paddle.base.libpaddle.GeneratorState obj")
    finally:
        proa.compat.uninstall()
    assert repr(shape) == "[2]"
    assert repr(generator).startswith("<proa.core._random.Generator object")
    assert repr(proa.no_grad()).startswith("<proa.core._tape.GradMode object")
