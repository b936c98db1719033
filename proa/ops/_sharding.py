"""Where the parts of an array lie: an op, so that Programs can hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax

from proa.core import op

if TYPE_CHECKING:
    from typing import Any

    from proa.core._types import Array


@op(method=None, public=False)
def with_sharding(x: Array, sharding: Any) -> Array:
    """Lays an array out as a JAX sharding says; values stay as they are.

    Args:
        x: any array.
        sharding: a `jax.sharding.Sharding` of the array's rank.
    """
    return jax.lax.with_sharding_constraint(x, sharding)
