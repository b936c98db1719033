"""Random ops that only distributions need."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import Mersenne, draw_dtype, get_rng_state, is_drawn, op, set_rng_state
from proa.core import seed as set_seed
from proa.ops import gamma_noise, gaussian, uniform

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


@op(name="standard_log_gamma", method=None, public=False, noise=gamma_noise)
def draw_log_gamma(key: Key, x: Array):
    """Logarithms of gamma numbers of scale 1: shapes near 0 do not underflow."""
    wide = x.astype(jnp.float64 if x.dtype == jnp.float64 else jnp.float32)
    if not is_drawn(key):
        return jax.random.loggamma(key, wide).astype(x.dtype)
    drawn = jnp.maximum(key.astype(wide.dtype), jnp.finfo(wide.dtype).tiny)
    fixed = jax.lax.stop_gradient(wide)
    slope = jax.lax.random_gamma_grad(fixed, drawn)  # pyright: ignore[reportCallIssue]
    return (jnp.log(drawn) + (wide - fixed) * slope / drawn).astype(x.dtype)


def _positions(stream: Mersenne, rows: np.ndarray, count: int) -> np.ndarray:
    """Positions by the inverse of the summed chances; rows [R, K] give [R, count]."""
    draws = stream.unit((len(rows), count), draw_dtype(rows))
    sums = np.cumsum(rows, -1)
    found = [np.searchsorted(a, d) for a, d in zip(sums, draws, strict=True)]
    return np.minimum(np.array(found, np.int64), rows.shape[-1] - 1)


def _position_noise(stream: Mersenne, logits: Any, shape: Any) -> np.ndarray:
    values = logits.numpy()
    rows = values.reshape(-1, values.shape[-1])
    chances = np.exp(rows - rows.max(-1, keepdims=True))
    chances /= chances.sum(-1, keepdims=True)
    count = math.prod(shape) // max(len(rows), 1)
    return _positions(stream, chances, count).T.reshape(shape)


@op(
    name="categorical_draw",
    method=None,
    public=False,
    differentiable=False,
    noise=_position_noise,
)
def draw_categorical(key: Key, logits: Array, shape: Shape):
    """Positions along the last axis, drawn with the probabilities softmax(logits); int64."""
    if is_drawn(key):
        return key
    return jax.random.categorical(key, logits, axis=-1, shape=shape).astype(jnp.int64)


def _count_noise(stream: Mersenne, total: Any, probs: Any, shape: Any, dtype: Any) -> np.ndarray:
    values, trials = probs.numpy(), int(total)
    rows = values.reshape(-1, values.shape[-1])
    draws = math.prod(shape) // max(len(rows), 1)
    found = _positions(stream, rows, trials * draws).reshape(len(rows), trials, draws)
    counts = (found[..., None] == np.arange(rows.shape[-1])).sum(1)
    return counts.swapaxes(0, 1).reshape(*shape, rows.shape[-1])


@op(
    name="multinomial_draw",
    method=None,
    public=False,
    differentiable=False,
    noise=_count_noise,
)
def draw_counts(key: Key, total: Array, probs: Array, shape: Shape, dtype: DType):
    """How often each outcome occurs among `total` draws."""
    if is_drawn(key):
        return key.astype(dtype.numpy)
    wide = jnp.broadcast_to(probs.astype(jnp.float64), (*shape, probs.shape[-1]))
    totals = jnp.broadcast_to(total.astype(jnp.float64), shape)
    return jax.random.multinomial(key, totals, wide).astype(dtype.numpy)
