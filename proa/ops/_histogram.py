"""Histograms over several axes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op

from ._promote import floating

if TYPE_CHECKING:
    from proa.core._types import Array, Sequence


@op(name="histogramdd", method=None, public=False, differentiable=False)
def _histogramdd(x: Array, edges: Sequence[Array], weights: Array | None, density: bool):
    x = floating(x)
    counts, _ = jnp.histogramdd(x, [e.astype(x.dtype) for e in edges], None, weights, density)
    return counts.astype(x.dtype)


@op(name="histogramdd_edges", method=None, public=False, differentiable=False)
def _edges(x: Array, bins: Any, ranges: Any):
    x = floating(x)
    found = []
    for axis, count in enumerate(bins):
        if ranges is None:
            low, high = jnp.min(x[:, axis]), jnp.max(x[:, axis])
        else:
            low, high = jnp.asarray(ranges[2 * axis]), jnp.asarray(ranges[2 * axis + 1])
        flat = low == high
        low, high = jnp.where(flat, low - 0.5, low), jnp.where(flat, high + 0.5, high)
        found.append(jnp.linspace(low, high, count + 1).astype(x.dtype))
    return tuple(found)


@composite
def histogramdd(
    x: Tensor,
    bins: Any = 10,
    ranges: Any = None,
    density: bool = False,
    weights: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, list[Tensor]]:
    """Counts points in the boxes of a grid; values on the upper bound belong to the last box.

    Args:
        x: floating points [N, D].
        bins: number of intervals of all axes or of each, or a list of D tensors with bounds.
        ranges: lowest and highest bound of each axis, 2 D numbers; the data's by default.
        density: divide by the volume of each box and by the total.
        weights: what each point counts, [N]; 1 by default.
        name: not used.

    Returns:
        The counts, one axis for each of D, and a list of the D bounds.

    Raises:
        InvalidArgumentError: shapes or lengths that do not fit.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([[0.0, 0.0], [1.0, 2.0], [0.5, 0.5]])
        >>> counts, edges = proa.histogramdd(x, bins=2)
        >>> counts.tolist()
        [[1.0, 0.0], [1.0, 1.0]]
    """
    if x.ndim != 2 or (weights is not None and weights.shape != [x.shape[0]]):
        raise InvalidArgumentError(
            f"histogramdd of points {x.shape} with weights {getattr(weights, 'shape', None)}",
            expected="points [N, D], weights [N]",
            fix="reshape them",
        )
    axes = x.shape[1]
    given = list(bins) if isinstance(bins, list | tuple) else [bins] * axes
    if len(given) != axes or (ranges is not None and len(ranges) != 2 * axes):
        raise InvalidArgumentError(
            f"histogramdd of points {x.shape} with {len(given)} bins and ranges {ranges}",
            expected=f"{axes} bins, and 2 numbers of the range for each of {axes} axes",
            fix="give one number of bins for all axes, or one for each",
        )
    if all(isinstance(b, Tensor) for b in given):
        edges = given
    else:
        limits = None if ranges is None else tuple(float(r) for r in ranges)
        found = _edges(x, tuple(int(b) for b in given), limits)
        edges = list(found)
    return _histogramdd(x, edges, weights, density), edges


attach_method("histogramdd", histogramdd)
