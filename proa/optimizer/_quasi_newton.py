"""Curvature from the last steps: the product of an inverse Hessian with a gradient."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Array = Any
#: A step along which the gradient grew by less tells nothing about curvature.
_LEAST_CURVATURE = 1e-10


@jax.jit
def _toward_past(q: Array, step: Array, change: Array, inverse: Array) -> tuple[Array, Array]:
    share = inverse * jnp.vdot(step, q)
    return q - share * change, share


@jax.jit
def _from_past(r: Array, step: Array, change: Array, inverse: Array, share: Array) -> Array:
    return r + step * (share - inverse * jnp.vdot(change, r))


class CurvatureHistory:
    """The last steps, what each changed in the gradient, and what follows for the next one.

    Attributes:
        size: how many steps are kept.
        is_scaled: whether `scale` follows the last step; otherwise it is 1.
        steps: differences of places, vectors.
        changes: differences of gradients, vectors.
        inverses: `1 / (step . change)` of each.
        scale: `step . change / change . change` of the last one.

    References:
        Nocedal and Wright, "Numerical optimization", 2nd edition, algorithm 7.4.
    """

    def __init__(self, size: int, *, is_scaled: bool = True) -> None:
        self.size, self.is_scaled = size, is_scaled
        self.steps: list[Array] = []
        self.changes: list[Array] = []
        self.inverses: list[Array] = []
        self.scale: Array = 1.0

    def add(self, step: Array, change: Array) -> None:
        """Takes up a step, unless the function does not curve upwards along it."""
        product = jnp.vdot(step, change)
        if not float(product) > _LEAST_CURVATURE:
            return
        if len(self.steps) >= self.size:
            for kept in (self.steps, self.changes, self.inverses):
                kept.pop(0)
        self.steps.append(step)
        self.changes.append(change)
        self.inverses.append(1 / product)
        if self.is_scaled:
            self.scale = product / jnp.vdot(change, change)

    def direction(self, gradient: Array, start: Array | None = None) -> Array:
        """Returns minus the product of the estimated inverse Hessian with a gradient.

        Args:
            gradient: vector.
            start: inverse Hessian to start from, a matrix; `scale` times one by default.
        """
        q, shares = -gradient, []
        past = list(zip(self.steps, self.changes, self.inverses, strict=True))
        for step, change, inverse in reversed(past):
            q, share = _toward_past(q, step, change, inverse)
            shares.append(share)
        r = q * self.scale if start is None else start @ q
        for (step, change, inverse), share in zip(past, reversed(shares), strict=True):
            r = _from_past(r, step, change, inverse, share)
        return r
