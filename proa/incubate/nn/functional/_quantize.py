"""Rounding to integers and their scales, as the fused functions of inference do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import op
from proa.ops._fake_quantize import away_from_zero

if TYPE_CHECKING:
    from proa.core._types import Array


def rounded(x: Array, round_type: int) -> Array:
    """Rounds to integers: ties to even for 0, away from zero for 1."""
    return jnp.round(x) if round_type == 0 else away_from_zero(x)


@op(method=None, public=False, differentiable=False)
def to_int8(x: Array, scale: float, round_type: int, max_bound: float, min_bound: float) -> Array:
    """Integers for `x * scale * max_bound`, at most `max_bound` and at least `min_bound`."""
    wide = x.astype(jnp.float32) * (scale * max_bound)
    return jnp.clip(rounded(wide, round_type), min_bound, max_bound).astype(jnp.int8)


def maybe_int8(x: Any, scale: float, round_type: int, max_bound: float, min_bound: float) -> Any:
    """`to_int8` where a scale is given; without one (0 or less) what came in."""
    if scale is None or scale <= 0:
        return x
    return to_int8(x, scale, round_type, max_bound, min_bound)
