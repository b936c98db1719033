from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    ProgramError,
    UnsupportedError,
)

GIVEN = np.float32([[0.5, -1.0], [2.0, 0.0]])


def variable(name, shape=(None, 2), dtype="float32"):
    return static.default_main_program().current_block().create_var(name, shape, dtype)


def tanh_slope(x, y, g):
    assert x.dtype == y.dtype == np.float32
    return g * (1 - y * y)


def test_a_function_of_arrays_with_its_gradient():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        x.stop_gradient = False
        y = variable("y")
        assert static.py_func(np.tanh, x, y, tanh_slope) is y
        (slope,) = static.gradients(y.sum(), x)
        with pytest.raises(UnsupportedError, match="a gradient of a gradient that py_func"):
            static.gradients(slope.sum(), x)
    for size in (2, 1):
        given = GIVEN[:size]
        found = static.Executor().run(main, {"x": given}, ["y", slope])
        np.testing.assert_allclose(found[0], np.tanh(given), rtol=1e-6)
        np.testing.assert_allclose(found[1], 1 - np.tanh(given) ** 2, rtol=1e-5)


def test_a_layer_before_it_trains_and_calls_are_counted():
    main, calls = static.Program(), []

    def rectify(a):
        calls.append(len(a))
        return np.maximum(a, 0)

    with static.program_guard(main):
        hidden = static.nn.fc(static.data("x", [None, 2]), 4)
        out = variable("hidden", [None, 4])
        static.py_func(
            rectify, hidden, out, lambda a, g: g * (a > 0), skip_vars_in_backward_input=out
        )
        loss = (static.nn.fc(out, 1) - 1.0).square().mean()
        proa.optimizer.Adam(0.05).minimize(loss)
    run = static.Executor().run
    losses = [float(run(main, {"x": GIVEN}, [loss])[0]) for _ in range(40)]
    assert losses[-1] < losses[0] * 0.2
    assert calls == [2] * 40


def test_several_inputs_and_outputs_one_without_a_gradient():
    main = static.Program()
    with static.program_guard(main):
        x, ids = static.data("x", [None, 2]), static.data("ids", [None], "int64")
        x.stop_gradient = False
        outs = [variable("total", [None], "float32"), variable("most", [None], "int64")]
        static.py_func(
            lambda a, i: (a.sum(1) * i, a.argmax(1)),
            [x, ids],
            outs,
            lambda a, i, total, most, g, no: (g[:, None] * i[:, None] + 0 * a, None),
        )
        (slope,) = static.gradients(outs[0].sum(), x)
    found = static.Executor().run(main, {"x": GIVEN, "ids": [2, 3]}, [*outs, slope])
    assert [each.tolist() for each in found] == [[-1, 6], [0, 0], [[2, 2], [3, 3]]]


def test_without_a_gradient_and_without_results():
    main, seen = static.Program(), []
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        x.stop_gradient = False
        y = static.py_func(np.tanh, x, variable("y"))
        assert y.stop_gradient
        assert static.py_func(seen.append, x, None) is None
    static.Executor().run(main, {"x": GIVEN}, [y])
    np.testing.assert_array_equal(seen[0], GIVEN)


def test_outside_of_programs_and_in_compiled_functions():
    x, y = proa.to_tensor(GIVEN, stop_gradient=False), proa.zeros([2, 2])
    static.py_func(np.tanh, x, y, tanh_slope)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1 - np.tanh(GIVEN) ** 2, rtol=1e-5)
    seen = []
    static.py_func(seen.append, x, None)
    assert len(seen) == 1

    @proa.jit.to_static
    def compiled(x):
        return static.py_func(np.tanh, x, proa.zeros([2, 2]), tanh_slope) * 2

    x.clear_grad()
    compiled(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 - 2 * np.tanh(GIVEN) ** 2, rtol=1e-5)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda a: a[:1], r"returned shape \[1, 2\] as value 0"),
        (lambda a: (a, a), "returned 2 values"),
    ],
)
def test_functions_that_fail(function, message):
    main = static.Program()
    with static.program_guard(main):
        y = static.py_func(function, static.data("x", [None, 2]), variable("y"))
    with pytest.raises(ProgramError, match=message):
        static.Executor().run(main, {"x": GIVEN}, [y])
    with pytest.raises(ProgramError, match=message):
        static.py_func(function, proa.to_tensor(GIVEN), proa.zeros([2, 2]))


def test_effects_and_gradients_that_fail():
    with pytest.raises(ProgramError, match="raised TypeError"):
        static.py_func(lambda: None, proa.ones([1]), None)
    x, y = proa.to_tensor(GIVEN, stop_gradient=False), proa.zeros([2, 2])
    static.py_func(lambda a, b: a + b, [x, x], y, lambda a, b, y, g: g)
    with pytest.raises(ProgramError, match="the gradient `<lambda>` .* returned 1 gradients"):
        y.sum().backward()


def test_wrong_use(tmp_path):
    x = proa.ones([2])
    for error, call, message in (
        (InvalidTypeError, lambda: static.py_func(3, x, x), "`func` is a int"),
        (InvalidTypeError, lambda: static.py_func(np.tanh, 3, x), "`x` holds a int"),
        (InvalidTypeError, lambda: static.py_func(np.tanh, x, [3]), "`out` holds a int"),
        (InvalidTypeError, lambda: static.py_func(np.tanh, x, x, 3), "`backward_func` is a int"),
        (
            InvalidArgumentError,
            lambda: static.py_func(np.tanh, x, x, tanh_slope, ["other"]),
            "'other' in `skip_vars_in_backward_input`",
        ),
    ):
        with pytest.raises(error, match=message):
            call()
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        y = static.py_func(np.tanh, x, variable("y"))
    with pytest.raises(ArtifactError, match="py_func"):
        static.save_inference_model(str(tmp_path / "x"), [x], [y], None, program=main)
