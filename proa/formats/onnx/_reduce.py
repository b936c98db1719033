"""ONNX nodes of reductions, scans, and ops that look elements up or sort them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import is_dimension

from ._graph import FAR, Graph, Ref
from ._rules import axes_of, axis_of, floating, known, need, promoted, widened, writes
from ._shape import expand


def _reduce(g: Graph, kind: str, x: Ref, axis: Any, keepdim: bool) -> Ref:
    axes = axes_of(axis, x.ndim)
    if not axes:
        return x
    return g.node(kind, x, g.integers(axes), keepdims=int(bool(keepdim)))


@writes("sum")
def _sum(g: Graph, x: Ref, axis: Any, dtype: Any, keepdim: bool) -> Ref:
    start = g.cast(x, g.dtype) if x.is_integral or g.dtype.kind in "biu" else x
    start = g.cast(start, g.dtype) if g.dtype.itemsize > start.dtype.itemsize else start
    return _reduce(g, "ReduceSum", widened(g, start), axis, keepdim)


@writes("nansum")
def _nansum(g: Graph, x: Ref, axis: Any, dtype: Any, keepdim: bool) -> Ref:
    if not x.is_integral:
        missing = g.node("IsNaN", x, dtype=bool)
        x = g.node("Where", missing, g.number(0, x), x, dtype=x.dtype, shape=x.shape)
    return _sum(g, x, axis, dtype, keepdim)


@writes("mean")
def _mean(g: Graph, x: Ref, axis: Any, keepdim: bool) -> Ref:
    return _reduce(g, "ReduceMean", widened(g, floating(g, x)), axis, keepdim)


@writes("prod")
def _prod(g: Graph, x: Ref, axis: Any, keepdim: bool, dtype: Any) -> Ref:
    return _reduce(g, "ReduceProd", widened(g, g.cast(x, g.dtype)), axis, keepdim)


_EXTREMES = {"max": "ReduceMax", "amax": "ReduceMax", "min": "ReduceMin", "amin": "ReduceMin"}


@writes(*_EXTREMES)
def _extreme(g: Graph, x: Ref, axis: Any, keepdim: bool) -> Ref:
    wide = g.cast(x, np.int32) if x.dtype == np.bool_ else x
    return _reduce(g, _EXTREMES[g.call.op.name], wide, axis, keepdim)


@writes("all", "any")
def _logic(g: Graph, x: Ref, axis: Any, keepdim: bool) -> Ref:
    # A number is true when it is not 0, which a cast to bool says.
    numbers = g.cast(g.cast(x, np.bool_), np.int32)
    kind = "ReduceMin" if g.call.op.name == "all" else "ReduceMax"
    return _reduce(g, kind, Ref(numbers.name, numbers.dtype, x.shape), axis, keepdim)


@writes("count_nonzero")
def _count_nonzero(g: Graph, x: Ref, axis: Any, keepdim: bool) -> Ref:
    numbers = g.cast(g.cast(x, np.bool_), np.int64)
    return _reduce(g, "ReduceSum", Ref(numbers.name, numbers.dtype, x.shape), axis, keepdim)


@writes("logsumexp")
def _logsumexp(g: Graph, x: Ref, axis: Any, keepdim: bool) -> Ref:
    x = widened(g, floating(g, x))
    axes = axes_of(axis, x.ndim)
    if not axes:
        return x
    where, zero = g.integers(axes), g.number(0, x)
    best = g.node("ReduceMax", x, where, keepdims=1)
    # Infinite rows would be inf - inf.
    best = g.node("Where", g.node("IsInf", best, dtype=bool), zero, best, dtype=x.dtype)
    total = g.node("ReduceSum", g.node("Exp", g.node("Sub", x, best)), where, keepdims=1)
    made = g.node("Add", g.node("Log", total), best)
    return made if keepdim else g.node("Squeeze", made, where)


@writes("var")
def _var(g: Graph, x: Ref, axis: Any, correction: float, keepdim: bool) -> Ref:
    x = widened(g, floating(g, x))
    axes = axes_of(axis, x.ndim)
    where = g.integers(axes)
    rest = g.node("Sub", x, g.node("ReduceMean", x, where, keepdims=1))
    total = g.node("ReduceSum", g.node("Mul", rest, rest), where, keepdims=int(keepdim))
    count = math.prod([x.extents[a] for a in axes])
    if is_dimension(count):
        number = g.cast(g.squeeze(g.size(count), [0]), x.dtype)
        return g.node("Div", total, g.node("Sub", number, g.number(correction, x)))
    return g.node("Div", total, g.number(count - correction, x))


@writes("sqrt_or_zero")
def _sqrt_or_zero(g: Graph, variance: Ref) -> Ref:
    return g.node("Sqrt", variance)


@writes("vector_norm")
def _vector_norm(g: Graph, x: Ref, p: float, axis: Any, keepdim: bool) -> Ref:
    x = widened(g, floating(g, x))
    simple = {2.0: "ReduceL2", 1.0: "ReduceL1"}.get(float(p))
    if simple:
        return _reduce(g, simple, x, axis, keepdim)
    size = g.node("Abs", x, shape=x.shape)
    if math.isinf(p):
        return _reduce(g, "ReduceMax" if p > 0 else "ReduceMin", size, axis, keepdim)
    need(p != 0, "a norm of order 0")
    powers = g.node("Pow", size, g.number(p, x), shape=x.shape)
    return g.node("Pow", _reduce(g, "ReduceSum", powers, axis, keepdim), g.number(1 / p, x))


@writes("argmax", "argmin")
def _argmax(g: Graph, x: Ref, axis: Any, keepdim: bool, dtype: Any) -> Ref:
    wide = g.cast(x, np.int32) if x.dtype == np.bool_ else x
    kind = "ArgMax" if g.call.op.name == "argmax" else "ArgMin"
    if axis is None or not x.ndim:
        flat = g.node("Reshape", wide, g.integers([-1]))
        found = g.node(kind, flat, dtype=np.int64, axis=0, keepdims=0)
        return g.reshape(found, g.shape) if keepdim else found
    return g.node(kind, wide, dtype=np.int64, axis=axis_of(axis, x.ndim), keepdims=int(keepdim))


@writes("cumsum")
def _cumsum(g: Graph, x: Ref, axis: Any, dtype: Any) -> Ref:
    wide = widened(g, g.cast(x, g.dtype))
    if axis is None:
        wide, axis = g.node("Reshape", wide, g.integers([-1])), 0
    if not x.ndim:
        return wide
    return g.node("CumSum", wide, g.constant(axis_of(axis, x.ndim), np.int64))


# Order.

#: Dtypes that engines sort.
_SORTED = ("float32", "float64", "int32", "int64")


def _top(g: Graph, x: Ref, count: Ref, axis: int, largest: bool) -> tuple[Ref, Ref]:
    wide = x if x.dtype.name in _SORTED else g.cast(x, np.int32 if x.is_integral else np.float32)
    return g.node("TopK", wide, count, outputs=2, dtype=(wide.dtype, np.int64), axis=axis,
                  largest=int(largest), sorted=1)  # fmt: skip


@writes("topk")
def _topk(g: Graph, x: Ref, k: int, axis: int | None, largest: bool, sorted: bool) -> Any:
    if not x.ndim:
        return x, g.constant(0, np.int64)
    return _top(g, x, g.integers([k]), axis_of(-1 if axis is None else axis, x.ndim), largest)


@writes("sort", "argsort")
def _sort(g: Graph, x: Ref, axis: int, descending: bool, stable: bool) -> Ref:
    wants_values = g.call.op.name == "sort"
    if not x.ndim:
        return x if wants_values else g.constant(0, np.int64)
    place = axis_of(axis, x.ndim)
    values, index = _top(g, x, g.size(x.extents[place]), place, descending)
    return values if wants_values else index


@writes("kthvalue")
def _kthvalue(g: Graph, x: Ref, k: int, axis: int | None, keepdim: bool) -> Any:
    if not x.ndim:
        return x, g.constant(0, np.int64)
    place = axis_of(-1 if axis is None else axis, x.ndim)
    found = _top(g, x, g.integers([k]), place, False)
    last = [g.slice(a, [k - 1], [k], [place]) for a in found]
    return tuple(last if keepdim else [g.node("Squeeze", a, g.integers([place])) for a in last])


# Looking up. Places below 0 count from the end, in ONNX as in Proa.


def _row_index(g: Graph, index: Ref) -> Ref:
    is_column = index.ndim == 2 and not is_dimension(index.extents[1]) and index.extents[1] == 1
    return g.squeeze(index, [1]) if is_column else index


@writes("gather", "index_select")
def _gather(g: Graph, x: Ref, index: Ref, axis: int | None) -> Ref:
    return g.node(
        "Gather", x, _wide_index(g, _row_index(g, index)), axis=axis_of(axis or 0, x.ndim)
    )


def _wide_index(g: Graph, index: Ref) -> Ref:
    return index if index.dtype.name in ("int32", "int64") else g.cast(index, np.int64)


@writes("take")
def _take(g: Graph, x: Ref, index: Ref, mode: str) -> Ref:
    flat = g.node("Reshape", x, g.integers([-1]))
    index = g.cast(index, np.int64)
    if mode != "raise":
        count = g.node("Size", x, dtype=np.int64)
        if mode == "wrap":
            index = g.node("Mod", index, count)
        else:
            last = g.node("Sub", count, g.constant(1, np.int64))
            index = g.node("Clip", index, g.constant(0, np.int64), last)
    return g.node("Gather", flat, index, axis=0)


@writes("gather_nd")
def _gather_nd(g: Graph, x: Ref, index: Ref) -> Ref:
    return g.node("GatherND", x, g.cast(index, np.int64))


@writes("index_sample")
def _index_sample(g: Graph, x: Ref, index: Ref) -> Ref:
    return g.node("GatherElements", x, _wide_index(g, index), axis=1)


@writes("take_along_axis")
def _take_along_axis(g: Graph, arr: Ref, indices: Ref, axis: int, broadcast: bool) -> Ref:
    place = axis_of(axis, arr.ndim)
    return g.node("GatherElements", arr, _lined_up(g, arr, indices, place, broadcast), axis=place)


def _lined_up(g: Graph, arr: Ref, indices: Ref, axis: int, broadcast: bool) -> Ref:
    indices = _wide_index(g, indices)
    if not broadcast:
        return indices
    wanted = [indices.extents[i] if i == axis else d for i, d in enumerate(arr.extents)]
    return expand(g, indices, wanted)


@writes("put_along_axis")
def _put_along_axis(
    g: Graph, arr: Ref, indices: Ref, values: Ref, axis: int, reduce: str, include_self: bool,
    broadcast: bool,
) -> Ref:  # fmt: skip
    kinds = {"assign": "none", "add": "add", "mul": "mul", "multiply": "mul", "amax": "max",
             "amin": "min"}  # fmt: skip
    need(include_self and reduce in kinds, f"put_along_axis with reduce={reduce!r}")
    place = axis_of(axis, arr.ndim)
    index = _lined_up(g, arr, indices, place, broadcast)
    values = g.cast(values, arr.dtype)
    values = g.node("Expand", values, g.node("Shape", index, dtype=np.int64))
    return g.node("ScatterElements", arr, index, values, axis=place, reduction=kinds[reduce])


@writes("one_hot")
def _one_hot(g: Graph, x: Ref, num_classes: Any) -> Ref:
    (count,) = known((num_classes,), "the number of classes")
    places = g.constant(np.arange(count), x.dtype)
    found = g.node("Equal", g.unsqueeze(x, [x.ndim]), places, dtype=bool)
    return g.cast(found, g.dtype)


def _joined_index(g: Graph, indices: Sequence[Ref]) -> Ref:
    """Broadcasts integer arrays and stacks them along a new last axis."""
    wide = [g.cast(i, np.int64) for i in indices]
    if len(wide) == 1:
        return g.unsqueeze(wide[0], [wide[0].ndim])
    # The sum of all has the common shape.
    total = wide[0]
    for index in wide[1:]:
        total = g.node("Add", total, index)
    shape = g.node("Shape", total, dtype=np.int64)
    return g.concat([g.unsqueeze(g.node("Expand", i, shape), [-1]) for i in wide], -1)


def _in_a_row(axes: Sequence[int]) -> bool:
    return list(axes) == list(range(axes[0], axes[0] + len(axes)))


@writes("getitem_arrays")
def _getitem_arrays(g: Graph, x: Ref, indices: list[Ref], axes: Sequence[int]) -> Ref:
    if len(indices) == 1:
        return g.node("Gather", x, _wide_index(g, indices[0]), axis=axes[0])
    need(_in_a_row(axes), "arrays as indices of axes apart from each other")
    rest = [i for i in range(x.ndim) if i not in axes]
    moved = g.transpose(x, [*axes, *rest])
    picked = g.node("GatherND", moved, _joined_index(g, indices))
    if not axes[0]:
        return picked
    # The axes of the places go where the axes were that they replace.
    count = len(g.shape) - len(rest)
    order = [*range(count, count + axes[0]), *range(count), *range(count + axes[0], len(g.shape))]
    return g.node("Transpose", picked, perm=tuple(order))


@writes("setitem_arrays")
def _setitem_arrays(
    g: Graph, x: Ref, value: Ref, indices: list[Ref], axes: Sequence[int], accumulate: bool
) -> Ref:
    need(_in_a_row(axes) and axes[0] == 0, "an assignment through arrays to later axes")
    return _scattered(g, x, _joined_index(g, indices), value, "add" if accumulate else "none")


def _scattered(g: Graph, x: Ref, index: Ref, value: Ref, reduction: str) -> Ref:
    """Writes values at rows of places: `index` is [..., number of axes]."""
    index = g.cast(index, np.int64)
    # What the places name now has the shape that the values need.
    part = g.node("GatherND", x, index)
    wide = g.node("Expand", g.cast(value, x.dtype), g.node("Shape", part, dtype=np.int64))
    return g.node("ScatterND", x, index, wide, reduction=reduction)


@writes("scatter")
def _scatter(g: Graph, x: Ref, index: Ref, updates: Ref, overwrite: bool) -> Ref:
    index = g.unsqueeze(_row_index(g, index), [-1])
    if overwrite:
        return _scattered(g, x, index, updates, "none")
    emptied = _scattered(g, x, index, g.number(0, x), "none")
    return _scattered(g, emptied, index, updates, "add")


@writes("scatter_nd_add")
def _scatter_nd_add(g: Graph, x: Ref, index: Ref, updates: Ref) -> Ref:
    return _scattered(g, x, index, updates, "add")


@writes("scatter_nd")
def _scatter_nd(g: Graph, index: Ref, updates: Ref, shape: Any) -> Ref:
    zeros = expand(g, g.number(0, updates), g.shape)
    return _scattered(g, zeros, index, updates, "add")


@writes("index_fill")
def _index_fill(g: Graph, x: Ref, index: Ref, axis: int, value: Ref) -> Ref:
    place = axis_of(axis, x.ndim)
    order = [place, *[i for i in range(x.ndim) if i != place]]
    moved = g.transpose(x, order)
    filled = _scattered(g, moved, g.unsqueeze(_row_index(g, index), [-1]), value, "none")
    return g.node("Transpose", filled, perm=tuple(int(i) for i in np.argsort(order)))


@writes("isin")
def _isin(g: Graph, x: Ref, test_x: Ref, assume_unique: bool, invert: bool) -> Ref:
    x, test_x = promoted(g, x, test_x)
    flat = g.node("Reshape", test_x, g.integers([-1]))
    equal = g.node("Equal", g.unsqueeze(x, [x.ndim]), flat, dtype=bool)
    found = g.node("ReduceMax", g.cast(equal, np.int32), g.integers([-1]), keepdims=0)
    made = g.cast(found, np.bool_)
    return g.node("Not", made) if invert else made


@writes("diff")
def _diff(g: Graph, x: Ref, n: int, axis: int, prepend: Ref | None, append: Ref | None) -> Ref:
    place = axis_of(axis, x.ndim)
    parts = [g.cast(p, x.dtype) for p in (prepend, x, append) if p is not None]
    x = g.concat(parts, place)
    for _ in range(n):
        later, earlier = g.slice(x, [1], [FAR], [place]), g.slice(x, [0], [-1], [place])
        kind = "Xor" if x.dtype == np.bool_ else "Sub"
        x = g.node(kind, later, earlier)
    return x
