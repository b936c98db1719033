"""Distances and similarities of vectors, and vectors scaled to norm one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, op

from ._softmax import positive_axis

if TYPE_CHECKING:
    from proa.core._types import Array


def magnitude(x: Array) -> Array:
    """|x| with gradient 0 at 0, where JAX's own is 1."""
    return x * lax.stop_gradient(jnp.sign(x))


def vector_norm(x: Array, p: float, axis: int, keepdim: bool) -> Array:
    """The p-norm along an axis; its gradient at 0 is 0."""
    size = magnitude(x)
    if p == float("inf"):
        return jnp.max(size, axis=axis, keepdims=keepdim)
    if p == float("-inf"):
        return jnp.min(size, axis=axis, keepdims=keepdim)
    if p == 0:
        return jnp.sum((x != 0).astype(x.dtype), axis=axis, keepdims=keepdim)
    if p == 1:
        return jnp.sum(size, axis=axis, keepdims=keepdim)
    if p == 2:
        total = jnp.sum(lax.square(x), axis=axis, keepdims=keepdim)
    else:
        guarded = jnp.where(size != 0, size, 1)
        total = jnp.sum(jnp.where(size != 0, guarded**p, 0), axis=axis, keepdims=keepdim)
    positive = total != 0
    safe = jnp.where(positive, total, 1)
    root = jnp.sqrt(safe) if p == 2 else safe ** (1 / p)
    return jnp.where(positive, root, jnp.zeros((), root.dtype))


@op(method=None, out=True)
def normalize(x: Array, p: float = 2, axis: int = 1, epsilon: float = 1e-12) -> Array:
    """Scales vectors to norm one: x / max(|x|_p, epsilon) along an axis.

    Args:
        x: floating tensor.
        p: order of the norm.
        axis: axis of the vectors; 0 for a tensor with one axis.
        epsilon: least divisor, so that zeros stay zeros.

    Raises:
        OutOfRangeError: `axis` does not exist.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.normalize(proa.to_tensor([[0.0, 2.0]])).tolist()
        [[0.0, 1.0]]
    """
    axis = 0 if x.ndim == 1 else positive_axis(axis, x.ndim, "normalize")
    return x / jnp.maximum(vector_norm(x, p, axis, True), epsilon)


@op(method=None)
def cosine_similarity(x1: Array, x2: Array, axis: int = 1, eps: float = 1e-8) -> Array:
    """Cosine of the angle between vectors: x1 . x2 / max(|x1| |x2|, eps).

    Args:
        x1: floating tensor.
        x2: tensor that broadcasts with `x1`.
        axis: axis of the vectors.
        eps: least divisor.

    Raises:
        OutOfRangeError: `axis` does not exist.
    """
    shape = jnp.broadcast_shapes(x1.shape, x2.shape)
    axis = positive_axis(axis, len(shape), "cosine_similarity")
    x1, x2 = jnp.broadcast_to(x1, shape), jnp.broadcast_to(x2, shape)
    product = vector_norm(x1, 2, axis, False) * vector_norm(x2, 2, axis, False)
    return jnp.sum(x1 * x2, axis=axis) / jnp.maximum(product, eps)


@op(method=None)
def pairwise_distance(
    x: Array, y: Array, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False
) -> Array:
    """Norm of the difference of vectors: |x - y + epsilon|_p along the last axis.

    Args:
        x: floating tensor [N, D] or [D].
        y: tensor that broadcasts with `x`.
        p: order of the norm.
        epsilon: added to the difference.
        keepdim: keep the last axis with an extent of 1.

    Raises:
        InvalidArgumentError: the inputs have no axis.
    """
    if x.ndim == 0:
        raise InvalidArgumentError(
            "`pairwise_distance` got 0-d tensors", expected="vectors", fix="reshape to [1]"
        )
    return vector_norm(x - y + epsilon, p, -1, keepdim)
