"""Shapes of ops that ask what a symbolic dimension cannot answer, found from sample sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from ._dims import as_struct, dimension_names, make_dimension, substitute

# Sizes far apart and with no common factor but their step, so that few formulas agree on all of
# them. Strides and factors of usual models, up to 64, divide the step.
_STEP = 960
_SAMPLES = (2 * _STEP, 3 * _STEP, 5 * _STEP, 7 * _STEP)


def sampled_shapes(op: Any, key: Any, inputs: Sequence[Any]) -> Any | None:
    """Returns an op's outputs as `eval_shape` would, or `None` where no formula fits.

    Some ops compare sizes (is an axis at least `k` long?), which for an unknown size has no
    answer. Their output sizes mostly are linear in the unknown ones; those formulas are
    found from one size and one change per unknown, and must hold for others too. Or they are
    sizes of an input: two ways to halve and double a size give it back where 2 divides it.
    """
    shapes = [v.shape for v in inputs]
    names = sorted(dimension_names((*shapes, key)))
    if not names:
        return None
    base = {name: _SAMPLES[i % 2] + _STEP * i for i, name in enumerate(names)}
    changed = [{**base, name: base[name] + _STEP} for name in names]
    checks = [{n: s + _STEP * (i + 1) for i, n in enumerate(names)} for s in _SAMPLES[2:]]

    def run(sizes: dict[str, int]) -> Any:
        structs = [as_struct(substitute(v.shape, sizes), v.dtype) for v in inputs]
        return jax.eval_shape(op.array_fn(substitute(key, sizes)), *structs)

    try:
        start, *others = [run(sizes) for sizes in (base, *changed, *checks)]
    except Exception:
        return None
    flat, structure = jax.tree_util.tree_flatten(start)
    leaves = [jax.tree_util.tree_leaves(out) for out in others]
    if any(len(out[i].shape) != len(o.shape) for out in leaves for i, o in enumerate(flat)):
        return None
    known = _Candidates(shapes, (base, *changed, *checks))
    found = []
    for i, out in enumerate(flat):
        extents = []
        for axis, extent in enumerate(out.shape):
            seen = (extent, *[other[i].shape[axis] for other in leaves])
            formula = _Formula.through(seen, base, names)
            fits = all(formula.at(s) == e for s, e in zip(known.sizes, seen, strict=True))
            extents.append((formula.dimension() if fits else None) or known.find(seen))
        if None in extents:
            return None
        found.append(jax.ShapeDtypeStruct(tuple(extents), out.dtype))
    return jax.tree_util.tree_unflatten(structure, found)


class _Candidates:
    """Sizes of the inputs, by what they are at the samples."""

    def __init__(self, shapes: Sequence[Any], sizes: Sequence[dict[str, int]]) -> None:
        self.sizes = sizes
        self._known: dict[tuple[int, ...], Any] = {}
        for extent in (e for shape in shapes for e in shape):
            values = tuple([substitute(extent, each) for each in sizes])
            self._known.setdefault(values, extent)

    def find(self, seen: tuple[int, ...]) -> Any | None:
        """The size that an output's size is equal to at all samples."""
        return self._known.get(seen)


class _Formula:
    """A size that is linear in the unknown ones."""

    def __init__(self, slopes: tuple[tuple[str, float], ...], offset: float) -> None:
        self.slopes, self.offset = slopes, offset

    @classmethod
    def through(cls, seen: Sequence[int], base: dict[str, int], names: Sequence[str]) -> _Formula:
        """The formula for sizes at `base`, and with each unknown in turn one step larger."""
        slopes = [(other - seen[0]) / _STEP for other in seen[1 : len(names) + 1]]
        offset = seen[0] - sum(s * base[n] for s, n in zip(slopes, names, strict=True))
        return cls(tuple(zip(names, slopes, strict=True)), offset)

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
