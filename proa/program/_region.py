"""Regions: calls that stand together as one, to be fused or to be computed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from proa.core import BaseOp, register_structured

#: What a region may be: its calls as one kernel, or computed again for the gradient.
FUSED, RECOMPUTED = "fused", "recomputed"


class RegionOp(BaseOp):
    """Runs a Program in place; key `(its Program, what it is, a label)`.

    A `recomputed` region keeps its inputs for the gradient and nothing that it computes
    between (Chen and others, Training deep nets with sublinear memory cost, 2016).
    """

    name = "region"
    has_programs = True

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the function of the region's inputs."""
        run = key[0].function()
        return jax.checkpoint(run) if key[1] == RECOMPUTED else run

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
        """The outputs of its Program."""
        return tuple([(v.shape, v.dtype) for v in key[0].program.outputs])


REGION = register_structured(RegionOp())
