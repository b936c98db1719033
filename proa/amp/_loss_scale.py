"""The arithmetic of loss scaling, as ops: they run at once or inside a compiled step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from proa.core import op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proa.core._types import Array

# Places in the array of counts: good and bad steps since the scale changed, bad steps in a row
# at the smallest scale, and all steps that were skipped.
GOOD, BAD, STUCK, SKIPPED = range(4)
NUM_COUNTS = 4
_HALF_BITS = 16


def _is_half(dtype: jnp.dtype) -> bool:
    return jnp.issubdtype(dtype, jnp.floating) and jnp.finfo(dtype).bits <= _HALF_BITS


@op(method=None, public=False)
def loss_scale(x: Array, scale: Array) -> Array:
    """Multiplies a loss by the scale; a half-precision loss becomes float32.

    Args:
        x: floating tensor.
        scale: float32 [1].
    """
    wide = x.astype(jnp.float32) if _is_half(x.dtype) else x
    return wide * scale.reshape(()).astype(wide.dtype)


@op(method=None, public=False, differentiable=False)
def loss_unscale(
    scale: Array, is_unscaled: Array, found: Array, grads: Sequence[Array]
) -> tuple[Array, ...]:
    """Divides gradients by the scale, unless that was done, and looks for Inf and NaN.

    Args:
        scale: float32 [1].
        is_unscaled: bool [1], whether the gradients were divided before.
        found: bool [1], whether one was not finite then.
        grads: gradients; those in half precision become float32.

    Returns:
        Whether a gradient is not finite [1], `True` [1], which ones are not [n], and the gradients.
    """
    done = is_unscaled.reshape(())
    flags = jnp.stack([~jnp.isfinite(grad).all() for grad in grads])
    factor = jnp.where(done, 1.0, 1.0 / scale.reshape(()))
    results = []
    for grad in grads:
        wide = grad.astype(jnp.float32) if _is_half(grad.dtype) else grad
        results.append(wide * factor.astype(wide.real.dtype))
    return (flags.any().reshape(1) | (is_unscaled & found), jnp.ones(1, bool), flags, *results)


@op(method=None, public=False, differentiable=False)
def loss_scale_update(
    scale: Array,
    counts: Array,
    founds: Sequence[Array],
    ratios: Array,
    periods: Array,
    dynamic: bool,
) -> tuple[Array, Array, Array]:
    """Moves the scale after a step.

    Args:
        scale: float32 [1].
        counts: int32 [4]; see the top of the module.
        founds: bool [1] per optimizer: whether its gradients were not finite.
        ratios: float32 [3]: growth, shrinkage and the smallest scale.
        periods: int32 [2]: good steps before growth, bad ones before shrinkage.
        dynamic: whether the scale moves.

    Returns:
        The new scale and counts, and `False` [1].
    """
    growth, shrinkage, floor = ratios
    value = scale.reshape(())
    bad_step = jnp.concatenate(founds).any() if founds else jnp.zeros((), bool)
    good = jnp.where(bad_step, 0, counts[GOOD] + 1)
    bad = jnp.where(bad_step, counts[BAD] + 1, 0)
    is_at_floor = value <= floor if dynamic else jnp.ones((), bool)
    stuck = jnp.where(bad_step & is_at_floor, counts[STUCK] + 1, 0)
    skipped = counts[SKIPPED] + bad_step
    grows, shrinks = good >= periods[0], bad >= periods[1]
    if dynamic:
        grown = jnp.where(jnp.isfinite(value * growth), value * growth, value)
        shrunk = jnp.maximum(value * shrinkage, jnp.minimum(floor, value))
        value = jnp.where(shrinks, shrunk, jnp.where(grows, grown, value))
    good, bad = jnp.where(grows, 0, good), jnp.where(shrinks, 0, bad)
    new_counts = jnp.stack([good, bad, stuck, skipped]).astype(counts.dtype)
    return value.reshape(1), new_counts, jnp.zeros(1, bool)
