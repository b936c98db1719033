from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ArtifactError, InvalidArgumentError, InvalidTypeError, UnsupportedError
from proa.optimizer import LBFGS


def rosenbrock(x):
    return 100 * (x[1] - x[0] * x[0]) ** 2 + (1 - x[0]) ** 2


class Run:
    """An optimizer on Rosenbrock's function."""

    def __init__(self, **settings):
        start = proa.to_tensor([-1.2, 1.0], dtype="float64", stop_gradient=False)
        self.calls, self.x = 0, start
        self.optimizer = LBFGS(parameters=[start], **settings)

    def closure(self):
        self.calls += 1
        self.optimizer.clear_grad()
        loss = rosenbrock(self.x)
        loss.backward()
        return loss

    def steps(self, count):
        losses = [self.optimizer.step(self.closure).item() for _ in range(count)]
        return losses, self.x.tolist()


# Values of Paddle 3.3.1.
@pytest.mark.parametrize(
    ("settings", "losses", "place", "calls", "iterations"),
    [
        ({"max_iter": 1}, [24.2, 112.44805609, 18.77376259, 91.47824965],
         [-0.9253632377854824, 1.0207786998275232], 4, 4),
        ({"max_iter": 3, "line_search_fn": "strong_wolfe"},
         [24.2, 4.14692710, 4.12112678, 4.08495538],
         [-0.9431278012083247, 0.8529662725410928], 12, 7),
        ({"max_iter": 4, "history_size": 2, "learning_rate": 0.001},
         [24.2, 23.91451417, 23.77118070, 23.62772003],
         [-1.197358104240314, 1.0017421844023386], 16, 16),
    ],
)  # fmt: skip
def test_the_way_is_paddles(settings, losses, place, calls, iterations):
    run = Run(**settings)
    found, x = run.steps(4)
    assert found == pytest.approx(losses, rel=1e-8)
    assert x == pytest.approx(place, rel=1e-10)
    state = run.optimizer.state_dict()["state"]
    assert run.calls == state["func_evals"] == calls
    assert state["n_iter"] == iterations


def test_the_minimum_is_found():
    run = Run(max_iter=100, line_search_fn="strong_wolfe")
    assert run.steps(1)[1] == pytest.approx([1.0, 1.0], abs=1e-4)


def test_nothing_happens_at_the_minimum():
    run = Run()
    run.x.set_value(proa.to_tensor([1.0, 1.0], dtype="float64"))
    assert run.steps(1) == ([0.0], [1.0, 1.0])
    assert run.calls == 1


def test_several_parameters_of_several_shapes():
    a = proa.to_tensor([[1.0, 2.0]], stop_gradient=False)
    b = proa.to_tensor(3.0, stop_gradient=False)
    unused = proa.to_tensor([5.0], stop_gradient=False)
    optimizer = LBFGS(line_search_fn="strong_wolfe", parameters=[a, b, unused])

    def closure():
        optimizer.clear_grad(set_to_zero=False)
        loss = ((a - 1.0) ** 2).sum() + (b + 1.0) ** 2
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 17.0
    np.testing.assert_allclose(a.numpy(), [[1.0, 1.0]], atol=1e-5)
    assert b.item() == pytest.approx(-1.0, abs=1e-5)
    assert unused.item() == 5.0


def test_a_saved_state_goes_on_alike():
    settings = {"max_iter": 2, "line_search_fn": "strong_wolfe"}
    run, other = Run(**settings), Run(**settings)
    assert run.optimizer.state_dict() == {"state": {}}
    run.steps(2)
    other.x.set_value(run.x)
    other.optimizer.set_state_dict(run.optimizer.state_dict())
    assert other.steps(2) == run.steps(2)


@pytest.mark.parametrize("state", [{}, {"state": {"d": 1}}, {"state": 3}])
def test_other_states_are_refused(state):
    with pytest.raises(ArtifactError, match="the entries of the state"):
        Run().optimizer.set_state_dict(state)


def test_a_state_of_other_parameters_is_refused():
    run = Run(max_iter=1)
    run.steps(1)
    other = LBFGS(parameters=[proa.to_tensor([1.0], stop_gradient=False)])
    with pytest.raises(ArtifactError, match="is one for 2 numbers"):
        other.set_state_dict(run.optimizer.state_dict())


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"line_search_fn": "backtracking"}, InvalidArgumentError, "`line_search_fn` is"),
        ({"max_iter": 0}, InvalidArgumentError, "`max_iter` is 0"),
        ({"max_eval": 1.5}, InvalidTypeError, "`max_eval` is a float"),
        ({"tolerance_grad": -1.0}, InvalidArgumentError, "`tolerance_grad` is"),
    ],
)
def test_bad_settings(settings, error, message):
    with pytest.raises(error, match=message):
        Run(**settings)


def test_what_has_no_effect_is_told():
    with pytest.warns(UserWarning, match="`weight_decay` and `grad_clip` have no effect"):
        Run(weight_decay=0.1)


def test_it_needs_a_closure():
    run = Run()
    with pytest.raises(InvalidTypeError, match="LBFGS.step of NoneType"):
        run.optimizer.step()
    with pytest.raises(UnsupportedError, match="LBFGS.minimize"):
        run.optimizer.minimize(run.closure())


def test_compiling_is_refused():
    run = Run()

    @proa.jit.to_static
    def step(x):
        run.optimizer.step(run.closure)
        return x

    with pytest.raises(proa.core.PreconditionError, match="while a function is being compiled"):
        step(proa.ones([1]))
