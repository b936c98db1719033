"""What all passes are written with: who uses what, and how new calls are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from proa.core import Op, ProgramError, Vjp, get_op

from .._control_flow import SubProgram
from .._program import Call, Program, Value, has_effect
from .._recorder import infer

#: How often a pass did what, in its own words.
Notes = dict[str, int]


def count(notes: Notes, what: str, times: int = 1) -> None:
    """Adds to a pass's notes."""
    if times:
        notes[what] = notes.get(what, 0) + times


@dataclass
class Graph:
    """Who makes and who uses each Value of a Program.

    Attributes:
        makers: the call that gives a Value.
        users: the calls that read a Value.
        outputs: Values that the Program gives.
        constants: the Program's constants.
        fixed: what is the same in every run: weights, and what is computed from them alone.
    """

    makers: dict[Value, Call] = field(default_factory=dict)
    users: dict[Value, list[Call]] = field(default_factory=dict)
    outputs: frozenset[Value] = frozenset()
    constants: Mapping[Value, np.ndarray] = field(default_factory=dict)
    fixed: set[Value] = field(default_factory=set)

    @classmethod
    def of(cls, program: Program) -> Graph:
        """Looks at all calls of a Program."""
        graph = cls(
            outputs=frozenset(program.outputs),
            constants=program.constants,
            fixed={*program.constants, *program.captures},
        )
        for call in program.calls:
            if call.inputs and all(v in graph.fixed for v in call.inputs) and is_plain(call):
                graph.fixed.update(call.outputs)
            for value in call.outputs:
                graph.makers[value] = call
            for value in call.inputs:
                graph.users.setdefault(value, []).append(call)
        return graph

    def is_private(self, call: Call, among: Sequence[Call]) -> bool:
        """Whether nobody but the calls `among` reads what a call gives."""
        inside = {id(each) for each in among}
        return all(
            v not in self.outputs and all(id(u) in inside for u in self.users.get(v, ()))
            for v in call.outputs
        )

    def is_weight(self, value: Value) -> bool:
        """Whether a Value is the same in every run."""
        return value in self.fixed

    def scalar(self, value: Value) -> float | None:
        """Returns the number that a constant of one element holds, or `None`."""
        array = self.constants.get(value)
        if array is None or array.size != 1 or not np.issubdtype(array.dtype, np.number):
            return None
        return float(np.asarray(array).reshape(()))


