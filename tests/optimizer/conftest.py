"""The problem that all optimizers are run on: two parameters, four steps of fixed gradients."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import Parameter, Tensor

WEIGHTS = ([[0.5, -1.0, 2.0], [0.1, 0.0, -0.3]], [0.2, -0.4, 1.5])
GRADIENTS = (
    ([[0.1, -0.2, 0.3], [1.0, 0.0, -2.0]], [0.5, -1.0, 0.01]),
    ([[-0.3, 0.2, 0.1], [0.5, 0.0, 1.0]], [-0.5, -2.0, 0.02]),
    ([[0.7, 0.1, -0.6], [-1.0, 0.3, 0.2]], [0.25, 3.0, -0.03]),
    ([[0.2, -0.9, 0.4], [0.1, -0.3, 0.6]], [-0.1, 1.0, 0.3]),
)


def make_parameter(values, name="p", dtype="float32", **attributes):
    made = Parameter(np.asarray(values), dtype=dtype)
    made.name = name
    made.optimize_attr = {"learning_rate": attributes.pop("learning_rate", 1.0)}
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


@pytest.fixture
def parameter():
    """Makes a named parameter."""
    return make_parameter


@pytest.fixture
def run_steps():
    """Runs an optimizer on gradients, one list of gradients per step."""

    def run(optimizer, params, *steps):
        for grads in steps:
            for param, grad in zip(params, grads, strict=True):
                if grad is not None:
                    param.grad = Tensor(np.asarray(grad), dtype=param.dtype)
            optimizer.step()
        return [param.numpy().astype("float64").tolist() for param in params]

    return run


@pytest.fixture
def check_recorded(run_steps):
    """Compares the parameters after four steps in float64 with recorded ones."""

    def check(make, expected):
        params = [
            make_parameter(values, name, "float64")
            for values, name in zip(WEIGHTS, ("w", "b"), strict=True)
        ]
        weight, bias = run_steps(make(params), params, *GRADIENTS)
        # Paddle keeps most hyperparameters in float32, hence not closer.
        assert [*weight[0], *weight[1], *bias] == pytest.approx(expected, abs=2e-7)

    return check
