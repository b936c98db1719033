from __future__ import annotations

import jax
import numpy as np

import proa
from proa.program import recording

X = np.float32([0.5, 1.0])


def record(function):
    with recording() as recorder:
        x = recorder.add_input((2,), np.float32, "x")
        x.stop_gradient = False
        program, _ = recorder.finish(function(x))
    return program


def count(program, primitive):
    return str(jax.make_jaxpr(program.function())(X)).count(f"= {primitive} ")


def test_a_call_and_its_gradient_are_traced_once():
    def loss_and_gradient(x):
        y = proa.exp(x * x)
        return [y, *proa.grad(y.sum(), x)]

    program = record(loss_and_gradient)
    assert count(program, "exp") == 1
    value, gradient = program.function()(X)
    np.testing.assert_allclose(value, np.exp(X * X), rtol=1e-6)
    np.testing.assert_allclose(gradient, 2 * X * np.exp(X * X), rtol=1e-6)


def test_gradients_of_gradients_and_repeated_gradients_are_right():
    def derivatives(x):
        y = proa.sin(x)
        (first,) = proa.grad(y.sum(), x, create_graph=True)
        (second,) = proa.grad(first.sum(), x, create_graph=True)
        (again,) = proa.grad((y * 3).sum(), x)
        return [first, second, again]

    first, second, again = record(derivatives).function()(X)
    np.testing.assert_allclose(first, np.cos(X), rtol=1e-6)
    np.testing.assert_allclose(second, -np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(again, 3 * np.cos(X), rtol=1e-6)


def test_gradients_for_other_inputs_of_one_call_are_right():
    weight = proa.to_tensor([2.0, 3.0], stop_gradient=False)

    def both(x):
        y = x * weight
        (by_x,) = proa.grad(y.sum(), x, retain_graph=True)
        by_both = proa.grad(y.sum(), [x, weight])
        return [by_x, *by_both]

    program = record(both)
    for found, expected in zip(
        program.function()(X, weight.numpy()), ([2, 3], [2, 3], X), strict=True
    ):
        np.testing.assert_allclose(found, expected)


def test_a_program_that_is_differentiated_as_taped_traces_calls_by_themselves():
    program = record(lambda x: [proa.exp(x.detach()) * x])
    plain = jax.grad(lambda x: program.function()(x)[0].sum())(X)
    np.testing.assert_allclose(plain, np.exp(X) * (1 + X), rtol=1e-6)
