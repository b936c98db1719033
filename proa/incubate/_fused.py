"""Small functions that Paddle has as one kernel each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, op
from proa.ops import assign, mean, sum

if TYPE_CHECKING:
    from proa.core._types import Array

_REDUCTIONS = {"sum": 0, "mean": 1, "none": 2}


@composite
def identity_loss(x: Tensor, reduction: str | int = "none") -> Tensor:
    """Marks a tensor as the loss, reduced as is asked for.

    Args:
        x: tensor of any shape.
        reduction: `"sum"` or 0, `"mean"` or 1, `"none"` or 2.

    Raises:
        InvalidArgumentError: another reduction.

    Examples:
        >>> import proa
        >>> proa.incubate.identity_loss(proa.to_tensor([1.0, 2.0]), "mean").item()
        1.5
    """
    code = _REDUCTIONS.get(reduction, -1) if isinstance(reduction, str) else reduction
    if code not in (0, 1, 2):
        raise InvalidArgumentError(
            f"`reduction` is {reduction!r}",
            expected="'sum' or 0, 'mean' or 1, 'none' or 2",
            fix="choose one",
        )
    return (sum, mean, assign)[code](x)


def _softmax(scores: Array) -> Array:
    scores = scores - jnp.max(scores, axis=-1, keepdims=True)
    powers = jnp.exp(scores)
    return powers / jnp.sum(powers, axis=-1, keepdims=True)


@op(method=None, amp="black")
def softmax_mask_fuse(x: Array, mask: Array):
    """Softmax of `x + mask` along the last axis, computed in float32 at least.

    Args:
        x: scores of shape [batch, heads, queries, keys].
        mask: numbers that are added; broadcasts over the heads: [batch, 1, queries, keys].

    Examples:
        >>> import proa
        >>> x, mask = proa.zeros([1, 1, 1, 4]), proa.to_tensor([[[[0.0, 0.0, -1e4, -1e4]]]])
        >>> proa.incubate.softmax_mask_fuse(x, mask).tolist()
        [[[[0.5, 0.5, 0.0, 0.0]]]]
    """
    wide = jnp.promote_types(x.dtype, jnp.float32)
    return _softmax(x.astype(wide) + mask.astype(wide)).astype(x.dtype)


@op(method=None, amp="black")
def softmax_mask_fuse_upper_triangle(x: Array):
    """Softmax along the last axis over the keys that are not after the query.

    Args:
        x: scores of shape [batch, heads, length, length].

    Returns:
        Tensor of the same shape, zero above the diagonal.

    Raises:
        InvalidArgumentError: fewer than two axes.

    Examples:
        >>> import proa
        >>> proa.incubate.softmax_mask_fuse_upper_triangle(proa.zeros([1, 1, 2, 2])).tolist()
        [[[[1.0, 0.0], [0.5, 0.5]]]]
    """
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"`softmax_mask_fuse_upper_triangle` of shape {list(x.shape)}",
            expected="scores of shape [batch, heads, length, length]",
            fix="reshape them",
        )
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    row, column = jnp.arange(x.shape[-2])[:, None], jnp.arange(x.shape[-1])
    return _softmax(jnp.where(column <= row, wide, -jnp.inf)).astype(x.dtype)
