"""Program: calls of ops on Values. A Program is itself an op."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import jax
import numpy as np

from proa.core import BaseOp, ProgramError, describe_array, new_tensor, pull_cotangents

from ._dims import bind_sizes, format_shape, has_dimension, substitute

_numbers = count()


class Value:
    """What a Program computes with: a dtype, a shape (maybe symbolic) and a number.

    While a function is recorded, Tensors hold Values where they else hold arrays.
    """

    __slots__ = ("dtype", "name", "number", "owner", "shape")

    def __init__(self, shape: Any, dtype: Any, *, name: str = "", owner: Any = None) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.number = next(_numbers)
        self.name = name
        self.owner = owner

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def concretize(self, tensor: Any, what: str, where: str) -> Any:
        """Fails: a Value has no elements; the recorder may first try another way."""
        if self.owner is not None:
            self.owner.need_concrete(self, what)
        raise ProgramError(
            f"{what} at {where} needs the elements of a tensor {describe_array(self)} "
            "while its function is being recorded",
            expected="operations on tensors only, or Python values known before the call",
            fix="move it out of the compiled function, use tensor ops such as where(), "
            "or leave the function uncompiled",
        )

    def __repr__(self) -> str:
        label = self.name or f"v{self.number}"
        return f"{label}: {self.dtype.name}{format_shape(self.shape)}"


@dataclass(frozen=True, slots=True)
class Call:
    """One op call of a Program."""

    op: BaseOp
    inputs: tuple[Value, ...]
    key: Any
    outputs: tuple[Value, ...]
    is_tuple: bool
    where: str = ""

    def __repr__(self) -> str:
        outs = ", ".join(map(repr, self.outputs))
        ins = ", ".join(v.name or f"v{v.number}" for v in self.inputs)
        return f"{outs} = {self.op.name}({ins}) {self.key[-1] if self.key else ''}"


@dataclass
class Program:
    """A list of op calls between inputs and outputs.

    Attributes:
        inputs: what a caller gives.
        captures: parameters and state: given by the holder of the Program.
        constants: arrays that belong to the Program, by Value.
        calls: op calls in an order in which they can run.
        outputs: what a caller gets.
    """

    inputs: list[Value]
    captures: list[Value]
    constants: dict[Value, np.ndarray] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)

    def function(self) -> Callable[..., tuple[Any, ...]]:
        """Returns the pure function `fn(*inputs, *captures) -> tuple of outputs`.

        It interprets the calls; under `jax.jit` that happens once per shape.
        """
        return _Interpreter(self)

    def __str__(self) -> str:
        lines = [f"inputs: {', '.join(map(repr, self.inputs))}"]
        lines += [f"captures: {', '.join(map(repr, self.captures))}"] if self.captures else []
        lines += [f"constants: {', '.join(map(repr, self.constants))}"] if self.constants else []
        lines += [f"  {call}" for call in self.calls]
        lines.append(f"outputs: {', '.join(map(repr, self.outputs))}")
        return "\n".join(lines)


class _Interpreter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = [v.name or f"input {i}" for i, v in enumerate(program.inputs)]
        self.names += [v.name or f"captured {i}" for i, v in enumerate(program.captures)]
        self.given = [*program.inputs, *program.captures]
        self.needs_sizes = any(has_dimension(v.shape) for v in self.given)

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        program = self.program
        if len(arrays) != len(self.given):
            raise ProgramError(
                f"a Program of {len(self.given)} inputs was given {len(arrays)}",
                expected=f"{len(program.inputs)} inputs and {len(program.captures)} captures",
                fix="pass one array per input",
            )
        sizes: dict[str, Any] = {}
        if self.needs_sizes:
            sizes = bind_sizes([v.shape for v in self.given], arrays, self.names)
        # Host arrays become JAX's, which op functions are written for.
        known: dict[Value, Any] = {
            value: jax.numpy.asarray(array)
            for value, array in zip(self.given, arrays, strict=True)
        }
        known.update({v: jax.numpy.asarray(a) for v, a in program.constants.items()})
        for call in program.calls:
            key = substitute(call.key, sizes) if sizes else call.key
            out = call.op.array_fn(key)(*[known[v] for v in call.inputs])
            if call.is_tuple:
                known.update(zip(call.outputs, out, strict=True))
            else:
                known[call.outputs[0]] = out
        return tuple([known[v] for v in program.outputs])


def prune(program: Program) -> Program:
    """Returns the Program without calls and constants that no output needs."""
    needed = set(program.outputs)
    kept = []
    for call in reversed(program.calls):
        if any(v in needed for v in call.outputs):
            kept.append(call)
            needed.update(call.inputs)
    constants = {v: a for v, a in program.constants.items() if v in needed}
    return Program(program.inputs, program.captures, constants, kept[::-1], program.outputs)


class ProgramOp(BaseOp):
    """A Program as an op: what a compiled function is to the tape and to other Programs.

    Its forward keeps residuals for its backward (`jax.vjp` compiled whole), so eager
    training through a compiled function computes nothing twice.
    """

    keep_residuals = True

    def __init__(self, program: Program, name: str) -> None:
        super().__init__()
        self.program, self.name = program, name
        self._forward: dict[Any, Any] = {}
        self._backward: dict[Any, Any] = {}

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the Program's function; there are no attributes."""
        return self.program.function()

    def forward_kernel(self, key: Any, positions: tuple[int, ...]) -> Callable[..., Any]:
        """Returns `fn(*arrays) -> (outputs, pullback)` for the positions to differentiate."""
        if positions not in self._forward:
            fn = self.program.function()

            def forward(*arrays: Any) -> Any:
                def partial(*chosen: Any) -> Any:
                    full = list(arrays)
                    for position, value in zip(positions, chosen, strict=True):
                        full[position] = value
                    return fn(*full)

                return jax.vjp(partial, *[arrays[i] for i in positions])

            compiled = jax.jit(forward)

            def run(*arrays: Any) -> Any:
                outputs, pull = compiled(*arrays)
                structs = tuple([jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outputs])
                return outputs, (pull, structs)

            self._forward[positions] = run
        return self._forward[positions]

    def backward_with(self, saved: Any, given: Iterable[Any], mask: Any, key: Any) -> list[Any]:
        """Runs the kept pullback on the cotangents that exist."""
        pull, structs = saved
        compiled = self._backward.get((mask, structs))
        if compiled is None:

            def backward(pull: Any, given: Any) -> Any:
                outputs = tuple([jax.numpy.zeros(s.shape, s.dtype) for s in structs])
                return pull_cotangents(pull, outputs, given, mask)

            compiled = self._backward[mask, structs] = jax.jit(backward)
        return [new_tensor(g) for g in compiled(pull, tuple([t._data for t in given]))]
