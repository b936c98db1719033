"""ONNX nodes of ops that move elements: shapes, joining, slicing, padding, creation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import is_dimension

from ._graph import FAR, Graph, Ref
from ._rules import axes_of, axis_of, known, need, writes


@writes("reshape", "flatten", "unflatten")
def _reshape(g: Graph, x: Ref, **_: Any) -> Ref:
    return g.reshape(x, g.shape)


@writes("squeeze")
def _squeeze(g: Graph, x: Ref, axis: Any) -> Ref:
    given = range(x.ndim) if axis is None else axes_of(axis, x.ndim)
    axes = sorted({a for a in given if not is_dimension(x.extents[a]) and x.extents[a] == 1})
    return g.squeeze(x, axes)


@writes("unsqueeze")
def _unsqueeze(g: Graph, x: Ref, axis: Any) -> Ref:
    for place in axis if isinstance(axis, tuple) else (axis,):
        x = g.unsqueeze(x, [axis_of(place, x.ndim + 1)])
    return x


@writes("transpose")
def _transpose(g: Graph, x: Ref, perm: Sequence[int]) -> Ref:
    return g.transpose(x, [axis_of(p, x.ndim) for p in perm])


@writes("expand", "broadcast_to")
def _expand(g: Graph, x: Ref, shape: Any) -> Ref:
    return expand(g, x, g.shape)


@writes("expand_as")
def _expand_as(g: Graph, x: Ref, y: Ref) -> Ref:
    return expand(g, x, g.shape)


def expand(g: Graph, x: Ref, shape: Sequence[Any]) -> Ref:
    """Broadcasts a value to a shape."""
    if x.shape is not None and [str(d) for d in x.shape] == [str(d) for d in shape]:
        return x
    return g.node("Expand", x, g.extents(shape), shape=tuple(shape))


@writes("broadcast_tensors")
def _broadcast_tensors(g: Graph, input: list[Ref]) -> tuple[Ref, ...]:
    return tuple([expand(g, x, g.shape) for x in input])


@writes("tile")
def _tile(g: Graph, x: Ref, repeat_times: Sequence[Any]) -> Ref:
    times = [1] * (x.ndim - len(repeat_times)) + list(repeat_times)
    x = g.unsqueeze(x, list(range(len(times) - x.ndim)))
    return g.node("Tile", x, g.extents(times))


@writes("repeat_interleave")
def _repeat_interleave(
    g: Graph, x: Ref, repeats: Ref | None, times: int | None, total: int | None, axis: int | None
) -> Ref:
    need(repeats is None, "a tensor of repeats")
    if axis is None:
        x, axis = g.reshape(x, (math.prod(x.extents),)), 0
    place = axis_of(axis, x.ndim)
    wide = g.unsqueeze(x, [place + 1])
    ones = [1] * wide.ndim
    ones[place + 1] = times or 0
    return g.reshape(g.node("Expand", wide, g.integers(ones)), g.shape)


@writes("flip")
def _flip(g: Graph, x: Ref, axis: Any) -> Ref:
    return _reversed(g, x, axes_of(axis, x.ndim))


def _reversed(g: Graph, x: Ref, axes: Sequence[int]) -> Ref:
    count = len(axes)
    return g.slice(x, [-1] * count, [-FAR] * count, axes, [-1] * count)


@writes("roll")
def _roll(g: Graph, x: Ref, shifts: Any, axis: Any) -> Ref:
    given = list(shifts) if isinstance(shifts, tuple) else [shifts]
    if axis is None:
        flat = _rolled(g, g.reshape(x, (math.prod(x.extents),)), sum(given), 0)
        return g.reshape(flat, x.extents)
    for shift, place in zip(given, axis if isinstance(axis, tuple) else (axis,), strict=True):
        x = _rolled(g, x, shift, axis_of(place, x.ndim))
    return x


def _rolled(g: Graph, x: Ref, shift: int, axis: int) -> Ref:
    extent = x.extents[axis]
    if not is_dimension(extent):
        shift = shift % max(extent, 1)
    if not shift:
        return x
    # The shift of an unknown extent must be smaller than it.
    tail = g.slice(x, [-shift], [FAR], [axis])
    head = g.slice(x, [0], [-shift], [axis])
    joined = g.concat([tail, head], axis)
    return Ref(joined.name, joined.dtype, x.shape)


@writes("tril", "triu")
def _triangle(g: Graph, x: Ref, diagonal: int) -> Ref:
    upper = int(g.call.op.name == "triu")
    wide = g.cast(x, np.int64) if x.is_integral else x
    return g.node("Trilu", wide, g.constant(diagonal, np.int64), upper=upper)


@writes("concat")
def _concat(g: Graph, x: list[Ref], axis: int) -> Ref:
    return g.concat([g.cast(a, g.dtype) for a in x], axis_of(axis, x[0].ndim))


@writes("stack")
def _stack(g: Graph, x: list[Ref], axis: int) -> Ref:
    place = axis_of(axis, x[0].ndim + 1)
    return g.concat([g.unsqueeze(g.cast(a, g.dtype), [place]) for a in x], place)


@writes("split", "tensor_split")
def _split(g: Graph, x: Ref, axis: int, **_: Any) -> tuple[Ref, ...]:
    place = axis_of(axis, x.ndim)
    sizes = [v.shape[place] for v in g.call.outputs]
    made = g.node("Split", x, g.extents(sizes), outputs=len(sizes), axis=place)
    return (made,) if len(sizes) == 1 else made


@writes("unstack")
def _unstack(g: Graph, x: Ref, axis: int) -> tuple[Ref, ...]:
    place = axis_of(axis, x.ndim)
    return tuple(
        [g.node("Gather", x, g.constant(i, np.int64), axis=place)
         for i in range(len(g.call.outputs))]
    )  # fmt: skip


@writes("meshgrid")
def _meshgrid(g: Graph, arrays: list[Ref], indexing: str = "ij") -> tuple[Ref, ...]:
    need(indexing == "ij", f"meshgrid with indexing={indexing!r}")
    made = []
    for position, array in enumerate(arrays):
        column = [1] * len(arrays)
        column[position] = -1
        flat = g.node("Reshape", array, g.integers(column))
        made.append(expand(g, flat, g.shape))
    return tuple(made)


# Basic indexing: a spec per axis, see `proa/ops/_index_basic.py`.


def _spans(spec: Sequence[Any]) -> tuple[list[Any], list[int], list[int]]:
    """Entries per axis of the input, axes that integers drop, axes that are new."""
    entries, dropped, inserted, target = [], [], [], 0
    for entry in spec:
        if entry == ("new",):
            inserted.append(target)
            target += 1
            continue
        if isinstance(entry, int) or is_dimension(entry) or entry[0] == "at":
            dropped.append(len(entries))
        else:
            target += 1
        entries.append(entry)
    return entries, dropped, inserted


def _bounds(entry: Any, start: Any) -> tuple[Any, Any, int]:
    """First place, end and step of one entry; `start` is the operand of one that has it."""
    if isinstance(entry, int) or is_dimension(entry):
        is_last = isinstance(entry, int) and entry == -1
        return entry, FAR if is_last else entry + 1, 1
    if entry[0] == "at":
        return start, start + 1, 1
    if entry[0] == "span":
        extent, step = entry[1:]
        end = start + extent * step
        need(step > 0, "a slice backwards from a place that is an operand")
        return start, end, step
    first, last, step = entry
    step = 1 if step is None else step
    if first is None:
        first = 0 if step > 0 else FAR
    if last is None:
        last = FAR if step > 0 else -FAR
    return first, last, step


def _planned(g: Graph, spec: Sequence[Any], starts: Ref | None) -> tuple[Any, Any, Any]:
    """Axis, first place, end and step of each axis that is cut; dropped and inserted axes."""
    entries, dropped, inserted = _spans(spec)
    cuts, used = [], 0
    for axis, entry in enumerate(entries):
        start = None
        if isinstance(entry, tuple) and entry[0] in ("at", "span"):
            start = None if starts is None else g.place(starts, used)
            used += 1
        if entry == (None, None, None):
            continue
        cuts.append((axis, *_bounds(entry, start)))
    return cuts, dropped, inserted


@writes("getitem")
def _getitem(g: Graph, x: Ref, starts: Ref | None, spec: Any) -> Ref:
    cuts, dropped, inserted = _planned(g, spec, starts)
    if cuts:
        axes, first, last, steps = zip(*cuts, strict=True)
        x = g.slice(x, first, last, axes, steps)
    return g.unsqueeze(g.squeeze(x, dropped), inserted)


@writes("setitem")
def _setitem(g: Graph, x: Ref, value: Ref, starts: Ref | None, spec: Any) -> Ref:
    cuts, dropped, inserted = _planned(g, spec, starts)
    part = _getitem(g, x, starts, spec)
    value = g.cast(value, x.dtype)
    surplus = value.ndim - (x.ndim - len(dropped) + len(inserted))
    value = g.squeeze(value, list(range(surplus))) if surplus > 0 else value
    value = g.node("Expand", value, g.node("Shape", part, dtype=np.int64))
    value = g.unsqueeze(g.squeeze(value, inserted), dropped)
    return _assigned(g, x, cuts, value)


def _assigned(g: Graph, x: Ref, cuts: Sequence[Any], value: Ref) -> Ref:
    """Replaces what the cuts take, axis by axis: what lies before, the part, what lies after."""
    if not cuts:
        return value
    (axis, first, last, step), *rest = cuts
    need(step == 1, "an assignment to every n-th place")
    middle = _assigned(g, g.slice(x, [first], [last], [axis]), rest, value) if rest else value
    before = g.slice(x, [0], [first], [axis])
    parts = [before, middle]
    if not (isinstance(last, int) and last == FAR):
        parts.append(g.slice(x, [last], [FAR], [axis]))
    return g.node("Concat", *parts, axis=axis)


@writes("setitem_mask")
def _setitem_mask(g: Graph, x: Ref, value: Ref, mask: Ref) -> Ref:
    wide = g.unsqueeze(mask, list(range(mask.ndim, x.ndim)))
    return g.node("Where", g.cast(wide, np.bool_), g.cast(value, x.dtype), x, dtype=x.dtype)


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge",
              "circular": "wrap"}  # fmt: skip


@writes("pad")
def _pad(
    g: Graph,
    x: Ref,
    value: Ref,
    pad: Sequence[int],
    mode: str,
    data_format: str | None,
    pad_from_left_axis: bool,
) -> Ref:
    widths = _pad_widths(x.ndim, known(pad, "padding"), data_format, pad_from_left_axis)
    cut = [axis for axis, pair in enumerate(widths) if min(pair) < 0]
    if cut:
        first = [max(-widths[a][0], 0) for a in cut]
        last = [min(widths[a][1], 0) or FAR for a in cut]
        x = g.slice(x, first, last, cut)
        widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    if not any(before or after for before, after in widths):
        return x
    pads = [before for before, _ in widths] + [after for _, after in widths]
    fill = g.cast(value, x.dtype) if mode == "constant" else None
    return g.node("Pad", x, g.integers(pads), fill, mode=_PAD_MODES[mode])


def _pad_widths(
    ndim: int, pad: Sequence[int], data_format: str | None, from_left: bool
) -> list[tuple[int, int]]:
    """Width before and after each axis, from Paddle's flat list."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    if len(pairs) == ndim and data_format is None:
        return pairs if from_left else pairs[::-1]
    last = ndim - 2 if data_format in ("NLC", "NHWC", "NDHWC") else ndim - 1
    widths = [(0, 0)] * ndim
    for position, pair in enumerate(pairs):
        widths[last - position] = pair
    return widths


