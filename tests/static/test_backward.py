from __future__ import annotations

import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError


def test_gradients_of_parameters_and_of_inputs():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        x.stop_gradient = False
        weight = static.create_parameter([2], "float32", name="weight")
        loss = (weight * x * x).sum()
        (pair,) = static.append_backward(loss)
        (slope,) = static.gradients(loss, x)
        (curve,) = static.gradients(slope, x)
        assert static.append_backward(loss, no_grad_set={"weight"}) == []
        assert static.append_backward(loss, parameter_list=["weight"])[0][0] is weight
    weight.set_value([3.0, 4.0])
    found = static.Executor().run(main, {"x": [1.0, 2.0]}, [pair[1], slope, curve])
    assert [each.tolist() for each in found] == [[1.0, 4.0], [6.0, 16.0], [6.0, 8.0]]


def test_outside_of_a_program_there_is_nothing_to_add_to():
    with pytest.raises(InvalidArgumentError, match="append_backward outside"):
        static.append_backward(proa.ones([1]))


def test_gradients_inside_a_branch():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        x.stop_gradient = False
        weight = static.create_parameter([2], "float32", attr=proa.nn.initializer.Constant(3.0))
        inner = []

        def slope():
            inner.append(x * weight)
            return static.gradients((x * inner[0]).sum(), x)[0]

        found = static.nn.cond(x.sum() > 0, slope, lambda: x)
    run = static.Executor().run
    assert run(main, {"x": [1.0, 2.0]}, [found])[0].tolist() == [6, 12]
    assert run(main, {"x": [-1.0, -2.0]}, [found])[0].tolist() == [-1, -2]
    with pytest.raises(InvalidArgumentError, match="is computed inside a branch or loop"):
        run(main, {"x": [1.0, 2.0]}, [inner[0].name])
