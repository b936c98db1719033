from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidTypeError


def test_a_function_with_another_gradient_in_a_program():
    main = static.Program()
    with static.program_guard(main):
        x, y = static.data("x", [None, 2]), static.data("y", [None, 2])
        x.stop_gradient = y.stop_gradient = False
        product, total = static.nn.static_pylayer(
            lambda x, y: [x * y, x + y], [x, y], lambda g, h: (g * 10 + h, None)
        )
        slopes = static.gradients(product + total * 2, [x, y])
    assert slopes[1] is None
    feed = {"x": [[1.0, 2.0]], "y": [[3.0, 4.0]]}
    found = static.Executor().run(main, feed, [product, total, slopes[0]])
    assert [each.tolist() for each in found] == [[[3, 8]], [[4, 6]], [[12, 12]]]


def test_parameters_before_it_train_and_a_missing_gradient_stops():
    main = static.Program()
    with static.program_guard(main):
        weight = static.create_parameter([2], "float32")
        y = static.nn.static_pylayer(lambda w: w * 2, [weight], lambda g: g * 0 + 1.0)
        proa.optimizer.SGD(0.5).minimize(y.sum())
        stopped = static.nn.static_pylayer(lambda w: w * 2, [weight])
    assert stopped.stop_gradient
    before = weight.numpy()
    static.Executor().run(main)
    np.testing.assert_allclose(weight.numpy(), before - 0.5, rtol=1e-6)


def test_outside_of_a_program():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    static.nn.static_pylayer(proa.exp, [x], lambda g: g * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: static.nn.static_pylayer(3, [x]), "`forward_fn` is a int"),
        (lambda x: static.nn.static_pylayer(proa.exp, [x], 3), "`backward_fn` is a int"),
        (lambda x: static.nn.static_pylayer(proa.exp, x), "`inputs` is"),
        (lambda x: static.nn.static_pylayer(proa.exp, [3]), r"`inputs` is \['int'\]"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(InvalidTypeError, match=message):
        call(proa.ones([1]))
