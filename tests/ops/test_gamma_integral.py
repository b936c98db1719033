from __future__ import annotations

import jax
import numpy as np
from scipy import special

from proa.ops import _gamma_integral as module
from tests.ops.derivatives import quickly

# d2P / da2, by differentiating the integral with 40 digits (mpmath 1.3); the last at its end.
SECOND = [
    (0.01, 0.003, 24.633641713154177),
    (0.5, 0.2, 1.0339378610953087),
    (0.5, 20.0, -5.11141469410342e-09),
    (2.0, 2.2, -0.021716350917889104),
    (30.0, 27.0, 0.006928862389067269),
    (10000.0, 10100.0, -2.4037093166337313e-05),
    (0.5, 0.0, 0.0),
]


def test_second_derivatives():
    a, x, want = np.array(SECOND).T

    @quickly
    def derivatives(a, x):
        def total(share, a, x):
            return share(a, x).sum()

        def by(first, second, share=module.lower_share):
            inner = jax.grad(lambda *at: total(share, *at), first)
            return jax.grad(lambda *at: inner(*at).sum(), second)(a, x)

        return by(0, 0), by(0, 0, module.upper_share), by(0, 1), by(1, 0)

    lower, upper, one, other = derivatives(a, x)
    np.testing.assert_allclose(lower, want, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(upper, -want, rtol=1e-7, atol=1e-12)
    mixed = module.density(a, x)[:-1] * (np.log(x[:-1]) - special.digamma(a[:-1]))
    np.testing.assert_allclose(one[:-1], mixed, rtol=1e-12)
    np.testing.assert_allclose(other[:-1], mixed, rtol=1e-10)


def test_draws_follow_their_shapes():
    a = np.array([0.4, 1.0, 6.0])
    drawn = np.array([0.3, 1.2, 4.0])
    share = special.gammainc(a, drawn)

    def total(shapes):
        return module.drawn_with(shapes, drawn).sum()

    def moved(step):
        # The draws of the same chance for other shapes.
        return special.gammaincinv(a + step, share)

    step = 1e-3
    np.testing.assert_array_equal(module.drawn_with(a, drawn), drawn)
    slope = (moved(step) - moved(-step)) / (2 * step)
    bend = (moved(step) - 2 * drawn + moved(-step)) / step**2
    first = jax.grad(total)
    found = quickly(lambda a: (first(a), jax.grad(lambda a: first(a).sum())(a)))(a)
    np.testing.assert_allclose(found[0], slope, rtol=1e-5)
    np.testing.assert_allclose(found[1], bend, rtol=1e-4)
