"""Hand-written JAX: NHWC, one jitted step that donates what it replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bench._workload import Workload


@dataclass(frozen=True)
class Part:
    """Takes its weights from those in order, then is a pure function of weights and input."""

    take: Callable[[Iterator[np.ndarray]], Any]
    apply: Callable[[Any, Any], Any]


def _plain(fn: Callable[[Any], Any]) -> Callable[..., Part]:
    return lambda: Part(lambda _: (), lambda _, x: fn(x))


def _pair(weights: Iterator[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return next(weights), next(weights)


def _relu6(x: Any) -> Any:
    return jnp.clip(x, 0, 6)


def _norm(axes: tuple[int, ...], weights: Any, x: Any) -> Any:
    mean = x.mean(axes, keepdims=True)
    variance = jnp.square(x - mean).mean(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * weights[0] + weights[1]


def _attend(heads: int, causal: bool, weights: Any, x: Any) -> Any:
    batch, length, width = x.shape
    q, k, v = ((x @ w + b).reshape(batch, length, heads, width // heads) for w, b in weights[:3])
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // heads)
    if causal:
        scores = jnp.where(np.tri(length, dtype=bool), scores, -1e30)
    found = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return found.reshape(batch, length, width) @ weights[3][0] + weights[3][1]


def _lstm(weights: Any, x: Any) -> Any:
    for from_input, from_hidden, bias, other in weights:
        inputs = (x @ from_input.T + bias + other).swapaxes(0, 1)

        def turn(state: Any, part: Any, from_hidden: Any = from_hidden) -> Any:
            hidden, cell = state
            i, f, g, o = jnp.split(part + hidden @ from_hidden.T, 4, -1)
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zeros = jnp.zeros((x.shape[0], from_hidden.shape[1]), x.dtype)
        x = lax.scan(turn, (zeros, zeros), inputs)[1].swapaxes(0, 1)
    return x


class Words:
    """Parts by the names that workloads use."""

    relu, gelu = _plain(jax.nn.relu), _plain(partial(jax.nn.gelu, approximate=False))
    hardsigmoid = _plain(lambda x: _relu6(x + 3) / 6)
    hardswish = _plain(lambda x: x * _relu6(x + 3) / 6)
    mean = _plain(lambda x: x.mean((1, 2), keepdims=True))

    @staticmethod
    def flatten() -> Part:
        def flat(_: Any, x: Any) -> Any:
            x = x.transpose(0, 3, 1, 2) if x.ndim == 4 else x
            return x.reshape(x.shape[0], -1)

        return Part(lambda _: (), flat)

    @staticmethod
    def conv(
        source: int, target: int, kernel: int, stride: int = 1, groups: int = 1, bias: bool = False
    ) -> Part:
        def take(weights: Iterator[np.ndarray]) -> Any:
            kernel = np.ascontiguousarray(next(weights).transpose(2, 3, 1, 0))
            return (kernel, next(weights)) if bias else (kernel,)

        def apply(weights: Any, x: Any) -> Any:
            pad = (kernel // 2, kernel // 2)
            out = lax.conv_general_dilated(
                x, weights[0], (stride, stride), (pad, pad),
                dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups,
            )  # fmt: skip
            return out + weights[1] if bias else out

        return Part(take, apply)

    @staticmethod
    def linear(source: int, target: int) -> Part:
        return Part(_pair, lambda w, x: x @ w[0] + w[1])

    @staticmethod
    def batch_norm(channels: int) -> Part:
        return Part(_pair, partial(_norm, (0, 1, 2)))

    @staticmethod
    def layer_norm(width: int) -> Part:
        return Part(_pair, partial(_norm, (-1,)))

    @staticmethod
    def max_pool(kernel: int, stride: int, padding: int = 0) -> Part:
        pads = ((0, 0), (padding, padding), (padding, padding), (0, 0))
        window, steps = (1, kernel, kernel, 1), (1, stride, stride, 1)
        return Part(
            lambda _: (), lambda _, x: lax.reduce_window(x, -jnp.inf, lax.max, window, steps, pads)
        )

    @staticmethod
    def upsample(factor: int) -> Part:
        return Part(lambda _: (), lambda _, x: x.repeat(factor, 1).repeat(factor, 2))

    @staticmethod
    def embedding(words: int, width: int) -> Part:
        return Part(next, lambda table, ids: table[ids])

    @staticmethod
    def positions(length: int, width: int) -> Part:
        return Part(next, lambda table, x: x + table)

    @staticmethod
    def attention(width: int, heads: int, causal: bool) -> Part:
        return Part(
            lambda weights: [_pair(weights) for _ in range(4)], partial(_attend, heads, causal)
        )

    @staticmethod
    def lstm(source: int, hidden: int, layers: int) -> Part:
        return Part(lambda w: [tuple(next(w) for _ in range(4)) for _ in range(layers)], _lstm)

    @staticmethod
    def seq(*parts: Part) -> Part:
        def apply(weights: Any, x: Any) -> Any:
            for part, own in zip(parts, weights, strict=True):
                x = part.apply(own, x)
            return x

        return Part(lambda weights: [part.take(weights) for part in parts], apply)

    @staticmethod
    def residual(body: Part, skip: Part | None = None) -> Part:
        other = skip or Part(lambda _: (), lambda _, x: x)
        return Part(
            lambda w: (body.take(w), other.take(w)),
            lambda w, x: body.apply(w[0], x) + other.apply(w[1], x),
        )

    @staticmethod
    def gate(body: Part) -> Part:
        return Part(body.take, lambda w, x: x * body.apply(w, x))


def version() -> str:
    """Returns the version."""
    return jax.__version__


def _measure(name: str, out: Any, y: Any) -> Any:
    if name == "mask":
        y = y.transpose(0, 2, 3, 1)
        return (jnp.maximum(out, 0) - out * y + jnp.log1p(jnp.exp(-jnp.abs(out)))).mean()
    logits = out.reshape(-1, out.shape[-1])
    picked = jnp.take_along_axis(logits, y.reshape(-1, 1), 1)[:, 0]
    return (jax.nn.logsumexp(logits, -1) - picked).mean()


def _update(name: str, rate: float, count: Any, w: Any, g: Any, m: Any, v: Any) -> Any:
    if name == "sgd":
        m = 0.9 * m + g
        return w - rate * m, m, v
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    scaled = (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)
    decay = 1 - rate * 0.01 if name == "adamw" else 1.0
    return w * decay - rate * scaled, m, v


def make(workload: Workload, mode: str, weights: list[np.ndarray]) -> Callable[[], float]:
    """One training step."""
    model = workload.model(Words)
    given = iter(weights)
    tree = jax.tree.map(jnp.asarray, model.take(given))
    if next(given, None) is not None:
        raise ValueError("the model takes fewer weights than there are")
    leaves, treedef = jax.tree.flatten(tree)
    x, y = workload.data()
    x = jnp.asarray(x.transpose(0, 2, 3, 1) if x.ndim == 4 else x)
    y = jnp.asarray(y)

    def step(leaves: Any, m: Any, v: Any, count: Any, x: Any, y: Any) -> Any:
        def loss(leaves: Any) -> Any:
            return _measure(workload.loss, model.apply(treedef.unflatten(leaves), x), y)

        value, grads = jax.value_and_grad(loss)(leaves)
        move = partial(_update, *workload.optimizer, count + 1.0)
        moved = [move(*group) for group in zip(leaves, grads, m, v, strict=True)]
        new = [list(column) for column in zip(*moved, strict=True)]
        return (*new, count + 1.0), value

    compiled = jax.jit(step, donate_argnums=(0, 1, 2, 3))
    second = [
        jnp.zeros_like(leaf) if workload.optimizer[0] != "sgd" else jnp.zeros(()) for leaf in leaves
    ]
    state = [(leaves, [jnp.zeros_like(leaf) for leaf in leaves], second, jnp.zeros(()))]

    def run() -> float:
        state[0], loss = compiled(*state[0], x, y)
        return float(loss)

    return run
