"""Weights as constants and back, and what follows from constants alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from proa.core import InvalidArgumentError, Op, Vjp, describe_array

from .._control_flow import CondOp
from .._dims import has_dimension
from .._program import Call, Program, Value, prune
from ._inside import KEPT
from ._pass import register_pass
from ._rewrite import Builder, Notes, count, inline, is_plain, sub_programs

#: Bytes that folding may always make; beyond, it makes no more than it takes.
_SMALL = 1 << 16


def bind(program: Program, arrays: Mapping[str, Any] | Sequence[Any]) -> Program:
    """Makes captures constants, so that passes can compute with them; nothing is copied.

    Args:
        program: the Program.
        arrays: one per capture, in order, or by name; captures that are not named stay.

    Returns:
        A Program without those captures.

    Raises:
        InvalidArgumentError: another number of arrays, or one of another shape or dtype.

    Examples:
        >>> import numpy as np
        >>> import proa
        >>> from proa.program import recording
        >>> from proa.program.passes import bind, lift_constants
        >>> weight = proa.ones([3])
        >>> with recording() as recorder:
        ...     x = recorder.add_input([3], np.float32, "x")
        ...     program, state = recorder.finish([x * weight])
        >>> bound = bind(program, [t.numpy() for t in state.captures])
        >>> len(bound.captures), len(bound.constants)
        (0, 1)
        >>> again, arrays = lift_constants(bound, larger_than=0)
        >>> len(again.captures), len(arrays)
        (1, 1)
    """
    if isinstance(arrays, Mapping):
        chosen = {v: arrays[v.name] for v in program.captures if v.name in arrays}
    else:
        if len(arrays) != len(program.captures):
            raise InvalidArgumentError(
                f"{len(arrays)} arrays for a Program with {len(program.captures)} captures",
                expected="one array per capture",
                fix="pass them in the order of program.captures, or by name",
            )
        chosen = dict(zip(program.captures, arrays, strict=True))
    constants = dict(program.constants)
    for value, given in chosen.items():
        array = np.asarray(given)
        if array.shape != value.shape or array.dtype != value.dtype:
            raise InvalidArgumentError(
                f"the array for capture `{value.name}` is {describe_array(array)}",
                expected=repr(value),
                fix="pass the weights that the Program was recorded with",
            )
        constants[value] = array
    captures = [v for v in program.captures if v not in chosen]
    calls = [_flowing(call, chosen) for call in program.calls]
    return replace(program, captures=captures, constants=constants, calls=calls)


def _flowing(call: Call, constants: Mapping[Value, Any]) -> Call:
    """Forgets whether gradients flow back to constants, which have none in any case."""
    if call.flows is None:
        return call
    flows = tuple([f or v in constants for v, f in zip(call.inputs, call.flows, strict=True)])
    return replace(call, flows=None if all(flows) else flows)


def lift_constants(
    program: Program, larger_than: int = KEPT
) -> tuple[Program, dict[str, np.ndarray]]:
    """Makes large constants captures again: XLA does not embed them, files keep them apart.

    Args:
        program: the Program.
        larger_than: bytes; smaller constants stay.

    Returns:
        The Program, and the arrays of its new captures by name, in their order. Each such
        Value has the name of its array.
    """
    arrays: dict[str, np.ndarray] = {}
    lifted: dict[Value, Value] = {}
    taken = {v.name for v in program.captures}
    for value, array in program.constants.items():
        if array.nbytes <= larger_than:
            continue
        name = value.name or "constant"
        number = 0
        while name in taken:
            number += 1
            name = f"{value.name or 'constant'}_{number}"
        taken.add(name)
        arrays[name] = array
        lifted[value] = Value(value.shape, value.dtype, name=name)
    if not lifted:
        return program, {}
    builder = Builder(program)
    builder.renamed.update(lifted)
    for call in program.calls:
        builder.keep(call)
    made = builder.finish()
    made.captures = [*program.captures, *lifted.values()]
    made.constants = {v: a for v, a in program.constants.items() if v not in lifted}
    return made, arrays


@register_pass("constant_folding")
def constant_folding(program: Program, largest: int = _SMALL) -> tuple[Program, Notes]:
    """Computes what follows from constants alone, and takes branches that are known.

    Args:
        program: the Program; `bind` makes its weights constants.
        largest: bytes that the result of a call may have where it is larger than all that
            it is computed from.
    """
    notes: Notes = {}
    while True:
        program = _folded(program, largest, notes)
        taken = _take_branches(program, notes)
        if taken is program:
            return program, notes
        program = taken


def _folded(program: Program, largest: int, notes: Notes) -> Program:
    folded = _foldable(program, largest)
    if not folded:
        return program
    calls = [call for call in program.calls if id(call) in folded]
    rest = [call for call in program.calls if id(call) not in folded]
    used = {v for call in rest for v in call.inputs} | set(program.outputs)
    wanted = [v for call in calls for v in call.outputs if v in used]
    constants = dict(program.constants)
    constants.update(_evaluate(program, calls, wanted))
    count(notes, "calls on constants computed", len(folded))
    return prune(replace(program, constants=constants, calls=rest))


def _evaluate(program: Program, calls: list[Call], wanted: list[Value]) -> dict[Value, np.ndarray]:
    needed = prune(Program([], [], program.constants, calls, wanted))
    given = list(needed.constants)
    # As arguments: XLA would embed constants in what it compiles, and compute with them there.
    function = Program(given, [], {}, needed.calls, wanted).function()
    arrays = [needed.constants[v] for v in given]
    with jax.default_device(jax.devices("cpu")[0]):
        # It runs once: the time to compile is all that counts.
        quickly: Any = {"xla_backend_optimization_level": 0}
        results = jax.jit(function).lower(*arrays).compile(compiler_options=quickly)(*arrays)
    return {v: np.asarray(a) for v, a in zip(wanted, results, strict=True)}


def _foldable(program: Program, largest: int) -> set[int]:
    """Returns the ids of calls that depend on constants only and give little."""
    known = set(program.constants)
    size = {v: a.nbytes for v, a in program.constants.items()}
    folded: set[int] = set()
    for call in program.calls:
        if not _is_computed_once(call) or not all(v in known for v in call.inputs):
            continue
        made = [_nbytes(v) for v in call.outputs]
        if any(n is None for n in made) or has_dimension(call.key):
            continue
        total = sum(n or 0 for n in made)
        if total > max(largest, sum(size[v] for v in dict.fromkeys(call.inputs))):
            continue
        folded.add(id(call))
        known.update(call.outputs)
        size.update({v: n or 0 for v, n in zip(call.outputs, made, strict=True)})
    return folded


def _is_computed_once(call: Call) -> bool:
    op = call.op
    known = isinstance(op, Op | Vjp) and op.jit and op.name != "with_sharding"
    return known and is_plain(call)


def _nbytes(value: Value) -> int | None:
    if has_dimension(value.shape):
        return None
    return int(np.prod(value.shape, dtype=np.int64)) * value.dtype.itemsize


def _take_branches(program: Program, notes: Notes) -> Program:
    """Replaces branches on constants by the side that runs."""
    if not any(_known_condition(program, call) is not None for call in program.calls):
        return program
    builder = Builder(program)
    for call in program.calls:
        condition = _known_condition(program, call)
        if condition is None:
            builder.keep(call)
            continue
        taken = sub_programs(call)[0 if condition else 1]
        outputs = inline(builder, taken, [builder.now(v) for v in call.inputs[1:]])
        builder.renamed.update(zip(call.outputs, outputs, strict=True))
        count(notes, "branches on a constant taken")
    return prune(builder.finish())


def _known_condition(program: Program, call: Call) -> bool | None:
    if not isinstance(call.op, CondOp) or call.inputs[0] not in program.constants:
        return None
    return bool(np.asarray(program.constants[call.inputs[0]]).reshape(()))