@writes("full")
def _full(g: Graph, value: Ref, shape: Any, dtype: Any) -> Ref:
    made = g.cast(value, dtype.numpy)
    static = all(not is_dimension(d) for d in g.shape)
    if static and made.array is not None and math.prod(g.shape) <= 4096:
        return g.constant(np.broadcast_to(made.array, g.shape))
    return expand(g, made, g.shape)


@writes("eye")
def _eye(g: Graph, num_rows: Any, num_columns: Any, dtype: Any) -> Ref:
    rows, columns = known((num_rows, num_columns), "the extents of an identity matrix")
    return g.constant(np.eye(rows, columns).astype(dtype.numpy))


@writes("arange")
def _arange(g: Graph, start: Any, end: Any, step: Any, dtype: Any) -> Ref:
    if not any(is_dimension(v) for v in (start, end, step)):
        return g.constant(np.arange(start, end, step).astype(dtype.numpy))
    need(not any(isinstance(v, float) for v in (start, end, step)), "a range of floats to a size")
    bounds = [g.squeeze(g.size(v), [0]) for v in (start, end, step)]
    return g.cast(g.node("Range", *bounds), dtype.numpy)


@writes("linspace")
def _linspace(g: Graph, start: Ref, stop: Ref, num: Any, dtype: Any) -> Ref:
    need(start.array is not None and stop.array is not None, "linspace between computed values")
    (count,) = known((num,), "the number of points of linspace")
    made = np.linspace(start.array, stop.array, count)  # type: ignore[arg-type]
    return g.constant(made.astype(dtype.numpy))


