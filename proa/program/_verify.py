"""The Program's grammar, checked after recording and after each pass."""

from __future__ import annotations

from typing import Any

from proa.core import Op, ProgramError, define_flag

from ._control_flow import SubProgram
from ._program import Call, Program, Value
from ._recorder import infer

define_flag("FLAGS_verify_program", False)


def _fail(call: Call | None, what: str, expected: str) -> ProgramError:
    where = f" in call `{call}`" if call is not None else ""
    return ProgramError(
        f"the Program breaks its grammar{where}: {what}",
        expected=expected,
        fix="this is a defect of the pass or importer that made the Program: report it",
    )


def _check_key(call: Call) -> None:
    op = call.op
    if not isinstance(op, Op):
        return
    if not (isinstance(call.key, tuple) and len(call.key) == 2):
        raise _fail(call, f"key {call.key!r}", "a pair (layout, attributes)")
    layout, attributes = call.key
    if len(attributes) != len(op.attributes):
        names = ", ".join(p.name for p in op.attributes)
        raise _fail(call, f"{len(attributes)} attributes", f"one each for ({names})")
    wanted = len(op.arrays)
    if layout is not None:
        wanted = sum(e if type(e) is int else bool(e) for e in layout)
    if len(call.inputs) != wanted:
        raise _fail(call, f"{len(call.inputs)} inputs", f"{wanted} inputs")


def verify(program: Program, *, trace: bool = True) -> Program:
    """Checks a Program and returns it.

    Every input of a call is defined before it, nothing is defined twice, each call has the
    attributes of its op, and the recorded shapes and dtypes are what the op gives.

    Args:
        program: the Program.
        trace: whether to compare shapes and dtypes, for which each op is traced.

    Raises:
        ProgramError: which call breaks which rule.
    """
    defined: set[Value] = set()

    def define(values: Any, call: Call | None) -> None:
        for value in values:
            if value in defined:
                raise _fail(call, f"{value} is defined twice", "one definition per Value")
            defined.add(value)

    define(program.inputs, None)
    define(program.captures, None)
    define(program.constants, None)
    for value, array in program.constants.items():
        if tuple(array.shape) != value.shape or array.dtype != value.dtype:
            raise _fail(None, f"constant {value} holds {array.dtype}{array.shape}", repr(value))
    for call in program.calls:
        for value in call.inputs:
            if value not in defined:
                raise _fail(call, f"{value} is used before it is defined", "calls in order")
        _check_key(call)
        for attribute in call.key if call.op.has_programs else ():
            if isinstance(attribute, SubProgram):
                verify(attribute.program, trace=trace)
        if trace:
            shapes, is_tuple = infer(call.op, call.key, call.inputs, trace=True)
            recorded = tuple([(v.shape, v.dtype) for v in call.outputs])
            if is_tuple != call.is_tuple or shapes != recorded:
                raise _fail(call, f"outputs are {recorded}", f"{shapes}, as the op infers")
        define(call.outputs, call)
    for value in program.outputs:
        if value not in defined:
            raise _fail(None, f"output {value} is never defined", "outputs that a call defines")
    return program
