"""Jacobians, Hessians and products with them, through Programs: inside, outside, and from files."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import autograd
from proa.jit import to_static
from proa.static import InputSpec

X = np.float32([0.5, 1.5])


def branches_and_loops(x):
    y = x * x if x.sum() > 0 else x
    while (y * y).sum() < 50:
        y = y * y + x
    return y


def transforms(function):
    """Everything that can be taken of a function at one place."""
    x = proa.to_tensor(X, stop_gradient=False)
    v = proa.to_tensor([1.0, -2.0])
    total = lambda x: function(x).sum()  # noqa: E731
    return [
        autograd.jacobian(function(x), x),
        autograd.hessian(total(x), x),
        autograd.jvp(function, x, v)[1],
        autograd.vjp(function, x, v)[1],
        proa.incubate.autograd.Jacobian(function, x)[:],
        proa.incubate.autograd.Hessian(total, x)[:],
        proa.incubate.autograd.jvp(function, x, v)[1],
        proa.incubate.autograd.vjp(function, x, v)[1],
    ]


def of_compiled(tmp_path):
    return transforms(to_static(branches_and_loops, full_graph=True))


def of_loaded(tmp_path):
    return transforms(proa.jit.load(proa.jit.save(branches_and_loops, tmp_path / "f", [X_SPEC])))


def inside_compiled(tmp_path):
    def inside(x):
        v = proa.to_tensor([1.0, -2.0])
        y = branches_and_loops(x)
        return (
            autograd.jacobian(y, x),
            autograd.jvp(branches_and_loops, x, v)[1],
            autograd.vjp(branches_and_loops, x, v)[1],
        )

    compiled = to_static(inside, full_graph=True)
    found = compiled(proa.to_tensor(X, stop_gradient=False))
    return [found[0], None, found[1], found[2], None, None, None, None]


X_SPEC = InputSpec([2], "float32", "x")


@pytest.mark.parametrize("way", [of_compiled, of_loaded, inside_compiled], ids=lambda w: w.__name__)
def test_transforms_through_programs(way, tmp_path):
    for found, expected in zip(way(tmp_path), transforms(branches_and_loops), strict=True):
        if found is not None:
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-4)
