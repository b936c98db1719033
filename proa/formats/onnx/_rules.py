"""The table from Proa's ops to ONNX nodes, and what its entries share.

An entry is a function `rule(g, **arguments)`: arguments of a call by parameter name, values as
`Ref`, attributes as they are; it adds nodes and returns the output or outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from ._graph import CannotWrite, Graph, Ref

RULES: dict[str, Callable[..., Any]] = {}


def writes(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a rule for ops."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if name in RULES:
                raise ValueError(f"two rules write {name!r}")
            RULES[name] = rule
        return rule

    return register


def need(condition: bool, why: str) -> None:
    """Refuses a call that has no form in ONNX."""
    if not condition:
        raise CannotWrite(why)


def promoted(g: Graph, *refs: Ref) -> list[Ref]:
    """Casts values to their common dtype."""
    dtype = jnp.result_type(*[ref.dtype for ref in refs])
    return [g.cast(ref, dtype) for ref in refs]


def floating(g: Graph, x: Ref) -> Ref:
    """Casts integers to float32."""
    return g.cast(x, np.float32) if x.is_integral else x


def widened(g: Graph, x: Ref) -> Ref:
    """Casts 16-bit floats to float32, in which Proa's ops sum them."""
    is_narrow = not x.is_integral and x.dtype.itemsize < 4
    return g.cast(x, np.float32) if is_narrow else x


def axis_of(axis: int, ndim: int) -> int:
    """Counts an axis from the front."""
    return axis % max(ndim, 1)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Counts axes from the front; all of them for `None` and `()`."""
    if axis is None or axis == ():
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    return tuple([axis_of(int(a), ndim) for a in given]) if ndim else ()


def known(extents: Any, what: str) -> tuple[int, ...]:
    """Returns extents as integers, which they must be."""
    need(all(isinstance(d, int | np.integer) for d in extents), f"{what} must be known")
    return tuple([int(d) for d in extents])
