"""Running a Program one op at a time, so that checks and messages are about single ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import ProaError, Tensor, alias, context, dispatch, located_at, new_tensor

from ._dims import bind_sizes, substitute
from ._program import Call, Program

#: What is told of each call: the call and its inputs before it, with its outputs after it.
Watch = Callable[[Call, Sequence[Tensor], Sequence[Tensor] | None], None]


def run_stepwise(
    program: Program, tensors: Sequence[Tensor], watch: Watch | None = None
) -> list[Tensor]:
    """Dispatches the calls of a Program one after the other.

    Checks that need values (indices, labels, NaN and Inf) look at each op, and messages name
    the line of the user's code that was recorded.

    Args:
        program: the Program.
        tensors: its inputs and captures.
        watch: is told of each call, before and after.

    Returns:
        Its outputs.
    """
    given = [*program.inputs, *program.captures]
    names = [v.name or f"input {i}" for i, v in enumerate(given)]
    sizes = bind_sizes([v.shape for v in given], [t._data for t in tensors], names)
    known: dict[Any, Tensor] = dict(zip(given, tensors, strict=True))
    as_array = jax.numpy.asarray if context.recorder is None else np.asarray
    known.update({v: new_tensor(as_array(a)) for v, a in program.constants.items()})
    for call in program.calls:
        flows = call.flows or (True,) * len(call.inputs)
        inputs = [
            known[v] if flow else alias(known[v])
            for v, flow in zip(call.inputs, flows, strict=True)
        ]
        if watch is not None:
            watch(call, inputs, None)
        try:
            with located_at(call.where or context.location):
                out = dispatch(call.op, tuple(inputs), substitute(call.key, sizes))
        except ProaError as error:
            error.add_note(f"in op `{call.op.name}` at {call.where} of a compiled function")
            raise
        made = out if call.is_tuple else (out,)
        if watch is not None:
            watch(call, inputs, made)
        known.update(zip(call.outputs, made, strict=True))
    return [known[v] for v in program.outputs]