class Builder:
    """Makes a new list of calls, some of them other ones than before.

    Args:
        program: the Program that is rewritten; it stays as it is.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.constants = dict(program.constants)
        self.calls: list[Call] = []
        #: What stands now where a Value stood before.
        self.renamed: dict[Value, Value] = {}

    def now(self, value: Value) -> Value:
        """Returns what stands for a Value of the old Program."""
        return self.renamed.get(value, value)

    def keep(self, call: Call) -> None:
        """Takes a call over, with what its inputs have become."""
        inputs = tuple([self.now(v) for v in call.inputs])
        self.calls.append(call if inputs == call.inputs else replace(call, inputs=inputs))

    def constant(self, array: Any, name: str = "") -> Value:
        """Adds a constant."""
        made = np.asarray(array)
        value = Value(made.shape, made.dtype, name=name)
        self.constants[value] = made
        return value

    def call(
        self, op: str, *arrays: Any, like: Call | None = None, name: str = "", **attributes: Any
    ) -> Value:
        """Adds a call of a declared op with one output and returns that.

        Args:
            op: name of the op.
            arrays: per array parameter a Value, `None`, or a list of Values.
            like: the call that it stands for: where it is, and whether gradients flow.
            name: of the output.
            attributes: those that have no default, or another value.
        """
        (made,) = self.call_many(op, *arrays, like=like, name=name, **attributes)
        return made

    def call_many(
        self, op: str, *arrays: Any, like: Call | None = None, name: str = "", **attributes: Any
    ) -> tuple[Value, ...]:
        """As `call`, for an op with any number of outputs."""
        found: Any = get_op(op)
        inputs, key = call_key(found, arrays, attributes)
        shapes, is_tuple = infer(found, key, inputs)
        outputs = tuple([Value(shape, dtype, name=name) for shape, dtype in shapes])
        where = like.where if like is not None else ""
        flows = like.flows if like is not None else None
        if flows is not None:
            flows = (all(flows),) * len(inputs)
        self.calls.append(Call(found, inputs, key, outputs, is_tuple, where, flows))
        return outputs

    def finish(self, outputs: Sequence[Value] | None = None) -> Program:
        """Returns the new Program; outputs are those of the old one by default."""
        old = self.program
        given = [self.now(v) for v in old.outputs] if outputs is None else list(outputs)
        return Program(old.inputs, old.captures, self.constants, self.calls, given)


def call_key(op: Op, arrays: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, Any]:
    """Returns the flat inputs and the key of a call.

    Raises:
        ProgramError: an array or attribute is missing, or one too many.
    """
    given = [*arrays, *[None] * (len(op.arrays) - len(arrays))]
    unknown = set(attributes) - {p.name for p in op.attributes}
    missing = [p.name for p in op.attributes if p.required and p.name not in attributes]
    if unknown or missing or len(given) > len(op.arrays):
        raise ProgramError(
            f"a call of `{op.name}` with {len(arrays)} arrays and {sorted(attributes)}",
            expected=f"at most {len(op.arrays)} arrays, and the attributes "
            + ", ".join(p.name for p in op.attributes),
            fix="correct the pass that makes the call",
        )
    values = tuple([attributes.get(p.name, p.default) for p in op.attributes])
    flat: list[Value] = []
    layout: list[Any] = []
    for parameter, value in zip(op.arrays, given, strict=True):
        if parameter.kind == "sequence":
            flat += value or []
            layout.append(None if value is None else len(value))
        else:
            flat += [] if value is None else [value]
            layout.append(value is not None if parameter.kind == "optional" else True)
    return tuple(flat), (tuple(layout) if op.has_layout else None, values)


def with_attributes(call: Call, **attributes: Any) -> Call:
    """Returns a call of a declared op with some attributes changed."""
    op: Any = call.op
    layout, values = call.key
    changed = [
        attributes.get(p.name, value) for p, value in zip(op.attributes, values, strict=True)
    ]
    return replace(call, key=(layout, tuple(changed)))


def attribute(call: Call, name: str) -> Any:
    """Returns an attribute of a call of a declared op; `None` where it has no such one."""
    op = call.op
    if not isinstance(op, Op):
        return None
    names = [p.name for p in op.attributes]
    return call.key[1][names.index(name)] if name in names else None


def is_random(call: Call) -> bool:
    """Whether a call draws random numbers, in a gradient or a body maybe."""
    op: Any = call.op
    while isinstance(op, Vjp):
        op = op.primal
    if op.has_programs:
        return any(is_random(each) for program in sub_programs(call) for each in program.calls)
    # Keys for the draws that follow; they are arrays like others to the op that makes them.
    return getattr(op, "is_random", False) or op.name == "random_split"


def is_plain(call: Call) -> bool:
    """Whether a call only computes: the same inputs give the same outputs, and nothing else."""
    return not is_random(call) and not has_effect(call)


def sub_programs(call: Call) -> list[Program]:
    """Returns the Programs among a call's attributes."""
    if not call.op.has_programs:
        return []
    return [each.program for each in call.key if isinstance(each, SubProgram)]


def inline(builder: Builder, program: Program, inputs: Sequence[Value]) -> list[Value]:
    """Adds the calls of a Program on given inputs; returns its outputs.

    Its Values are made anew, since the Program may stand in more places than one.
    """
    known = dict(zip([*program.inputs, *program.captures], inputs, strict=True))
    for value, array in program.constants.items():
        known[value] = builder.constant(array, value.name)
    for call in program.calls:
        outputs = tuple([Value(v.shape, v.dtype, name=v.name) for v in call.outputs])
        given = tuple([known[v] for v in call.inputs])
        builder.calls.append(replace(call, inputs=given, outputs=outputs))
        known.update(zip(call.outputs, outputs, strict=True))
    return [known[v] for v in program.outputs]
