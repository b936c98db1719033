"""The incomplete gamma integral, with derivatives of any order by both of its arguments.

XLA has the first derivative by the shape `a` as a primitive, and none of that. The second one is
an integral again,

    d2P / da2 = integral from 0 to x of p(t) ((log t - psi(a))**2 - psi'(a)) dt

with the density p(t) = t**(a - 1) e**-t / gamma(a). It is summed up at fixed nodes, so that JAX
differentiates it further. All others follow from the density (DLMF 8.2 and 8.8).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np

if TYPE_CHECKING:
    from proa.core._types import Array

#: Ends of the panels, in log t below the upper end; the last one reaches to where nothing is left.
_PANELS = (6.0, 45.0)
#: Integrands below e**-40 of their largest value count as nothing.
_NOTHING = 40.0


@functools.cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights of a panel, on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(48)
    return (nodes + 1) / 2, weights / 2


def density(a: Array, x: Array) -> Array:
    """The density of the gamma distribution of shape `a` and scale 1 at `x`."""
    return jnp.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def _second_by_shape(a: Array, x: Array) -> Array:
    dtype = jnp.result_type(a, x)
    # In double precision: the integrand changes sign, and its parts cancel.
    a, x = jnp.asarray(a, jnp.float64), jnp.asarray(x, jnp.float64)
    x = jnp.where(x > 0, x, np.finfo(np.float64).tiny)
    # In s = log t. Far beyond the mode, at s = log a, nothing is left, whatever x is.
    last = jnp.log(a + _NOTHING + jnp.sqrt(3 * _NOTHING * a))
    upper = jnp.minimum(jnp.log(x), last)
    width = _NOTHING / a + jnp.sqrt(2.2 * _NOTHING / a) + jnp.maximum(upper - jnp.log(a), 0)
    ends = [jnp.zeros_like(width), *[jnp.minimum(width, end) for end in _PANELS], width]
    nodes, weights = _rule()
    psi, variance = special.digamma(a)[..., None], special.polygamma(1, a)[..., None]
    log_scale, total = special.gammaln(a)[..., None], jnp.zeros_like(width)
    for start, end in zip(ends, ends[1:], strict=False):
        extent = (end - start)[..., None]
        s = upper[..., None] - (start[..., None] + extent * nodes)
        # The density in s: it has another factor t.
        weight = jnp.exp(a[..., None] * s - jnp.exp(s) - log_scale) * extent
        total = total + ((weight * ((s - psi) ** 2 - variance)) @ jnp.asarray(weights))
    return total.astype(dtype)


@jax.custom_jvp
def _by_shape(a: Array, x: Array) -> Array:
    """Derivative of P by `a`."""
    return jax.lax.igamma_grad_a(a, x)


@_by_shape.defjvp
def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
    (a, x), (da, dx) = primals, tangents
    mixed = density(a, x) * (jnp.log(x) - special.digamma(a))
    return _by_shape(a, x), _second_by_shape(a, x) * da + mixed * dx


@jax.custom_jvp
def _lower(a: Array, x: Array) -> Array:
    return special.gammainc(a, x)


@_lower.defjvp
def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
    (a, x), (da, dx) = primals, tangents
    return _lower(a, x), _by_shape(a, x) * da + density(a, x) * dx


@jax.custom_jvp
def _upper(a: Array, x: Array) -> Array:
    return special.gammaincc(a, x)


@_upper.defjvp
def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
    (a, x), (da, dx) = primals, tangents
    return _upper(a, x), -_by_shape(a, x) * da - density(a, x) * dx


def lower_share(a: Array, x: Array) -> Array:
    """P(a, x): the share of the integral below `x`."""
    return _lower(*jnp.broadcast_arrays(a, x))


def upper_share(a: Array, x: Array) -> Array:
    """Q(a, x) = 1 - P(a, x)."""
    return _upper(*jnp.broadcast_arrays(a, x))


@jax.custom_jvp
def _slope(a: Array, drawn: Array) -> Array:
    """-(dP / da) / density: how a draw follows its shape while P(a, draw) stays as it is."""
    gradient: Any = jax.lax.random_gamma_grad
    return gradient(a, drawn)


@_slope.defjvp
def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
    (a, drawn), (da, dx) = primals, tangents
    slope, distance = _slope(a, drawn), jnp.log(drawn) - special.digamma(a)
    by_shape = -_second_by_shape(a, drawn) / density(a, drawn) - slope * distance
    return slope, by_shape * da - (distance + slope * ((a - 1) / drawn - 1)) * dx


@jax.custom_jvp
def drawn_with(a: Array, drawn: Array) -> Array:
    """Numbers drawn from gamma distributions, as functions of the shapes `a`."""
    return drawn


@drawn_with.defjvp
def _(primals: Any, tangents: Any) -> tuple[Array, Array]:
    made = drawn_with(*primals)
    return made, _slope(primals[0], made) * tangents[0]
