from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from proa.optimizer._quasi_newton import CurvatureHistory

HESSIAN = np.diag([2.0, 5.0, 10.0])


def filled(steps, **settings):
    history = CurvatureHistory(len(steps), **settings)
    for step in steps:
        history.add(jnp.asarray(step), jnp.asarray(HESSIAN @ step))
    return history


def test_as_many_steps_as_axes_know_the_hessian():
    history = filled(np.eye(3))
    gradient = np.array([1.0, 2.0, 3.0])
    found = history.direction(jnp.asarray(gradient))
    np.testing.assert_allclose(found, -np.linalg.solve(HESSIAN, gradient), 1e-9)


@pytest.mark.parametrize(("settings", "scale"), [({}, 0.2), ({"is_scaled": False}, 1.0)])
def test_other_directions_are_scaled(settings, scale):
    history = filled(np.eye(3)[1:2], **settings)
    assert float(history.scale) == pytest.approx(scale)
    found = history.direction(jnp.asarray([1.0, 1.0, 0.0]))
    np.testing.assert_allclose(found, [-scale, -0.2, 0.0], 1e-9)


def test_a_matrix_to_start_from():
    found = CurvatureHistory(3).direction(
        jnp.asarray([1.0, 1.0]), jnp.diag(jnp.asarray([2.0, 3.0]))
    )
    assert found.tolist() == [-2.0, -3.0]


def test_old_steps_are_forgotten_and_bad_ones_not_taken():
    history = CurvatureHistory(2)
    for i in range(3):
        history.add(jnp.asarray([1.0 + i]), jnp.asarray([1.0]))
    history.add(jnp.asarray([1.0]), jnp.asarray([-1.0]))
    assert [float(s[0]) for s in history.steps] == [2.0, 3.0]
