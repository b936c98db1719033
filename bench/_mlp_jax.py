"""The yardstick: an MLP 784-256-256-10 with Adam, written by hand in JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

SIZES = (784, 256, 256, 10)
BATCH = 64


def batch() -> tuple[np.ndarray, np.ndarray]:
    """The one batch that every contestant trains on."""
    random = np.random.default_rng(0)
    images = random.normal(size=(BATCH, SIZES[0])).astype(np.float32)
    return images, random.integers(0, SIZES[-1], size=(BATCH,))


def weights() -> list[np.ndarray]:
    """The initial weights that every contestant starts from."""
    random = np.random.default_rng(1)
    found = []
    for fan_in, fan_out in zip(SIZES[:-1], SIZES[1:], strict=True):
        scale = 1.0 / np.sqrt(fan_in)
        found.append(random.normal(scale=scale, size=(fan_in, fan_out)).astype(np.float32))
        found.append(np.zeros((fan_out,), np.float32))
    return found


def _loss(params: list[Any], x: Any, y: Any) -> Any:
    for i in range(0, len(params) - 2, 2):
        x = jnp.maximum(x @ params[i] + params[i + 1], 0)
    logits = x @ params[-2] + params[-1]
    chosen = jnp.take_along_axis(logits, y[:, None], axis=1)[:, 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - chosen)


def make_step() -> Callable[[], Any]:
    """Returns a function that trains one step and returns the loss array."""

    def step(state: Any, x: Any, y: Any) -> Any:
        params, first, second, count = state
        loss, grads = jax.value_and_grad(_loss)(params, x, y)
        count = count + 1
        scale = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        first = [0.9 * m + 0.1 * g for m, g in zip(first, grads, strict=True)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, grads, strict=True)]
        params = [
            p - scale * m / (jnp.sqrt(v) + 1e-8)
            for p, m, v in zip(params, first, second, strict=True)
        ]
        return loss, (params, first, second, count)

    compiled = jax.jit(step, donate_argnums=(0,))
    images, labels = batch()
    x, y = jax.device_put(images), jax.device_put(labels)
    params = [jax.device_put(w) for w in weights()]
    zeros = [jnp.zeros_like(p) for p in params]
    more = [jnp.zeros_like(p) for p in params]
    state = [(params, zeros, more, jnp.zeros((), jnp.float32))]

    def run() -> Any:
        loss, state[0] = compiled(state[0], x, y)
        return loss.block_until_ready()

    return run
