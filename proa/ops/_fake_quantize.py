"""Rounding to what integers of few bits can hold, with gradients that pass through.

A scale is the magnitude that the largest integer, 2^(bits - 1) - 1, stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import op

if TYPE_CHECKING:
    from proa.core._types import Array


def away_from_zero(x: Array) -> Array:
    """Rounds to the nearest integer, ties away from zero."""
    return jnp.sign(x) * jnp.floor(jnp.abs(x) + 0.5)


def _along(scale: Array, ndim: int, axis: int | None) -> Array:
    if axis is None:
        return scale.reshape(())
    return scale.reshape([-1 if i == axis % ndim else 1 for i in range(ndim)])


@op(method=None, public=False)
def fake_quantize(x: Array, scale: Array, bits: int, axis: int | None) -> Array:
    """The numbers nearest to `x` that integers of `bits` bits give, within the scale.

    The gradient is that of the identity (a straight-through estimate).

    Args:
        x: floating tensor.
        scale: one element, or one for each place of `axis`.
        bits: bits of the integers, sign included.
        axis: axis with scales of its own, or `None`.

    References:
        Jacob et al., "Quantization and Training of Neural Networks", 2018.
    """
    largest = 2 ** (bits - 1) - 1
    limit = jax.lax.stop_gradient(_along(scale, x.ndim, axis)).astype(x.dtype)
    safe = jnp.where(limit > 0, limit, 1)
    steps = away_from_zero(jnp.clip(x, -limit, limit) / safe * largest)
    return x + jax.lax.stop_gradient(steps * limit / largest - x)


@op(method=None, public=False, differentiable=False)
def largest_magnitude(x: Array, axis: int | None) -> Array:
    """Largest magnitude of all elements, [1], or at each place of an axis."""
    kept = None if axis is None else tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    return jnp.max(jnp.abs(x), axis=kept, initial=0).reshape(-1)


@op(method=None, public=False, differentiable=False)
def moving_magnitude(x: Array, state: Array, total: Array, rate: float) -> Any:
    """Moving average of the largest magnitude.

    Args:
        x: floating tensor.
        state: sum of the weights so far, [1].
        total: weighted sum of the magnitudes so far, [1].
        rate: how much the past keeps at each step.

    Returns:
        The average, the new state and the new total.
    """
    state = rate * state + 1
    total = rate * total + jnp.max(jnp.abs(x), initial=0).astype(total.dtype)
    return total / state, state, total