@writes("shape")
def _shape(g: Graph, input: Ref) -> Ref:
    return g.cast(g.shape_of(input), g.dtype)


@writes("sizes_tensor")
def _sizes_tensor(g: Graph, sizes: Sequence[Any]) -> Ref:
    return g.extents(sizes)


@writes("rank")
def _rank(g: Graph, input: Ref) -> Ref:
    return g.constant(input.ndim, g.dtype)


@writes("numel")
def _numel(g: Graph, x: Ref) -> Ref:
    return g.node("Size", x, dtype=np.int64)


@writes("pixel_shuffle", "pixel_unshuffle")
def _pixel_shuffle(g: Graph, x: Ref, data_format: str, **factor: int) -> Ref:
    (count,) = factor.values()
    last = data_format == "NHWC"
    batch, *middle = x.extents
    channels = middle.pop(-1 if last else 0)
    height, width = middle
    grows = g.call.op.name == "pixel_shuffle"
    if last:
        x = g.transpose(x, (0, 3, 1, 2))
    if grows:
        x = g.reshape(x, (batch, channels // count**2, count, count, height, width))
        x = g.transpose(x, (0, 1, 4, 2, 5, 3))
    else:
        x = g.reshape(x, (batch, channels, height // count, count, width // count, count))
        x = g.transpose(x, (0, 1, 3, 5, 2, 4))
    out = g.shape
    x = g.reshape(x, (out[0], out[3], out[1], out[2]) if last else out)
    return g.transpose(x, (0, 2, 3, 1)) if last else x


@writes("channel_shuffle")
def _channel_shuffle(g: Graph, x: Ref, groups: int, data_format: str) -> Ref:
    axis = x.ndim - 1 if data_format == "NHWC" else 1
    shape = list(x.extents)
    shape[axis : axis + 1] = [groups, shape[axis] // groups]
    order = list(range(len(shape)))
    order[axis], order[axis + 1] = axis + 1, axis
    return g.reshape(g.transpose(g.reshape(x, shape), order), x.extents)


@writes("diagonal")
def _diagonal(g: Graph, x: Ref, offset: int, axis1: int, axis2: int) -> Ref:
    first, second = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    rows, columns = known((x.extents[first], x.extents[second]), "the extents of a diagonal")
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    rest = [i for i in range(x.ndim) if i not in (first, second)]
    moved = g.transpose(x, [first, second, *rest])
    places = np.stack([np.arange(count) - min(offset, 0), np.arange(count) + max(offset, 0)], 1)
    picked = g.node("GatherND", moved, g.constant(places, np.int64))
    return g.node("Transpose", picked, perm=(*range(1, len(rest) + 1), 0))
