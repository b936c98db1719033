"""Branches and loops by functions: eager, compiled, saved to a file, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.jit import to_static
from proa.static.nn import case, cond, switch_case, while_loop

UP, DOWN = [1.0, 2.0], [-1.0, -2.0]


def branched(x):
    return cond(x.sum() > 0, lambda: {"y": x * 2}, lambda: {"y": x - 1})["y"]


def nested(x):
    return cond(
        x.sum() > 0,
        lambda: cond(x.max() > 1.5, lambda: x * x, lambda: x),
        lambda: cond(x.min() > -1.5, lambda: x * 7, lambda: -x),
    )


def looped(x):
    i = proa.zeros([], "int64")
    _, y = while_loop(lambda i, y: i < 7, lambda i, y: [i + 1, proa.sin(y) * x], [i, x])
    return y


def tree_loop(x):
    state = {"i": proa.zeros([], "int64"), "y": [x, x * 2]}
    (state,) = while_loop(
        lambda s: s["i"] < 3,
        lambda s: [{"i": s["i"] + 1, "y": [s["y"][1], s["y"][0] + 1]}],
        [state],
    )
    return state["y"][0] * state["y"][1]


def cased(x):
    pairs = [(x.sum() > 2, lambda: x * 3), (x.sum() < -2, lambda: x * 5)]
    return case(pairs, default=lambda: x)


def switched(x):
    number = (x.sum() > 0).astype("int64") * 2
    return switch_case(number, {0: lambda: x + 1, 2: lambda: x * x}, default=lambda: x)


FUNCTIONS = (branched, nested, looped, tree_loop, cased, switched)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_compiled_is_eager(function):
    compiled = to_static(function, full_graph=True)
    for given in (UP, DOWN):
        found = []
        for run in (function, compiled):
            x = proa.to_tensor(given, stop_gradient=False)
            y = run(x)
            y.sum().backward()
            found.append((y.numpy(), x.grad.numpy()))
        for value, expected in zip(*found, strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-6)
    assert compiled.num_variants == 1


def test_a_saved_program_branches_and_loops(tmp_path):
    class Net(proa.nn.Layer):
        def forward(self, x):
            return looped(branched(x))

    net = Net()
    spec = [proa.static.InputSpec([None], "float32")]
    proa.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    loaded = proa.jit.load(str(tmp_path / "net"))
    for given in (UP, DOWN, [0.5, 1.0, -3.0]):
        x = proa.to_tensor(given)
        np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-5)


def test_loops_write_to_tensors_from_outside():
    total = proa.zeros([2])

    @to_static(full_graph=True)
    def add_often(n):
        def body(i):
            total.add_(proa.ones([2]))
            return [i + 1]

        while_loop(lambda i: i < n, body, [proa.zeros([], "int64")])
        return total * 1

    assert add_often(proa.to_tensor(5)).tolist() == [5.0, 5.0]
    assert add_often(proa.to_tensor(2)).tolist() == [7.0, 7.0]
    assert total.tolist() == [7.0, 7.0]


def test_the_gradient_of_a_long_loop_keeps_few_states():
    @to_static(full_graph=True)
    def power(x, n):
        i = proa.zeros([], "int64")
        return while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * x], [i, x * 0 + 1])[1]

    x = proa.to_tensor(1.001, dtype="float64", stop_gradient=False)
    power(x, proa.to_tensor(1000)).backward()
    assert x.grad.item() == pytest.approx(1000 * 1.001**999)


@pytest.mark.parametrize(("first", "grads"), [(3.0, [3.0, 6.0]), (-3.0, [0.0, 3.0])])
def test_backward_within_a_branch_adds_where_the_branch_runs(first, grads):
    weight = proa.to_tensor([1.0], stop_gradient=False)

    @to_static(full_graph=True)
    def step(x):
        def yes():
            (weight * x).sum().backward()
            return x

        return cond(x.sum() > 0, yes, lambda: x)

    for value, expected in zip((first, 3.0), grads, strict=True):
        step(proa.to_tensor([value]))
        assert weight.grad.tolist() == [expected]


X = proa.to_tensor([1.0])


@pytest.mark.parametrize(
    ("error", "call", "message"),
    [
        (InvalidTypeError, lambda: cond(X > 0, X), "true_fn is a Tensor"),
        (InvalidTypeError, lambda: while_loop(X, lambda x: x, [X]), "cond is a Tensor"),
        (InvalidTypeError, lambda: while_loop(lambda x: x, lambda x: x, X), "loop_vars is a"),
        (InvalidArgumentError, lambda: while_loop(lambda: X, lambda: X, []), "is empty"),
        (
            InvalidArgumentError,
            lambda: while_loop(lambda a, b: a > 0, lambda a, b: [a], [X, X]),
            "returns 1 values for 2",
        ),
        (InvalidTypeError, lambda: case(X), "the branches are a Tensor"),
        (InvalidTypeError, lambda: case([X]), "a branch is"),
        (InvalidArgumentError, lambda: case([]), "no branch"),
        (
            InvalidArgumentError,
            lambda: switch_case(X, [(1, lambda: X), (1, lambda: X)]),
            r"branches for \[1, 1\]",
        ),
    ],
)
def test_wrong_arguments(error, call, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("branches", "message"),
    [
        ((lambda: X, lambda: (X, X)), "the branches return"),
        ((lambda: X, lambda: X.astype("int64")), "differ in `result 0`"),
    ],
)
def test_branches_that_differ(branches, message):
    compiled = to_static(lambda x: cond(x.sum() > 0, *branches), full_graph=True)
    with pytest.raises(InvalidArgumentError, match=message):
        compiled(X)
