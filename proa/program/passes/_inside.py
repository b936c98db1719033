"""A pass inside branches, loops and regions: the one way that all passes go there.

What is constant outside is constant inside as long as the pass works, so that it can compute with
it; afterwards it is an input again. Large arrays that a pass makes inside become constants
outside, which a file keeps apart and XLA does not embed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._control_flow import CondOp, SubProgram, WhileOp
from .._program import Call, Program, Value
from .._region import REGION
from ._rewrite import Notes, count, sub_programs

#: Constants up to this many bytes stay where they are.
KEPT = 1 << 10

Function = Callable[..., tuple[Program, Notes]]


def descending(function: Function, *, regions: bool) -> Function:
    """Returns a pass that also rewrites the Programs in branches and loops, at any depth.

    Args:
        function: the pass for one Program.
        regions: whether it goes into regions too.
    """

    @functools.wraps(function)
    def everywhere(program: Program, *args: Any, **options: Any) -> tuple[Program, Notes]:
        made, found = function(program, *args, **options)
        notes = dict(found)
        calls, constants = [], {}

        def inner(each: Program) -> Program:
            rewritten, more = everywhere(each, *args, **options)
            for what, times in more.items():
                count(notes, what, times)
            return rewritten

        for call in made.calls:
            if call.op.has_programs and (regions or call.op is not REGION):
                call, new = _rewritten(call, made.constants, inner)
                constants.update(new)
            calls.append(call)
        if all(a is b for a, b in zip(calls, made.calls, strict=True)):
            return made, notes
        return replace(made, calls=calls, constants={**made.constants, **constants}), notes

    return everywhere


def _rewritten(
    call: Call, constants: Mapping[Value, np.ndarray], inner: Callable[[Program], Program]
) -> tuple[Call, dict[Value, np.ndarray]]:
    """Rewrites the Programs of a call; returns it and what became constant outside."""
    first = 1 if isinstance(call.op, CondOp) else 0
    state = call.key[2] if isinstance(call.op, WhileOp) else 0
    known = {
        i: constants[value]
        for i, value in enumerate(call.inputs[first:])
        if i >= state and value in constants
    }
    before = sub_programs(call)
    if any(len(p.inputs) != len(call.inputs) - first for p in before):
        return call, {}
    after = [_with_known(p, known, inner) for p in before]
    if all(a is b for a, b in zip(after, before, strict=True)):
        return call, {}
    outer: dict[Value, np.ndarray] = {}
    for place, program in enumerate(after):
        for value, array in list(program.constants.items()):
            if value in before[place].constants or array.nbytes <= KEPT:
                continue
            outer[Value(value.shape, value.dtype, name=value.name)] = array
            after = [_with_input(p, value, p is program) for p in after]
            program = after[place]
    made = iter(after)
    key = tuple(
        [SubProgram(next(made), e.sizes) if isinstance(e, SubProgram) else e for e in call.key]
    )
    flows = None if call.flows is None else (*call.flows, *[True] * len(outer))
    return replace(call, key=key, inputs=(*call.inputs, *outer), flows=flows), outer


def _with_known(
    program: Program, known: Mapping[int, np.ndarray], inner: Callable[[Program], Program]
) -> Program:
    """Rewrites a Program some of whose inputs are constants."""
    # What this one of the call's Programs does not read is no constant of it.
    read = {v for call in program.calls for v in call.inputs} | set(program.outputs)
    places = ((program.inputs[i], array) for i, array in known.items())
    held = {value: array for value, array in places if value in read}
    given = [v for v in program.inputs if v not in held]
    bound = replace(program, inputs=given, constants={**program.constants, **held})
    made = inner(bound)
    if made is bound:
        return program
    rest = {v: a for v, a in made.constants.items() if v not in held}
    return replace(made, inputs=program.inputs, constants=rest)


def _with_input(program: Program, value: Value, is_own: bool) -> Program:
    """Makes a constant of one Program of a call an input of all of them."""
    given = value if is_own else Value(value.shape, value.dtype, name=value.name)
    rest = {v: a for v, a in program.constants.items() if v is not given}
    return replace(program, inputs=[*program.inputs, given], constants=rest)
