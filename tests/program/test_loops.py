"""Loops have derivatives of every order, however their length is decided."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.jit import to_static
from proa.static import InputSpec

GIVEN = np.float32([[1.0, 2.0], [0.5, 0.3], [0.2, 1.1]])


def until_large(x):
    while (x * x).sum() < 1000:
        x = x * x + x
    return x.sum()


def over_rows(x):
    s = x[0]
    for row in x:
        s = s * row + s
    return s.sum()


def over_rows_with_an_end(x):
    s = x[0]
    for row in x:
        s = s * row + s
        if s.sum() > 20:
            break
    return s.sum()


def derivatives(function):
    x = proa.to_tensor(GIVEN, stop_gradient=False)
    y = function(x)
    (first,) = proa.grad(y, x, create_graph=True)
    (second,) = proa.grad((first * first).sum(), x)
    _, forward = proa.autograd.jvp(function, x, proa.ones_like(x))
    return [y.numpy(), first.numpy(), second.numpy(), forward.numpy()]


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (until_large, {}),
        (over_rows, {"input_spec": [InputSpec([None, 2])]}),
        (over_rows_with_an_end, {"input_spec": [InputSpec([None, 2])]}),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_second_derivatives_and_forward_mode(function, options):
    compiled = to_static(function, full_graph=True, **options)
    for value, expected in zip(derivatives(compiled), derivatives(function), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-3)


def test_a_second_derivative_has_a_bound_that_is_told():
    proa.set_flags({"FLAGS_max_loop_turns": 4})
    try:
        x = proa.to_tensor([[0.01, 0.02]], stop_gradient=False)
        (first,) = proa.grad(to_static(until_large, full_graph=True)(x), x, create_graph=True)
        with pytest.raises(proa.core.InvalidArgumentError, match="a loop of more than 4 turns"):
            proa.grad(first.sum(), x)
    finally:
        proa.set_flags({"FLAGS_max_loop_turns": 2**14})
