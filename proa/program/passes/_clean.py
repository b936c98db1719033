"""Passes that fit any Program: dead code, common subexpressions, what changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from proa.core import Op

from .._control_flow import CondOp, SubProgram
from .._program import Call, Program, Value, prune
from .._region import RegionOp
from ._pass import register_pass
from ._rewrite import (
    Builder,
    Graph,
    Notes,
    attribute,
    count,
    is_plain,
    sub_programs,
)


@register_pass("dead_code")
def dead_code(program: Program) -> tuple[Program, Notes]:
    """Drops calls, constants, and results of branches that no output needs."""
    notes: Notes = {}
    return _without_dead(program, notes), notes


def _without_dead(program: Program, notes: Notes) -> Program:
    program = _trimmed(program, notes)
    made = prune(program)
    count(notes, "calls dropped", len(program.calls) - len(made.calls))
    count(notes, "constants dropped", len(program.constants) - len(made.constants))
    is_same = made.calls == program.calls and len(made.constants) == len(program.constants)
    return program if is_same else made


def _trimmed(program: Program, notes: Notes) -> Program:
    """Drops outputs of branches and regions that nobody reads, and inputs that they do not."""
    graph, calls, changed = Graph.of(program), [], False
    for call in program.calls:
        if isinstance(call.op, CondOp | RegionOp):
            trimmed = _trim(call, graph)
            count(notes, "results of a branch or region dropped", int(trimmed is not call))
            changed = changed or trimmed is not call
            call = trimmed
        calls.append(call)
    return replace(program, calls=calls) if changed else program


def _trim(call: Call, graph: Graph) -> Call:
    wanted = [i for i, v in enumerate(call.outputs) if graph.users.get(v) or v in graph.outputs]
    first = 1 if isinstance(call.op, CondOp) else 0
    inner = [prune(replace(p, outputs=[p.outputs[i] for i in wanted])) for p in sub_programs(call)]
    read = [{v for c in p.calls for v in c.inputs} | set(p.outputs) for p in inner]
    given = [
        i
        for i in range(len(inner[0].inputs))
        if any(p.inputs[i] in used for p, used in zip(inner, read, strict=True))
    ]
    if len(wanted) == len(call.outputs) and len(given) == len(inner[0].inputs):
        return call
    made = iter([replace(p, inputs=[p.inputs[i] for i in given]) for p in inner])
    key = tuple(
        [SubProgram(next(made), e.sizes) if isinstance(e, SubProgram) else e for e in call.key]
    )
    chosen = [*range(first), *[first + i for i in given]]
    flows = None if call.flows is None else tuple([call.flows[i] for i in chosen])
    return replace(
        call,
        key=key,
        inputs=tuple([call.inputs[i] for i in chosen]),
        outputs=tuple([call.outputs[i] for i in wanted]),
        flows=flows,
    )


@register_pass("common_subexpressions")
def common_subexpressions(program: Program) -> tuple[Program, Notes]:
    """Computes once what is computed twice; never random numbers or effects."""
    notes: Notes = {}
    return _merged(program, notes), notes


def _merged(program: Program, notes: Notes) -> Program:
    builder = Builder(program)
    seen_arrays: dict[Any, Value] = {}
    for value, array in program.constants.items():
        # Weights keep their names, though some be equal as long as nobody has trained them.
        known = value if value.name else seen_arrays.setdefault(_array_key(array), value)
        if known is not value:
            builder.renamed[value] = known
            count(notes, "equal constants merged")
    seen: dict[Any, Call] = {}
    for call in program.calls:
        inputs = tuple([builder.now(v) for v in call.inputs])
        known = seen.get((call.op, call.key, inputs, call.flows)) if is_plain(call) else None
        if known is None:
            builder.keep(call)
            seen[call.op, call.key, inputs, call.flows] = builder.calls[-1]
            continue
        builder.renamed.update(zip(call.outputs, known.outputs, strict=True))
        count(notes, "calls merged")
    return prune(builder.finish()) if builder.renamed else program


def _array_key(array: np.ndarray) -> Any:
    """Large arrays are equal if they are the same one; small ones by their bytes."""
    if array.nbytes > 1024:
        return id(array)
    return array.dtype, array.shape, np.ascontiguousarray(array).tobytes()


Rule = Callable[[Call, Graph, Builder], "tuple[Value, str] | None"]


@register_pass("identity_and_dropout_removal")
def identity_and_dropout_removal(program: Program, inference: bool = True) -> tuple[Program, Notes]:
    """Drops what changes nothing: dropout at inference, casts, reshapes and transposes.

    Args:
        program: the Program.
        inference: whether the Program is used for inference, where dropout keeps everything.
    """
    notes: Notes = {}
    return _without_identities(program, inference, notes), notes


def _without_identities(program: Program, inference: bool, notes: Notes) -> Program:
    while True:
        graph, builder = Graph.of(program), Builder(program)
        for call in program.calls:
            made = _simpler(call, graph, builder, inference)
            if made is None:
                builder.keep(call)
                continue
            value, what = made
            builder.renamed[call.outputs[0]] = value
            count(notes, what)
        if not builder.renamed:
            return program
        program = prune(builder.finish())


def _simpler(
    call: Call, graph: Graph, builder: Builder, inference: bool
) -> tuple[Value, str] | None:
    """Returns the Value that may stand for the result of a call, and why."""
    if not isinstance(call.op, Op) or len(call.outputs) != 1:
        return None
    if call.flows is not None and not all(call.flows):
        return None
    name, output = call.op.name, call.outputs[0]
    if name in _DROPOUT:
        return _without_dropout(call, graph, builder, inference)
    if not call.inputs:
        return None
    same = (call.inputs[0].shape, call.inputs[0].dtype) == (output.shape, output.dtype)
    x = builder.now(call.inputs[0])
    if same and _is_identity(call, graph):
        return x, _IDENTITY.get(name, "calls that change nothing")
    inner = graph.makers.get(call.inputs[0])
    if inner is None or (inner.flows is not None and not all(inner.flows)):
        return None
    make = _PAIRS.get(name)
    return None if make is None else make(call, inner, builder)


_IDENTITY = {
    "cast": "casts to the same dtype",
    "reshape": "reshapes to the same shape",
    "transpose": "transposes that move nothing",
}
_COPIES = frozenset({"assign", "clone", "positive"})
#: Ops that give their input back wherever the shape stays the same.
_SHAPERS = frozenset(
    {
        *("cast", "reshape", "flatten", "squeeze", "unsqueeze", "unflatten"),
        *("expand", "expand_as", "broadcast_to", "reduce_as"),
    }
)
#: Ops with a number that changes nothing.
_NEUTRAL = {"multiply": 1.0, "divide": 1.0, "subtract": 0.0}


def _is_identity(call: Call, graph: Graph) -> bool:
    name = call.op.name
    if name in _COPIES or name in _SHAPERS:
        return True
    if name == "transpose":
        rank = len(call.outputs[0].shape)
        return [p % rank for p in attribute(call, "perm")] == list(range(rank))
    if name == "concat":
        return len(call.inputs) == 1
    if name in ("tile", "pad"):
        numbers = attribute(call, "repeat_times" if name == "tile" else "pad")
        return all(type(n) is int and n == (1 if name == "tile" else 0) for n in numbers)
    if name in _NEUTRAL:
        return graph.scalar(call.inputs[1]) == _NEUTRAL[name]
    if name == "scale":
        return (graph.scalar(call.inputs[1]), graph.scalar(call.inputs[2])) == (1.0, 0.0)
    return False


def _join_transposes(call: Call, inner: Call, builder: Builder) -> tuple[Value, str] | None:
    if inner.op.name != "transpose":
        return None
    rank = len(call.outputs[0].shape)
    first = [p % rank for p in attribute(inner, "perm")]
    joined = tuple([first[p % rank] for p in attribute(call, "perm")])
    x = builder.now(inner.inputs[0])
    if joined == tuple(range(rank)):
        return x, "transposes that undo each other"
    return builder.call("transpose", x, like=call, perm=joined), "transposes joined"


def _join_reshapes(call: Call, inner: Call, builder: Builder) -> tuple[Value, str] | None:
    if inner.op.name not in _RESHAPES:
        return None
    x, wanted = builder.now(inner.inputs[0]), call.outputs[0].shape
    if x.shape == wanted:
        return x, "reshapes that undo each other"
    if any(type(extent) is int and extent == 0 for extent in wanted):
        return None
    return builder.call("reshape", x, like=call, shape=wanted), "reshapes joined"


def _join_casts(call: Call, inner: Call, builder: Builder) -> tuple[Value, str] | None:
    if inner.op.name != "cast":
        return None
    x = builder.now(inner.inputs[0])
    # Only a way over a wider dtype gives every value back.
    if x.dtype != call.outputs[0].dtype or not _holds(inner.outputs[0].dtype, x.dtype):
        return None
    return x, "casts that undo each other"


def _holds(wide: Any, narrow: Any) -> bool:
    if {wide.kind, narrow.kind} & {"V"}:
        return str(narrow) == "bfloat16" and str(wide) in ("float32", "float64")
    return bool(np.can_cast(narrow, wide, "safe"))


_RESHAPES = frozenset({"reshape", "flatten", "squeeze", "unsqueeze", "unflatten"})
_PAIRS = {
    "transpose": _join_transposes,
    "cast": _join_casts,
    **dict.fromkeys(_RESHAPES, _join_reshapes),
}
_DROPOUT = frozenset({"drop", "alpha_drop", "attention_dropout"})


def _without_dropout(
    call: Call, graph: Graph, builder: Builder, inference: bool
) -> tuple[Value, str] | None:
    what = "dropout that keeps everything"
    if call.op.name == "attention_dropout":
        if not inference and attribute(call, "dropout_p"):
            return None
        given = call.arguments()
        arrays = [given[n] and builder.now(given[n]) for n in _ATTENTION]
        rest = {n: given[n] for n in ("is_causal", "scale", "enable_gqa", "softcap", "also")}
        return builder.call("attention", *arrays, like=call, **rest), what
    x = builder.now(call.inputs[1])
    if call.op.name == "alpha_drop":
        return (x, what) if inference else None
    p = graph.scalar(call.inputs[2])
    if not inference and p != 0:
        return None
    if attribute(call, "upscale") or p == 0:
        return x, what
    if p is None:
        return None
    kept = builder.constant(np.asarray(1 - p, x.dtype))
    return builder.call("multiply", x, kept, like=call), "dropout that scales"


_ATTENTION = ("query", "key", "value", "attn_mask")
