"""Program: calls of ops on Values. A Program is itself an op."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import jax
import numpy as np

from proa.core import (
    BaseOp,
    Op,
    ProgramError,
    UnsupportedError,
    Vjp,
    compile_function,
    concrete,
    describe_array,
    new_tensor,
    pull_cotangents,
    state_lock,
)

from ._dims import format_shape, has_dimension
from ._interpreter import Interpreter
from ._printing import format_program

_numbers = count()


class NeedsConversion(ProgramError):
    """Python needs the elements of a tensor that is being recorded."""


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
        """Fails: a Value has no elements; the recorder may first try another way.

        A tensor that another thread writes while it records has elements again afterwards.
        """
        owner = self.owner
        if owner is not None and owner.is_open and owner.thread != threading.get_ident():
            with state_lock:
                return concrete(tensor, what)
        if owner is not None and not owner.is_open:
            raise ProgramError(
                f"{what} at {where}: the tensor {describe_array(self)} was made while a function "
                "was being compiled, and holds no values",
                expected="a tensor that the compiled function returned",
                fix="return the tensor from the function, or keep it as an attribute of the "
                "Layer that makes it, instead of storing it elsewhere",
            )
        if owner is not None:
            owner.need_concrete(self, what)
        raise NeedsConversion(
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
    """One op call of a Program.

    Attributes:
        op: the op.
        inputs: its inputs.
        key: the static part of the call.
        outputs: its outputs.
        is_tuple: whether the op gives a tuple.
        where: `file:line` of the user's code.
        flows: per input whether gradients flow back to it; `None` if to all.
    """

    op: BaseOp
    inputs: tuple[Value, ...]
    key: Any
    outputs: tuple[Value, ...]
    is_tuple: bool
    where: str = ""
    flows: tuple[bool, ...] | None = None

    def arguments(self) -> dict[str, Any]:
        """Returns inputs and attributes by parameter name, for a call of a declared op.

        An input is a Value, a list of Values, or `None` for one that was left out.

        Raises:
            UnsupportedError: the op is no declared one (a gradient, a branch, a loop).
        """
        if not isinstance(self.op, Op):
            raise UnsupportedError(
                f"arguments of a call of `{self.op.name}`",
                expected="a call of an op that was declared with @op",
                fix="look at `inputs` and `key` of the call",
            )
        layout, attributes = self.key
        named = self.op.name_arrays(layout, self.inputs)
        return {
            **named,
            **{p.name: v for p, v in zip(self.op.attributes, attributes, strict=True)},
        }

    def __repr__(self) -> str:
        outs = ", ".join(map(repr, self.outputs))
        ins = ", ".join(v.name or f"v{v.number}" for v in self.inputs)
        attributes = self.key if self.key else ""
        if isinstance(self.key, tuple) and self.key and not self.op.has_programs:
            attributes = self.key[-1]
        return f"{outs} = {self.op.name}({ins}) {attributes}"


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

    def function(self, *, as_taped: bool = False) -> Callable[..., tuple[Any, ...]]:
        """Returns the pure function `fn(*inputs, *captures) -> tuple of outputs`.

        It interprets the calls; under `jax.jit` that happens once per shape.

        Args:
            as_taped: gradients taken through the function stop where the tape of the
                recording did (`detach`, `no_grad`, `stop_gradient`).
        """
        return Interpreter(self, as_taped)

    def __str__(self) -> str:
        return format_program(self)


def has_effect(call: Call) -> bool:
    """Whether a call does something besides giving outputs, in a branch or loop maybe."""
    if call.op.has_programs:
        inner = [each.program for each in call.key if hasattr(each, "program")]
        return any(has_effect(each) for program in inner for each in program.calls)
    return call.op.has_effect


def prune(program: Program) -> Program:
    """Returns the Program without calls and constants that no output needs."""
    needed = set(program.outputs)
    kept = []
    for call in reversed(program.calls):
        if has_effect(call) or any(v in needed for v in call.outputs):
            kept.append(call)
            needed.update(call.inputs)
    constants = {v: a for v, a in program.constants.items() if v in needed}
    return Program(program.inputs, program.captures, constants, kept[::-1], program.outputs)


@dataclass(frozen=True)
class TapeGradient:
    """Gradients of a Program as its tape gives them, where user code takes part in them.

    Attributes:
        program: maps inputs, gradients of the outputs, and captures to gradients.
        wanted: per input and capture of the Program, whether `program` gives its gradient.
        outputs: per output of the Program, whether `program` takes its gradient.
        once: whether what it does has no gradient in turn (a PyLayer takes part).
    """

    program: Program
    wanted: tuple[bool, ...]
    outputs: tuple[bool, ...]
    once: bool


class _Pullback:
    """How a traced pullback is put together again; equal to itself only, so cheap to compare."""

    __slots__ = ("structs", "structure")

    def __init__(self, structure: Any, structs: tuple[jax.ShapeDtypeStruct, ...]) -> None:
        self.structure, self.structs = structure, structs


class _Kept:
    """The residuals of a forward pass: a tree of one level.

    JAX's own pullback is a tree of several, which Python would flatten in each call.
    """

    __slots__ = ("pullback", "residuals")

    def __init__(self, residuals: Any, pullback: _Pullback) -> None:
        self.residuals, self.pullback = residuals, pullback


jax.tree_util.register_pytree_node(
    _Kept, lambda kept: (kept.residuals, kept.pullback), lambda how, arrays: _Kept(arrays, how)
)


class ProgramOp(BaseOp):
    """A Program as an op: what a compiled function is to the tape and to other Programs.

    Its forward keeps residuals for its backward (`jax.vjp` compiled whole), so eager
    training through a compiled function computes nothing twice. Where hooks or PyLayers take
    part, the gradient is a Program of its own, which computes the forward pass again.
    """

    keep_residuals = True

    def __init__(self, program: Program, name: str, gradient: TapeGradient | None = None) -> None:
        super().__init__()
        self.program, self.name, self.gradient = program, name, gradient
        self._forward: dict[Any, Any] = {}
        self._backward: dict[Any, Any] = {}
        if gradient is not None:
            self._vjp = _TapeVjp(self, gradient)  # type: ignore[assignment]

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the Program's function; there are no attributes."""
        return self.program.function(as_taped=True)

    def forward_kernel(self, key: Any, positions: tuple[int, ...]) -> Callable[..., Any]:
        """Returns `fn(*arrays) -> (outputs, pullback)` for the positions to differentiate."""
        if positions not in self._forward:
            keeps_inputs = self.gradient is not None
            fn = self.array_fn(key) if keeps_inputs else self._with_pull(positions)
            compiled = compile_function(fn)

            def run(*arrays: Any) -> Any:
                if keeps_inputs:
                    return compiled(*arrays), (arrays, positions)
                outputs, kept = compiled(*arrays)
                return outputs, (kept, positions)

            self._forward[positions] = run
        return self._forward[positions]

    def _with_pull(self, positions: tuple[int, ...]) -> Callable[..., Any]:
        fn = self.array_fn(None)

        def forward(*arrays: Any) -> Any:
            def partial(*chosen: Any) -> Any:
                full = list(arrays)
                for position, value in zip(positions, chosen, strict=True):
                    full[position] = value
                return fn(*full)

            outputs, pull = jax.vjp(partial, *[arrays[i] for i in positions])
            residuals, structure = jax.tree_util.tree_flatten(pull)
            structs = tuple([jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outputs])
            return outputs, _Kept(residuals, _Pullback(structure, structs))

        return forward

    def backward_with(self, saved: Any, given: Iterable[Any], mask: Any, key: Any) -> list[Any]:
        """Runs the kept pullback on the cotangents that exist."""
        kept, positions = saved
        cotangents = tuple([t._data for t in given])
        if self.gradient is not None:
            vjp_key = (key, len(kept), positions, mask)
            kernel = self.vjp.kernels.get(vjp_key) or self.vjp.make_kernel(vjp_key)
            return [new_tensor(g) for g in kernel(*kept, *cotangents)]
        compiled = self._backward.get(mask)
        if compiled is None:

            def backward(kept: _Kept, given: Any) -> Any:
                found = kept.pullback
                outputs = tuple([jax.numpy.zeros(s.shape, s.dtype) for s in found.structs])
                pull = jax.tree_util.tree_unflatten(found.structure, kept.residuals)
                return pull_cotangents(pull, outputs, given, mask)

            compiled = self._backward[mask] = compile_function(backward)
        return [new_tensor(g) for g in compiled(kept, cotangents)]


