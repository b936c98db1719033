from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, PreconditionError
from proa.incubate.optimizer.functional import minimize_bfgs, minimize_lbfgs

BOTH = pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])


def rosenbrock(x):
    return 100 * (x[1] - x[0] * x[0]) ** 2 + (1 - x[0]) ** 2


def square(x):
    return (x * x).sum()


START = np.array([-1.2, 1.0])


@BOTH
def test_the_minimum_is_found(minimize):
    found = minimize(rosenbrock, proa.to_tensor(START), max_iters=100, dtype="float64")
    assert found[0].tolist() == [True]
    assert 20 < found[1].item() < 100
    assert found[2].tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    assert found[3].shape == []
    assert abs(found[4].numpy()).max() < 1e-3
    if minimize is minimize_bfgs:
        inverse = np.linalg.inv([[802.0, -400.0], [-400.0, 200.0]])
        np.testing.assert_allclose(found[5].numpy(), inverse, rtol=0.02)


def test_the_first_steps_are_paddles():
    # Of minimize_lbfgs of Paddle 3.3.1.
    found = minimize_lbfgs(rosenbrock, proa.to_tensor(START), max_iters=5, dtype="float64")
    assert found[0].tolist() == [False]
    assert found[2].tolist() == pytest.approx([-0.5807936511061186, 0.3422727168023856], rel=1e-9)
    assert found[3].item() == pytest.approx(2.5013602547089757, rel=1e-9)


@BOTH
def test_no_iteration(minimize):
    found = minimize(square, proa.to_tensor([1.0, 2.0]), max_iters=0)
    assert [t.tolist() for t in found[:5]] == [[False], [1], [1.0, 2.0], 5.0, [2.0, 4.0]]


@BOTH
def test_a_given_inverse_hessian(minimize):
    start = proa.to_tensor([[0.5, 0.0], [0.0, 0.5]])
    x = proa.to_tensor([1.0, 2.0])
    found = minimize(square, x, initial_inverse_hessian_estimate=start)
    assert [t.tolist() for t in found[:4]] == [[True], [2], [0.0, 0.0], 0.0]
    for wrong in ([[0.5, 0.1], [0.0, 0.5]], [[-0.5, 0.0], [0.0, 0.5]], [[1.0]]):
        with pytest.raises(InvalidArgumentError, match="is not symmetric and positive definite"):
            minimize(square, x, initial_inverse_hessian_estimate=proa.to_tensor(wrong))


@BOTH
def test_bad_arguments(minimize):
    x = proa.to_tensor([1.0, 2.0])
    for settings, message in (
        ({"line_search_fn": "x"}, "`line_search_fn` of"),
        ({"dtype": "float16"}, "is float16"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            minimize(square, x, **settings)
    with pytest.raises(InvalidArgumentError, match="`initial_position` of"):
        minimize(square, x.reshape([1, 2]))
    with pytest.raises(InvalidArgumentError, match="`objective_func` returned shape"):
        minimize(lambda x: x * x, x)


def test_compiling_is_refused():
    compiled = proa.jit.to_static(lambda x: minimize_bfgs(square, x)[2])
    with pytest.raises(PreconditionError, match="while a function is being compiled"):
        compiled(proa.to_tensor([1.0]))
