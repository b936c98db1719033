from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.autograd import PyLayer
from proa.core import UnsupportedError
from proa.jit import to_static


class Hundredfold(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensor()
        return gradient * 100 * x


def detached(x):
    return x * x.detach()


def without_tape(x):
    with proa.no_grad():
        y = x * 1.0
    return x * y


def stopped(x):
    y = x * 2
    y.stop_gradient = True
    return y * x


def hooked(x):
    y = x * x
    y.register_hook(lambda g: g * 10)
    return y * 3


def hooked_argument(x):
    x.register_hook(lambda g: g + 1)
    return x * 2


def through_a_py_layer(x):
    return Hundredfold.apply(x) * 2


def in_place(x):
    y = x * 3
    y.add_(x * x)
    y[0:1].zero_()
    return y


def several(x):
    return (x * 2).detach() + x, Hundredfold.apply(x), proa.ones([2])


FUNCTIONS = [
    *(detached, without_tape, stopped, hooked, hooked_argument, through_a_py_layer, in_place),
    several,
]


def gradients(function, weight):
    x = proa.to_tensor([2.0, 3.0], stop_gradient=False)
    weight.clear_grad()
    out = function(x)
    out = out[0] + out[1] * weight if isinstance(out, tuple) else out * weight
    (out * out).sum().backward()
    return x.grad.numpy(), weight.grad.numpy()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_of_a_compiled_function_end_where_those_of_the_tape_do(function):
    weight = proa.to_tensor([1.0, -2.0], stop_gradient=False)
    for ours, expected in zip(
        gradients(to_static(function, full_graph=True), weight),
        gradients(function, weight),
        strict=True,
    ):
        np.testing.assert_allclose(ours, expected, rtol=1e-5)


@pytest.mark.parametrize("function", [detached, stopped, hooked, in_place])
def test_second_derivatives_follow_the_tape_too(function):
    def second(called):
        x = proa.to_tensor([2.0, 3.0], stop_gradient=False)
        (first,) = proa.grad((called(x) ** 2).sum(), x, create_graph=True)
        return proa.grad((first * first).sum(), x)[0].numpy()

    np.testing.assert_allclose(
        second(to_static(function, full_graph=True)), second(function), rtol=1e-5
    )


def test_a_second_derivative_through_a_py_layer_is_refused():
    x = proa.to_tensor([2.0], stop_gradient=False)
    out = to_static(through_a_py_layer, full_graph=True)(x)
    (first,) = proa.grad(out, x, create_graph=True)
    with pytest.raises(UnsupportedError, match="second derivative through compiled `through_a_py"):
        proa.grad(first, x)


def test_hooks_of_captured_tensors_run_once():
    weight = proa.to_tensor([2.0], stop_gradient=False)
    seen = []
    weight.register_hook(lambda g: seen.append(g.item()))
    compiled = to_static(lambda x: hooked(x) * weight, full_graph=True)
    compiled(proa.to_tensor([1.0], stop_gradient=False)).backward()
    assert seen == [3.0]


def test_gradients_missing_for_some_outputs_count_as_zero():
    compiled = to_static(lambda x: (Hundredfold.apply(x), x * 3), full_graph=True)
    x = proa.to_tensor([2.0], stop_gradient=False)
    compiled(x)[1].backward()
    assert x.grad.item() == 3.0
    x.clear_grad()
    compiled(x)[0].backward()
    assert x.grad.item() == 200.0


def test_a_gradient_with_an_unknown_batch():
    spec = [proa.static.InputSpec([None, 2])]
    compiled = to_static(lambda x: (Hundredfold.apply(x), x * 1), spec, full_graph=True)
    for batch in (1, 3):
        x = proa.ones([batch, 2])
        x.stop_gradient = False
        compiled(x)[0].sum().backward()
        assert x.grad.tolist() == [[100.0, 100.0]] * batch
    assert compiled.num_variants == 1
