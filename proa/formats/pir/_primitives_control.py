"""Paddle ops for JAX's primitives: loops, branches, and parts whose places are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._basic import (
    binary,
    cast,
    concat,
    cut,
    full,
    known,
    reshape,
    transpose,
    with_number,
)
from ._graph import Graph, Out, Unwritable
from ._primitives import primitive, run


def _flag(g: Graph, x: Out) -> Out:
    return reshape(g, cast(g, x, np.bool_), ())


@primitive("cond")
def _cond(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    platforms = p.get("branches_platforms")
    if platforms is not None:
        # A choice by the kind of device, made when a file is written: what all of them can do.
        chosen = next(i for i, each in enumerate(platforms) if each is None or "cpu" in each)
        branch = p["branches"][chosen]
        return run(g, branch.jaxpr, branch.consts, x[1:])
    if len(p["branches"]) != 2:
        raise Unwritable("a choice among more than two branches")
    blocks = []
    for branch in reversed(p["branches"]):
        with g.block() as ops:
            ends = run(g, branch.jaxpr, branch.consts, x[1:])
        blocks.append(([], ops, ends))
    specs = [(o.shape, o.dtype) for o in outs]
    return g.structured("if", [_flag(g, x[0])], blocks, specs)


@primitive("while")
def _while(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    of_test, of_body = p["cond_nconsts"], p["body_nconsts"]
    test_held, body_held = x[:of_test], x[of_test : of_test + of_body]
    test, body = p["cond_jaxpr"], p["body_jaxpr"]
    return g.loop(
        x[of_test + of_body :],
        lambda now: _flag(g, run(g, test.jaxpr, test.consts, [*test_held, *now])[0]),
        lambda now: run(g, body.jaxpr, body.consts, [*body_held, *now]),
    )


@primitive("scan")
def _scan(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    """A loop that counts: it takes a row of each input, and puts a row into each output."""
    held, state = x[: p["num_consts"]], x[p["num_consts"] :][: p["num_carry"]]
    rows = x[p["num_consts"] + p["num_carry"] :]
    body, count = p["jaxpr"], len(state)
    length = g.dimension(p["length"])
    made = [full(g, o.shape, 0, o.dtype) for o in outs[count:]]
    start = g.full((1,), 0, np.int64)

    def turn(now: Sequence[Out]) -> list[Out]:
        index, carried, filled = now[0], now[1 : count + 1], now[count + 1 :]
        place = index
        if p["reverse"]:
            place = binary(g, "subtract", with_number(g, "subtract", length, 1), index)
        parts = [_row(g, r, place) for r in rows]
        ends = run(g, body.jaxpr, body.consts, [*held, *carried, *parts])
        put = [_put_row(g, f, place, e) for f, e in zip(filled, ends[count:], strict=True)]
        return [with_number(g, "add", index, 1), *ends[:count], *put]

    def goes_on(now: Sequence[Out]) -> Out:
        return _flag(g, binary(g, "less_than", now[0], length, np.bool_))

    return g.loop([start, *state, *made], goes_on, turn)[1:]


def _row(g: Graph, x: Out, place: Out) -> Out:
    part = g.call("index_select", x, place, axis=0, out=((1, *x.shape[1:]), x.dtype))
    return reshape(g, part, x.shape[1:])


def _put_row(g: Graph, x: Out, place: Out, row: Out) -> Out:
    update = reshape(g, row, (1, *row.shape))
    return g.call("index_put", x, [place], update, accumulate=False, out=(x.shape, x.dtype))


def _starts(g: Graph, x: Out, places: Sequence[Out], sizes: Sequence[Any]) -> Out:
    """Where a window begins on each axis: inside, as JAX has it."""
    found = []
    for axis, (place, size) in enumerate(zip(places, sizes, strict=True)):
        place = reshape(g, cast(g, place, np.int64), (1,))
        last = g.dimension(x.shape[axis] - size)
        place = binary(g, "minimum", with_number(g, "maximum", place, 0), last)
        found.append(place)
    return concat(g, found, 0)


def _window(g: Graph, x: Out, places: Sequence[Out], sizes: Sequence[Any]) -> dict[str, Any]:
    starts = _starts(g, x, places, sizes)
    ends = binary(g, "add", starts, g.integers(sizes))
    return {"starts": starts, "ends": ends, "axes": list(range(x.ndim))}


@primitive("dynamic_slice")
def _dynamic_slice(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    operand, sizes = x[0], p["slice_sizes"]
    if not operand.ndim:
        return operand
    places = x[1 : 1 + operand.ndim]
    return g.call(
        "slice", operand, infer_flags=[-1] * operand.ndim, decrease_axis=[],
        out=(outs[0].shape, operand.dtype), **_window(g, operand, places, sizes),
    )  # fmt: skip


@primitive("dynamic_update_slice")
def _dynamic_update_slice(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    operand, update = x[:2]
    if not operand.ndim:
        return update
    return g.call(
        "set_value_with_tensor", operand, update, steps=[1] * operand.ndim, decrease_axes=[],
        none_axes=[], out=(operand.shape, operand.dtype),
        **_window(g, operand, x[2:], update.shape),
    )  # fmt: skip


@primitive("scatter", "scatter-add", "scatter_add")
def _scatter(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    """Whole slices written to places of some axes: what an assignment at arrays becomes."""
    operand, indices, updates = x
    numbers = p["dimension_numbers"]
    places = list(numbers.scatter_dims_to_operand_dims)
    window = list(numbers.update_window_dims)
    others = [i for i in range(operand.ndim) if i not in places]
    simple = sorted(numbers.inserted_window_dims) == sorted(places)
    if not simple or numbers.operand_batching_dims:
        raise Unwritable("windows that are written")
    sizes = [updates.shape[i] for i in window]
    if sizes != [operand.shape[i] for i in others]:
        raise Unwritable("windows that are written")
    batch = [i for i in range(updates.ndim) if i not in window]
    updates = transpose(g, updates, [*batch, *window])
    moved = transpose(g, operand, [*places, *others])
    last = len(indices.shape) - 1
    rows = [
        cast(g, reshape(g, cut(g, indices, last, k, k + 1), indices.shape[:-1]), np.int64)
        for k in range(len(places))
    ]
    if not last:
        rows = [reshape(g, row, (1,)) for row in rows]
        updates = reshape(g, updates, (1, *updates.shape))
    # The update function of a plain write gives its second argument.
    accumulate = p.get("update_jaxpr") is not None and bool(p["update_jaxpr"].eqns)
    made = g.call(
        "index_put", moved, rows, updates, accumulate=accumulate, out=(moved.shape, moved.dtype)
    )
    order = [*places, *others]
    return transpose(g, made, [order.index(i) for i in range(operand.ndim)])


@primitive("top_k")
def _top_k(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    specs = [(outs[0].shape, outs[0].dtype), (outs[1].shape, np.int64)]
    axis = p.get("axis", -1) % x[0].ndim
    best, places = g.call("topk", x[0], k=p["k"], axis=axis, largest=True, sorted=True, out=specs)
    return [best, cast(g, places, outs[1].dtype)]


@primitive("sort")
def _sort(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    if p["num_keys"] != 1:
        raise Unwritable("an order by several keys")
    key, axis = x[0], p["dimension"]
    specs = [(key.shape, key.dtype), (key.shape, np.int64)]
    ordered, places = g.call("argsort", key, axis=axis, descending=False, stable=True, out=specs)
    others = [
        g.call("take_along_axis", v, places, axis=axis, out=(v.shape, v.dtype)) for v in x[1:]
    ]
    return [ordered, *others]


@primitive("platform_index")
def _platform_index(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    return g.full((), 0, outs[0].dtype)


@primitive("svd")
def _svd(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    operand = x[0]
    rows, columns = operand.shape[-2:]
    least = min(known(rows, "the size of a matrix"), known(columns, "the size of a matrix"))
    lead, whole = operand.shape[:-2], p["full_matrices"] and p["compute_uv"]
    specs = [
        ((*lead, rows, rows if whole else least), operand.dtype),
        ((*lead, least), outs[0].dtype),
        ((*lead, columns if whole else least, columns), operand.dtype),
    ]
    u, values, v = g.call("svd", operand, full_matrices=whole, out=specs)
    return [values, u, v] if p["compute_uv"] else [values]


@primitive("eigh")
def _eigh(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    specs = [(outs[1].shape, outs[1].dtype), (outs[0].shape, outs[0].dtype)]
    values, vectors = g.call("eigh", x[0], UPLO="L" if p["lower"] else "U", out=specs)
    return [vectors, values]


@primitive("qr")
def _qr(g: Graph, x: Any, p: Any, outs: Any) -> list[Out]:
    mode = "complete" if p["full_matrices"] else "reduced"
    return g.call("qr", x[0], mode=mode, out=[(o.shape, o.dtype) for o in outs])


@primitive("complex")
def _complex(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    return g.call("complex", *x, out=(outs[0].shape, outs[0].dtype))


@primitive("real")
def _real(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    return g.call("real", x[0], out=(outs[0].shape, outs[0].dtype))


@primitive("imag")
def _imag(g: Graph, x: Any, p: Any, outs: Any) -> Out:
    return g.call("imag", x[0], out=(outs[0].shape, outs[0].dtype))