class _TapeVjp(Vjp):
    """The gradient of a ProgramOp that the tape has recorded."""

    def __init__(self, primal: ProgramOp, gradient: TapeGradient) -> None:
        super().__init__(primal)
        self.gradient = gradient

    @property
    def vjp(self) -> Vjp:
        """The gradient of the gradient.

        Raises:
            UnsupportedError: a PyLayer takes part.
        """
        if self.gradient.once:
            raise UnsupportedError(
                f"a second derivative through compiled `{self.primal.name}`, which calls a PyLayer",
                expected="first derivatives only",
                fix="leave the function uncompiled, or call grad() for both derivatives inside it",
            )
        return super().vjp

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns `fn(*inputs, *cotangents) -> tuple of gradients`."""
        _, num_inputs, positions, mask = key
        taped = self.gradient
        fn = taped.program.function(as_taped=True)
        num_given = len(taped.program.inputs) - sum(taped.outputs)
        shapes = self.primal.program.outputs  # type: ignore[attr-defined]

        def gradient(*arrays: Any) -> tuple[Any, ...]:
            inputs, given = arrays[:num_inputs], iter(arrays[num_inputs:])
            outputs: Any = None
            seeds = []
            for i, (has, takes) in enumerate(zip(mask, taped.outputs, strict=True)):
                array = next(given) if has else None
                if takes and array is None:
                    # Only a symbolic shape must be looked up in the outputs themselves.
                    if has_dimension(shapes[i].shape) and outputs is None:
                        outputs = jax.eval_shape(self.primal.array_fn(None), *inputs)
                    like = shapes[i] if outputs is None else outputs[i]
                    array = jax.numpy.zeros(like.shape, like.dtype)
                if takes:
                    seeds.append(array)
            found = iter(fn(*inputs[:num_given], *seeds, *inputs[num_given:]))
            by_input = [next(found) if wanted else None for wanted in taped.wanted]
            return tuple(
                [
                    jax.numpy.zeros_like(inputs[i]) if by_input[i] is None else by_input[i]
                    for i in positions
                ]
            )

        return gradient
