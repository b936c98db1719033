"""Random ops that only distributions need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import get_rng_state, op, set_rng_state
from proa.core import seed as set_seed
from proa.ops import gaussian, uniform

if TYPE_CHECKING:
    from proa.core._types import Array, DType, Key, Shape


@contextmanager
def seeded(number: int) -> Iterator[None]:
    """Within it the generator starts from a seed, unless that is 0; after it, it goes on."""
    if not number:
        yield
        return
    state = get_rng_state()
    set_seed(number)
    try:
        yield
    finally:
        set_rng_state(state)


def draw_open(shape: Any, dtype: Any) -> Any:
    """Numbers in (0, 1): neither end is drawn, so that logarithms are finite."""
    return uniform(shape, dtype=dtype, min=float(jnp.finfo(dtype.numpy).tiny), max=1.0)


def draw_normal(shape: Any, dtype: Any) -> Any:
    """Standard normal numbers."""
    return gaussian(shape, dtype=dtype)


@op(name="standard_log_gamma", method=None, public=False)
def draw_log_gamma(key: Key, x: Array):
    """Logarithms of gamma numbers of scale 1: shapes near 0 do not underflow."""
    wide = jnp.float64 if x.dtype == jnp.float64 else jnp.float32
    return jax.random.loggamma(key, x.astype(wide)).astype(x.dtype)


@op(name="categorical_draw", method=None, public=False, differentiable=False)
def draw_categorical(key: Key, logits: Array, shape: Shape):
    """Positions along the last axis, drawn with the probabilities softmax(logits); int64."""
    return jax.random.categorical(key, logits, axis=-1, shape=shape).astype(jnp.int64)


@op(name="multinomial_draw", method=None, public=False, differentiable=False)
def draw_counts(key: Key, total: Array, probs: Array, shape: Shape, dtype: DType):
    """How often each outcome occurs among `total` draws."""
    wide = jnp.broadcast_to(probs.astype(jnp.float64), (*shape, probs.shape[-1]))
    totals = jnp.broadcast_to(total.astype(jnp.float64), shape)
    return jax.random.multinomial(key, totals, wide).astype(dtype.numpy)
