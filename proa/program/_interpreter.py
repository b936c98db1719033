"""Interpretation: a Program as a pure function of arrays, to be traced by JAX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import jax

from proa.core import ProgramError, Vjp, pull_cotangents

from ._dims import bind_sizes, has_dimension, substitute

if TYPE_CHECKING:
    from ._program import Call, Program, Value


class Interpreter:
    """Computes a Program's outputs from arrays (or tracers), call by call.

    A call whose gradient is a call of the same Program is traced once for both: its pullback
    is kept for the gradient. The same numbers would come from tracing it again, but in a
    program that takes longer to trace and to compile.

    Args:
        program: the Program.
        as_taped: see `Program.function`.
        sizes: of dimensions that the inputs do not tell, for the body of a branch or loop.
    """

    def __init__(
        self, program: Program, as_taped: bool, sizes: Mapping[str, Any] | None = None
    ) -> None:
        self.program, self.as_taped, self.sizes = program, as_taped, sizes
        self.names = [v.name or f"input {i}" for i, v in enumerate(program.inputs)]
        self.names += [v.name or f"captured {i}" for i, v in enumerate(program.captures)]
        self.given = [*program.inputs, *program.captures]
        self.needs_sizes = any(has_dimension(v.shape) for v in self.given)
        #: Per gradient call, the call it is the gradient of; per such call, the positions.
        self.primals, self.wanted = ({}, {}) if as_taped else _pair_gradients(program)

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Returns the outputs.

        Raises:
            ProgramError: another number of arrays.
            InvalidArgumentError: a shape that does not fit.
        """
        program = self.program
        if len(arrays) != len(self.given):
            raise ProgramError(
                f"a Program of {len(self.given)} inputs was given {len(arrays)}",
                expected=f"{len(program.inputs)} inputs and {len(program.captures)} captures",
                fix="pass one array per input",
            )
        sizes: dict[str, Any] = dict(self.sizes or {})
        if self.needs_sizes and not sizes:
            sizes = bind_sizes([v.shape for v in self.given], arrays, self.names)
        # Host arrays become JAX's, which op functions are written for.
        known: dict[Value, Any] = {
            value: jax.numpy.asarray(array) for value, array in zip(self.given, arrays, strict=True)
        }
        known.update({v: jax.numpy.asarray(a) for v, a in program.constants.items()})
        pulls: dict[int, tuple[Any, Any]] = {}
        for number, call in enumerate(program.calls):
            out = self._run(number, call, known, sizes, pulls)
            if call.is_tuple:
                known.update(zip(call.outputs, out, strict=True))
            else:
                known[call.outputs[0]] = out
        return tuple([known[v] for v in program.outputs])

    def _run(
        self, number: int, call: Call, known: dict[Value, Any], sizes: Any, pulls: dict[int, Any]
    ) -> Any:
        given = [known[v] for v in call.inputs]
        primal = self.primals.get(number)
        if primal is not None:
            pull, outputs = pulls[primal]
            _, count, _, mask = call.key
            return pull_cotangents(pull, outputs, tuple(given[count:]), mask)
        if self.as_taped and call.flows is not None:
            given = [
                array if flows else jax.lax.stop_gradient(array)
                for array, flows in zip(given, call.flows, strict=True)
            ]
        fn = call.op.array_fn(substitute(call.key, sizes) if sizes else call.key)
        positions = self.wanted.get(number)
        if positions is None:
            return fn(*given)

        def partial(*chosen: Any) -> Any:
            full = list(given)
            for position, value in zip(positions, chosen, strict=True):
                full[position] = value
            return fn(*full)

        outputs, pull = jax.vjp(partial, *[given[i] for i in positions])
        pulls[number] = (pull, outputs)
        return outputs


def _pair_gradients(program: Program) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Finds the calls whose gradient is taken in the same Program."""
    forward: dict[Any, int] = {}
    primals: dict[int, int] = {}
    wanted: dict[int, tuple[int, ...]] = {}
    for number, call in enumerate(program.calls):
        # A subclass knows more about its gradient than its primal does.
        if type(call.op) is Vjp:
            key, count, positions, _ = call.key
            found = forward.get((call.op.primal, key, call.inputs[:count]))
            if found is not None and wanted.setdefault(found, positions) == positions:
                primals[number] = found
        forward.setdefault((call.op, call.key, call.inputs), number)
    # A gradient that is differentiated in turn is traced by itself.
    return {n: found for n, found in primals.items() if n not in wanted}, wanted
