"""Sums of half precision at indices, added up in float32: forward, and as gradients of picks.

A running sum of ones stops at 2048 in float16 and at 256 in bfloat16. A row that is named often,
as a frequent word of an embedding is, would stop learning there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from ._promote import widened

if TYPE_CHECKING:
    from proa.core._types import Array


def add_at(x: Array, at: Callable[[Array], Any], values: Array) -> Array:
    """`x` with values added at places.

    Args:
        x: the array.
        at: from an array to its places, `lambda x: x.at[...]`.
        values: what is added; places named twice get both.
    """
    wide = widened(x)
    return at(wide).add(values.astype(wide.dtype)).astype(x.dtype)


def pick(take: Callable[..., Array], x: Array, *index: Any) -> Array:
    """`take(x, *index)`, linear in `x`, with a gradient that adds up in float32.

    Args:
        take: a function of arrays alone.
        x: the array.
        index: integer arrays.
    """
    if x.dtype in (jnp.float16, jnp.bfloat16):
        return _pick(take, x, *index)
    return take(x, *index)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _pick(take: Callable[..., Array], x: Array, *index: Any) -> Array:
    return take(x, *index)


@_pick.defjvp
def _pick_jvp(take: Callable[..., Array], primals: Any, tangents: Any) -> tuple[Array, Array]:
    # Transposed, the tangent is a sum: of float32, rounded once.
    x, *index = primals
    return take(x, *index), take(widened(tangents[0]), *index).astype(x.dtype)
