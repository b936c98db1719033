"""Shapes of ops that ask what a symbolic dimension cannot answer, found from sample sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from ._dims import as_struct, dimension_names, make_dimension, substitute

# Sizes far apart and with no common factor, so that few formulas agree on all of them. They
# are multiples of 240: sizes that strides and factors of usual models divide.
_SAMPLES = (2640, 3120, 4080, 4560)


def sampled_shapes(op: Any, key: Any, inputs: Sequence[Any]) -> Any | None:
    """Returns an op's outputs as `eval_shape` would, or `None` where no formula fits.

    Some ops compare sizes (is an axis at least `k` long?), which for an unknown size has no
    answer. Their output sizes mostly are linear in the unknown ones; those formulas are
    found from one size and one change per unknown, and must hold for others too.
    """
    shapes = [v.shape for v in inputs]
    names = sorted(dimension_names((*shapes, key)))
    if not names:
        return None
    base = {name: _SAMPLES[i % 2] + 240 * i for i, name in enumerate(names)}

    def run(sizes: dict[str, int]) -> Any:
        structs = [as_struct(substitute(v.shape, sizes), v.dtype) for v in inputs]
        return jax.eval_shape(op.array_fn(substitute(key, sizes)), *structs)

    try:
        start = run(base)
        moved = [run({**base, name: base[name] + 240}) for name in names]
        checks = [{n: s + 240 * (i + 1) for i, n in enumerate(names)} for s in _SAMPLES[2:]]
        seen = [run(sizes) for sizes in checks]
    except Exception:
        return None
    flat, structure = jax.tree_util.tree_flatten(start)
    others = [jax.tree_util.tree_leaves(out) for out in moved]
    proofs = [
        (sizes, jax.tree_util.tree_leaves(out)) for sizes, out in zip(checks, seen, strict=True)
    ]
    if any(len(out[i].shape) != len(o.shape) for out in others for i, o in enumerate(flat)):
        return None
    found = []
    for i, out in enumerate(flat):
        extents = []
        for axis, extent in enumerate(out.shape):
            slopes = [(other[i].shape[axis] - extent) / 240 for other in others]
            offset = extent - sum(s * base[n] for s, n in zip(slopes, names, strict=True))
            formula = _Formula(tuple(zip(names, slopes, strict=True)), offset)
            if not all(formula.at(sizes) == leaves[i].shape[axis] for sizes, leaves in proofs):
                return None
            extents.append(formula.dimension())
        if None in extents:
            return None
        found.append(jax.ShapeDtypeStruct(tuple(extents), out.dtype))
    return jax.tree_util.tree_unflatten(structure, found)


class _Formula:
    """A size that is linear in the unknown ones."""

    def __init__(self, slopes: tuple[tuple[str, float], ...], offset: float) -> None:
        self.slopes, self.offset = slopes, offset

    def at(self, sizes: dict[str, int]) -> float:
        return self.offset + sum(slope * sizes[name] for name, slope in self.slopes)

    def dimension(self) -> Any | None:
        """The symbolic dimension; `None` where a factor or the offset is no integer."""
        if any(s != int(s) for _, s in self.slopes) or self.offset != int(self.offset):
            return None
        made: Any = int(self.offset)
        for name, slope in self.slopes:
            if slope:
                made = made + int(slope) * make_dimension(name)
        return made
