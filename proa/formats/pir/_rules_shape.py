"""Rules of the Paddle writer: shapes, parts and places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import is_dimension

from ._basic import (
    as_range,
    binary,
    cast,
    concat,
    cut,
    expand,
    number,
    product,
    reshape,
    transpose,
    unary,
)
from ._graph import Graph, Out, Unwritable
from ._rules import broadcast, promoted, writes

_NEW = ("new",)


@writes("reshape", "squeeze", "unsqueeze", "flatten", "unflatten", "reshape_inverse")
def _reshape(g: Graph, out: Any, x: Out | None = None, **given: Any) -> Out:
    return reshape(g, given["view"] if x is None else x, out[0])


@writes("expand", "broadcast_to", "expand_as")
def _expand(g: Graph, out: Any, x: Out, **given: Any) -> Out:
    return expand(g, x, out[0])


@writes("broadcast_tensors")
def _broadcast_tensors(g: Graph, out: Any, input: list[Out]) -> list[Out]:
    return broadcast(g, *input)


@writes("transpose")
def _transpose(g: Graph, out: Any, x: Out, perm: Sequence[int]) -> Out:
    return transpose(g, x, [p % x.ndim for p in perm])


@writes("concat")
def _concat(g: Graph, out: Any, x: list[Out], axis: int) -> Out:
    return concat(g, promoted(g, *x), axis % x[0].ndim)


@writes("stack")
def _stack(g: Graph, out: Any, x: list[Out], axis: int) -> Out:
    parts = promoted(g, *x)
    return g.call("stack", parts, axis=axis % (x[0].ndim + 1), out=out)


@writes("split", "tensor_split")
def _split(g: Graph, out: Any, x: Out, axis: int, **given: Any) -> Any:
    axis %= x.ndim
    sizes = [spec[0][axis] for spec in out]
    if all(isinstance(s, int) for s in sizes):
        return g.call("split", x, sections=sizes, axis=axis, out=[list(out)])[0]
    made, start = [], 0
    for size in sizes:
        made.append(cut(g, x, axis, start, start + size))
        start = start + size
    return made


@writes("unstack")
def _unstack(g: Graph, out: Any, x: Out, axis: int) -> Any:
    axis %= x.ndim
    return g.call("unbind", x, axis=axis, out=[list(out)])[0]


@writes("tile")
def _tile(g: Graph, out: Any, x: Out, repeat_times: Sequence[Any]) -> Out:
    return g.call("tile", x, repeat_times=list(repeat_times), out=out)


@writes("flip")
def _flip(g: Graph, out: Any, x: Out, axis: Any) -> Out:
    axes = axis if isinstance(axis, tuple) else (axis,)
    return unary(g, "flip", x, axis=[a % x.ndim for a in axes])


@writes("roll")
def _roll(g: Graph, out: Any, x: Out, shifts: Any, axis: Any) -> Out:
    given = list(shifts) if isinstance(shifts, tuple) else [shifts]
    if axis is None:
        flat = reshape(g, x, (product(x.shape),))
        made = unary(g, "roll", flat, shifts=[sum(given)], axis=[0])
        return reshape(g, made, out[0])
    axes = axis if isinstance(axis, tuple) else (axis,)
    return unary(g, "roll", x, shifts=given, axis=[a % x.ndim for a in axes])


@writes("repeat_interleave")
def _repeat_interleave(
    g: Graph, out: Any, x: Out, repeats: Any, times: Any, total: Any, axis: Any
) -> Any:
    if repeats is not None:
        return None
    if axis is None:
        x, axis = reshape(g, x, (product(x.shape),)), 0
    axis %= x.ndim
    lead, rest = x.shape[: axis + 1], x.shape[axis + 1 :]
    made = expand(g, reshape(g, x, (*lead, 1, *rest)), (*lead, times, *rest))
    return reshape(g, made, out[0])


def _bounds(entry: Any, extent: Any) -> tuple[Any, Any, int, bool]:
    """Start, end and step of one axis of an index, counted from its front, and if it drops it."""
    if isinstance(entry, int):
        start = entry + extent if entry < 0 else entry
        return start, start + 1, 1, True
    start, stop, step = entry
    step = 1 if step is None else step
    if any(is_dimension(v) for v in (start, stop, extent)):
        if step < 0:
            raise Unwritable("a backward slice of an unknown size")
        return _counted(start, 0), _counted(stop, extent), step, False
    start, stop, step = slice(start, stop, step).indices(extent)
    return start, stop, step, False


def _counted(place: Any, default: Any) -> Any:
    # Paddle counts from the end and cuts at it, as Python does.
    return default if place is None else place


@writes("getitem")
def _getitem(g: Graph, out: Any, x: Out, starts: Any, spec: Any) -> Any:
    if starts is not None:
        return None
    made, axis, dropped, shape = x, 0, [], []
    axes, begins, ends, steps = [], [], [], []
    for entry in spec:
        if entry == _NEW:
            continue
        extent = x.shape[axis]
        begin, end, step, drops = _bounds(entry, extent)
        shape.append(1 if drops else _length(begin, end, step, extent))
        if drops:
            dropped.append(axis)
        if drops or entry != (None, None, None):
            axes.append(axis)
            begins.append(begin)
            ends.append(end)
            steps.append(step)
        axis += 1
    shape += x.shape[axis:]
    if not axes:
        return reshape(g, x, out[0])
    if any(step < 0 for step in steps):
        return None
    _take_sizes(shape, out[0], spec)
    if all(step == 1 for step in steps):
        made = g.call(
            "slice", x, starts=begins, ends=ends, axes=axes, infer_flags=[1] * len(axes),
            decrease_axis=[], out=(shape, x.dtype),
        )  # fmt: skip
    else:
        made = g.call(
            "strided_slice", x, starts=begins, ends=ends, strides=steps, axes=axes,
            out=(shape, x.dtype),
        )  # fmt: skip
    return reshape(g, made, out[0])


def _length(begin: Any, end: Any, step: int, extent: Any) -> Any:
    if any(is_dimension(v) for v in (begin, end, extent)):
        return None
    return len(range(begin, end, step))


def _take_sizes(shape: list[Any], result: Sequence[Any], spec: Any) -> None:
    """Puts the sizes of the result where only it knows them."""
    entries = [*spec, *[(None, None, None)] * (len(shape) - sum(e != _NEW for e in spec))]
    axis, remaining = 0, iter(result)
    for entry in entries:
        if entry == _NEW:
            next(remaining)
            continue
        if not isinstance(entry, int):
            shape[axis] = next(remaining)
        axis += 1


@writes("setitem")
def _setitem(g: Graph, out: Any, x: Out, value: Out, starts: Any, spec: Any) -> Any:
    if starts is not None:
        return None
    axis, dropped, fresh = 0, [], False
    axes, begins, ends, steps = [], [], [], []
    for entry in spec:
        fresh |= entry == _NEW
        if entry == _NEW:
            continue
        begin, end, step, drops = _bounds(entry, x.shape[axis])
        if drops or entry != (None, None, None):
            axes.append(axis)
            begins.append(begin)
            ends.append(end)
            steps.append(step)
            dropped += [axis] if drops else []
        axis += 1
    if fresh or any(step < 0 for step in steps):
        return None
    value = cast(g, value, x.dtype)
    return g.call(
        "set_value_with_tensor", x, value, starts=begins, ends=ends, steps=steps, axes=axes,
        decrease_axes=dropped, none_axes=[], out=out,
    )  # fmt: skip


def _indices(g: Graph, x: Out, indices: Sequence[Out], axes: Sequence[int]) -> Out:
    """Indices of several axes as the last axis of one tensor, counted from the front."""
    found = []
    for index, axis in zip(broadcast(g, *indices), axes, strict=True):
        index = cast(g, index, np.int64)
        size = reshape(g, g.dimension(x.shape[axis]), ())
        below = binary(g, "less_than", index, number(g, 0, np.int64), np.bool_)
        moved = binary(g, "add", index, size)
        found.append(g.call("where", below, moved, index, out=(index.shape, np.int64)))
    shape = (*found[0].shape, len(found))
    return g.call("stack", found, axis=found[0].ndim, out=(shape, np.int64))


@writes("getitem_arrays")
def _getitem_arrays(g: Graph, out: Any, x: Out, indices: Sequence[Out], axes: Any) -> Any:
    others = [i for i in range(x.ndim) if i not in axes]
    places = _indices(g, x, indices, axes)
    moved = transpose(g, x, [*axes, *others])
    lead = places.shape[:-1]
    made = g.call("gather_nd", moved, places, out=((*lead, *[x.shape[i] for i in others]), x.dtype))
    # Indices side by side keep their place among the axes, as in NumPy.
    together = list(axes) == list(range(axes[0], axes[0] + len(axes)))
    first = axes[0] if together else 0
    count = len(lead)
    order = [*range(count, count + first), *range(count), *range(count + first, made.ndim)]
    return transpose(g, made, order)


@writes("setitem_arrays")
def _setitem_arrays(
    g: Graph, out: Any, x: Out, value: Out, indices: Sequence[Out], axes: Any, accumulate: bool
) -> Any:
    if list(axes) != list(range(len(axes))):
        return None
    places = broadcast(g, *[cast(g, i, np.int64) for i in indices])
    shape = (*places[0].shape, *x.shape[len(axes) :])
    value = cast(g, value, x.dtype)
    surplus = value.ndim - len(shape)
    if surplus > 0:
        value = reshape(g, value, value.shape[surplus:])
    return g.call("index_put", x, places, expand(g, value, shape), accumulate=accumulate, out=out)


@writes("setitem_mask")
def _setitem_mask(g: Graph, out: Any, x: Out, value: Out, mask: Out) -> Any:
    if value.ndim:
        return None
    mask = reshape(g, mask, (*mask.shape, *[1] * (x.ndim - mask.ndim)))
    value = expand(g, cast(g, value, x.dtype), out[0])
    return g.call("where", expand(g, mask, out[0]), value, x, out=out)


@writes("gather", "index_select")
def _gather(g: Graph, out: Any, x: Out, index: Out, axis: Any) -> Any:
    axis = (axis or 0) % x.ndim
    index = reshape(g, index, (product(index.shape),))
    shape = (*x.shape[:axis], index.shape[0], *x.shape[axis + 1 :])
    made = g.call("index_select", x, index, axis=axis, out=(shape, x.dtype))
    return reshape(g, made, out[0])


@writes("gather_nd")
def _gather_nd(g: Graph, out: Any, x: Out, index: Out) -> Out:
    return g.call("gather_nd", x, index, out=out)


@writes("index_sample")
def _index_sample(g: Graph, out: Any, x: Out, index: Out) -> Out:
    return g.call("index_sample", x, index, out=out)


@writes("take_along_axis")
def _take_along_axis(g: Graph, out: Any, arr: Out, indices: Out, axis: int, broadcast: bool) -> Any:
    axis %= arr.ndim
    if broadcast:
        shape = [*out[0]]
        arr_shape = [e if i == axis else shape[i] for i, e in enumerate(arr.shape)]
        arr, indices = expand(g, arr, arr_shape), expand(g, indices, shape)
    return g.call("take_along_axis", arr, indices, axis=axis, out=out)


@writes("one_hot")
def _one_hot(g: Graph, out: Any, x: Out, num_classes: int) -> Out:
    return g.call("one_hot", cast(g, x, np.int64), num_classes=num_classes, out=out)


@writes("scatter")
def _scatter(g: Graph, out: Any, x: Out, index: Out, updates: Out, overwrite: bool) -> Out:
    updates = cast(g, updates, x.dtype)
    return g.call("scatter", x, index, updates, overwrite=overwrite, out=out)


@writes("scatter_nd_add")
def _scatter_nd_add(g: Graph, out: Any, x: Out, index: Out, updates: Out) -> Out:
    return g.call("scatter_nd_add", x, index, cast(g, updates, x.dtype), out=out)


@writes("scatter_nd")
def _scatter_nd(g: Graph, out: Any, index: Out, updates: Out, shape: Any) -> Out:
    from_zero = expand(g, reshape(g, number(g, 0, out[1]), (1,) * len(shape)), out[0])
    return g.call("scatter_nd_add", from_zero, index, updates, out=out)


@writes("put_along_axis")
def _put_along_axis(
    g: Graph, out: Any, arr: Out, indices: Out, values: Out, axis: int, reduce: str,
    include_self: bool, broadcast: bool,
) -> Any:  # fmt: skip
    axis %= arr.ndim
    if broadcast:
        shape = [e if i == axis else arr.shape[i] for i, e in enumerate(indices.shape)]
        indices = expand(g, indices, shape)
    values = expand(g, cast(g, values, arr.dtype), indices.shape)
    return g.call(
        "put_along_axis", arr, indices, values, axis=axis, reduce=reduce,
        include_self=include_self, out=out,
    )  # fmt: skip


@writes("index_add")
def _index_add(g: Graph, out: Any, x: Out, index: Out, value: Out, axis: int, alpha: float) -> Any:
    if alpha != 1:
        return None
    value = cast(g, value, x.dtype)
    return g.call("index_add", x, index, value, axis=axis % x.ndim, out=out)


@writes("meshgrid")
def _meshgrid(g: Graph, out: Any, arrays: list[Out], indexing: str) -> Any:
    if indexing != "ij":
        return None
    count = len(arrays)
    made = []
    for i, x in enumerate(arrays):
        size = x.shape[0] if x.ndim else 1
        middle = [size if i == axis else 1 for axis in range(count)]
        made.append(expand(g, reshape(g, x, middle), out[i][0]))
    return made


@writes("diagonal")
def _diagonal(g: Graph, out: Any, x: Out, offset: int, axis1: int, axis2: int) -> Out:
    return g.call("diagonal", x, offset=offset, axis1=axis1, axis2=axis2, out=out)


@writes("diag_embed")
def _diag_embed(g: Graph, out: Any, input: Out, offset: int, dim1: int, dim2: int) -> Out:
    return g.call("diag_embed", input, offset=offset, dim1=dim1, dim2=dim2, out=out)


@writes("diag")
def _diag(g: Graph, out: Any, x: Out, offset: int, padding_value: float) -> Out:
    return g.call("diag", x, offset=offset, padding_value=padding_value, out=out)


@writes("length_mask")
def _length_mask(g: Graph, out: Any, x: Out, maxlen: Any, dtype: Any) -> Any:
    if maxlen is None:
        return None
    row = as_range(g, out[0][-1])
    below = binary(g, "less_than", row, reshape(g, cast(g, x, np.int64), (*x.shape, 1)), np.bool_)
    return cast(g, below, out[1])
