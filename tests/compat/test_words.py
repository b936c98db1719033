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


def test_values_of_programs_print_as_paddles():
    proa.compat.install()
    try:
        with proa.static.program_guard(proa.static.Program()):
            x = proa.static.data("x", [None, 3])
            y = proa.nn.Linear(3, 2)(x)
            words = [repr(t) for t in (x, y, proa.topk(y, 1)[1], x.sum(), x.astype("bfloat16"))]
            words.append(repr(x > 0))
    finally:
        proa.compat.uninstall()
    assert words == [
        f"Value(define_op_name=pd_op.{name}, index={index}, dtype=tensor<{dtype}>, "
        f"stop_gradient={stop})"
        for name, index, dtype, stop in (
            ("data", 0, "-1x3xf32", True),
            ("add", 0, "-1x2xf32", False),
            ("topk", 1, "-1x1xi64", True),
            ("sum", 0, "f32", True),
            ("cast", 0, "-1x3xbf16", True),
            ("greater_than", 0, "-1x3xb", True),
        )
    ]
    assert "a value of the Program" in repr(x)
