"""The recorder: dispatch hands it each op call while a function is being recorded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    ProaError,
    ProgramError,
    Tensor,
    context,
    describe_array,
    location_in,
    new_tensor,
    next_sequence,
    scalar_dtype,
    state_lock,
    user_location,
)

from ._blocks import Block, Write
from ._dims import as_struct
from ._opaque import named_shapes
from ._program import Call, NeedsConversion, Program, TapeGradient, Value, prune
from ._sampled import sampled_shapes
from ._tape_gradient import Origin, has_graph, record_gradient

_MAX_INFERRED = 16384
_inferred: OrderedDict[Any, Any] = OrderedDict()


class NeedsStatic(Exception):
    """A number passed to a recorded function is needed as a Python value."""

    def __init__(self, leaves: frozenset[Any], what: str) -> None:
        super().__init__(what)
        self.leaves, self.what = leaves, what


def infer(
    op: Any, key: Any, inputs: tuple[Value, ...], *, trace: bool = False
) -> tuple[tuple[Any, ...], bool]:
    """Returns the (shape, dtype) of each output of an op call, and whether it is a tuple.

    Args:
        op: the op.
        key: the static part of the call.
        inputs: the input Values.
        trace: trace the op's function even if the op knows its shapes without it.

    Raises:
        InvalidArgumentError: the op cannot take these inputs.
        ProgramError: the op needs values, or a symbolic dimension leaves a question open.
    """
    known_shapes = None if trace else op.infer(key, inputs)
    if known_shapes is not None:
        return known_shapes, True
    signature = (op, key, tuple([(v.shape, v.dtype) for v in inputs]))
    known = _inferred.get(signature)
    if known is None:
        structs = [as_struct(v.shape, v.dtype) for v in inputs]
        try:
            out = named_shapes(op, key, structs)
            if out is None:
                out = jax.eval_shape(op.array_fn(key), *structs)
        except Exception as error:
            out = sampled_shapes(op, key, inputs) if op.jit else None
            if out is None and isinstance(error, ProaError):
                raise
            if out is None:
                raise _explain(op, inputs, error) from error
        is_tuple = isinstance(out, tuple | list)
        flat = tuple([(o.shape, o.dtype) for o in (out if is_tuple else [out])])
        known = _inferred[signature] = (flat, is_tuple)
        if len(_inferred) > _MAX_INFERRED:
            _inferred.popitem(last=False)
    return known


def _explain(op: Any, inputs: tuple[Value, ...], error: Exception) -> ProaError:
    given = ", ".join(f"{op.describe(i)}: {describe_array(v)}" for i, v in enumerate(inputs))
    reason = str(error).strip().splitlines()
    first = reason[0][:300] if reason else type(error).__name__
    if "nconclusive" in type(error).__name__ or not op.jit:
        return ProgramError(
            f"op `{op.name}` at {user_location()} cannot be recorded for ({given}): {first}",
            expected="an op whose output shape follows from the shapes of its inputs",
            fix="fix the dimension in the InputSpec, or keep this part outside compiled code",
        )
    return InvalidArgumentError(
        f"op `{op.name}` at {user_location()} cannot take these inputs ({given})",
        expected=first,
        fix=f"check shapes, dtypes and attributes of the call to `{op.name}`",
    )


@dataclass(frozen=True, slots=True)
class Argument:
    """Slot of an argument: tensor number `index` of the call."""

    index: int

    def find(self, inputs: Sequence[Tensor]) -> Any:
        """Returns the tensor in a call's inputs."""
        return inputs[self.index]


@dataclass(frozen=True, slots=True)
class GradientOf:
    """Slot of a gradient: whatever its owner has in `grad` at the call."""

    owner: Any

    def find(self, inputs: Sequence[Tensor]) -> Any:
        """Returns the gradient of the owner, a Tensor or an argument."""
        owner = self.owner.find(inputs) if isinstance(self.owner, Argument) else self.owner
        return owner._grad


@dataclass(frozen=True, slots=True)
class AttributeOf:
    """Slot of a layer's attribute that `forward` assigns anew."""

    layer: Any
    name: str

    def find(self, inputs: Sequence[Tensor]) -> Any:
        """Returns what the attribute holds now."""
        return self.layer.tensor_members().get(self.name)


@dataclass
class State:
    """What a recorded function does to tensors that outlive it.

    Attributes:
        captures: tensors read, in the order of the Program's captures.
        writes: tensors overwritten; their new values follow the function's outputs.
        grads: `(tensor, new gradient)`: a Tensor on a Value, `None` or `ZERO_GRAD`.
        grads_before: `(tensor, had a gradient)` at the start: a guard.
        onward: arguments whose gradient goes on along the caller's tape.
        attributes: `(slot, new tensor)`: attributes of layers that were assigned anew.
        slots: where a later call finds a tensor of the above that it may have another one
            for, by the tensor's id.
        layers: layers that ran, with their mode and members: guards.
        taped: per output of the Program, whether it has a place on the tape.
    """

    captures: list[Tensor] = field(default_factory=list)
    writes: list[Tensor] = field(default_factory=list)
    grads: list[tuple[Tensor, Any]] = field(default_factory=list)
    grads_before: list[tuple[Tensor, bool]] = field(default_factory=list)
    onward: list[Argument] = field(default_factory=list)
    attributes: list[tuple[AttributeOf, Tensor]] = field(default_factory=list)
    slots: dict[int, Any] = field(default_factory=dict)
    layers: list[tuple[Any, Any]] = field(default_factory=list)
    taped: list[bool] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A layer at the moment it first ran in a recording."""

    layer: Any
    guard: Any
    members: dict[str, Tensor | None]


class Recorder:
    """Records op calls into a Program, and notes which outside tensors they touch.

    Args:
        as_taped: note with each call which of its inputs gradients flow back to.
    """

    #: Whether it is a static Program, which stays open when it is left.
    is_explicit = False
    #: Recorders that it goes on from: their Values are its own.
    owners: frozenset[Any] | set[Any] = frozenset()

    def __init__(self, as_taped: bool = False) -> None:
        self.as_taped = as_taped
        #: Turns a function that a layer runs into one that may branch on tensors.
        self.adapt: Callable[[Any], Any] | None = None
        self.is_open = True
        self.thread = threading.get_ident()
        #: A request for another recording that user code may have caught.
        self.request: NeedsStatic | None = None
        self.calls: list[Call] = []
        self.inputs: list[Value] = []
        self.placeholders: list[Tensor] = []
        self.first_sequence = next_sequence()
        #: Per input that the caller computed, the gradient for the caller's own tape.
        self.onward: dict[int, Tensor] = {}
        self.is_closing = False
        #: Values that follow from numbers of the call alone, and from which of them.
        self.number_leaves: dict[Value, frozenset[Any]] = {}
        self.constants: dict[Value, np.ndarray] = {}
        self._constant_ids: dict[int, tuple[Any, Value]] = {}
        self._captured: dict[int, tuple[Tensor, Any, Value]] = {}
        self._writes: dict[int, Write] = {}
        self._grads: dict[int, tuple[Tensor, Any]] = {}
        self._layers: dict[int, _Seen] = {}
        #: Blocks that are open now, the innermost last, and what closed ones have defined.
        self._blocks: list[Block] = []
        self._sealed: set[Value] = set()

    def add_argument(self, leaf: Any, name: str, gradient: Any) -> Tensor:
        """Makes the placeholder of a call's tensor argument.

        Args:
            leaf: `(shape, dtype, stop_gradient, whether it is computed on the tape)`.
            name: its name.
            gradient: what it has in `grad`.
        """
        shape, dtype, stop, is_computed = leaf
        made = self.add_input(shape, dtype, name)
        made._stop, made._grad = stop, gradient
        if is_computed:
            index = len(self.inputs) - 1
            made._edge = (Origin(lambda g: self._note_onward(index, g)), 0)
        return made

    def _note_onward(self, index: int, gradient: Tensor) -> None:
        if not self.is_closing:
            known = self.onward.get(index)
            self.onward[index] = gradient if known is None else known + gradient  # type: ignore[operator]

    def add_input(self, shape: Any, dtype: Any, name: str, leaf: Any = None) -> Tensor:
        """Makes a placeholder tensor; `leaf` marks a number that may turn out static."""
        value = Value(shape, dtype, name=name, owner=self)
        self.inputs.append(value)
        if leaf is not None:
            self.number_leaves[value] = frozenset([leaf])
        made = new_tensor(value)
        self.placeholders.append(made)
        return made

    def is_number(self, value: Value) -> bool:
        """Whether a Value follows from numbers of the call alone."""
        return value in self.number_leaves

    def is_sealed(self, value: Value) -> bool:
        """Whether a Value exists only inside a branch or loop that has ended."""
        return value in self._sealed

    def need_concrete(self, value: Value, what: str) -> None:
        """Asks for a new recording in which a number is a Python value."""
        if value in self.number_leaves:
            self.request = NeedsStatic(self.number_leaves[value], what)
            raise self.request

    def record(
        self, op: Any, tensors: tuple[Tensor, ...], key: Any, taped: bool = False
    ) -> tuple[Any, Any]:
        """Appends a call; returns the input Values and the output Value(s)."""
        if not op.has_programs and any(t._weak for t in tensors):
            tensors = _fit_weak(tensors)
        inputs = tuple([self.value_of(t) for t in tensors])
        shapes, is_tuple = infer(op, key, inputs)
        outputs = tuple([Value(shape, dtype, owner=self) for shape, dtype in shapes])
        flows = None
        if self._blocks:
            block = self._blocks[-1]
            block.defined.update(outputs)
            for value, t in zip(inputs, tensors, strict=True):
                block.note_read(value, t)
        if self.as_taped or self._blocks:
            flows = tuple([taped and not t._stop for t in tensors])
        self.calls.append(Call(op, inputs, key, outputs, is_tuple, user_location(), flows))
        if self.number_leaves:
            self._follow_numbers(inputs, outputs)
        return inputs, (outputs if is_tuple else outputs[0])

    def _follow_numbers(self, inputs: tuple[Value, ...], outputs: tuple[Value, ...]) -> None:
        leaves: frozenset[Any] = frozenset()
        for value in inputs:
            if value in self.number_leaves:
                leaves |= self.number_leaves[value]
            elif value not in self.constants:
                return
        if leaves:
            self.number_leaves.update(dict.fromkeys(outputs, leaves))

    def value_of(self, t: Tensor) -> Value:
        """Returns the Value that stands for a tensor in this Program."""
        data = t._data
        if isinstance(data, Value):
            if data in self._sealed:
                raise ProgramError(
                    f"a tensor {describe_array(data)} made inside a branch or loop is used "
                    f"outside of it at {user_location()}",
                    expected="tensors that the branch or loop gives as its results",
                    fix="give the variable a value before the branch or loop, in all branches",
                )
            if data.owner is not self and data.owner not in self.owners:
                raise ProgramError(
                    f"a tensor {describe_array(data)} of an earlier recording is used "
                    f"at {user_location()}",
                    expected="tensors made in this call, or outside any compiled function",
                    fix="return the tensor from the compiled function instead of storing it",
                )
            return data
        if isinstance(data, jax.Array):
            known = self._captured.get(id(t))
            if known is not None and known[1] is data:
                return known[2]
            write = self._writes.get(id(t))
            if known is not None or (write is not None and write.data is not data):
                # It was given this array since: not state of its own, but a value of the call.
                return self._constant(np.asarray(data))
            value = Value(data.shape, data.dtype, name=t._name or "", owner=self)
            self._captured[id(t)] = (t, data, value)
            return value
        return self._constant(np.asarray(data))

    def _constant(self, array: np.ndarray) -> Value:
        known = self._constant_ids.get(id(array))
        if known is not None and known[0] is array:
            return known[1]
        value = Value(array.shape, array.dtype, owner=self)
        self.constants[value] = array
        self._constant_ids[id(array)] = (array, value)
        return value

    def note_write(self, t: Tensor) -> None:
        """Called before a tensor is given a new value."""
        for noted in (self._writes, *[block.touched for block in self._blocks[-1:]]):
            if id(t) not in noted:
                noted[id(t)] = Write(t, t._data, t._edge, t._stop, t._version)

    def note_grad(self, t: Tensor) -> None:
        """Called before a tensor's gradient is looked at or replaced by the tape."""
        for noted in (self._grads, *[block.gradients for block in self._blocks[-1:]]):
            if id(t) not in noted:
                noted[id(t)] = (t, t._grad)

    def note_used(self, node: Any) -> None:
        """Called before a backward pass drops what a node of the tape has saved."""
        if self._blocks:
            self._blocks[-1].used.append((node, node.saved))

    def value_before(self, t: Tensor) -> Any:
        """Returns the array that a tensor held before this recording wrote to it."""
        write = self._writes.get(id(t))
        return t._data if write is None else write.data

    @contextmanager
    def in_block(self, block: Block) -> Iterator[None]:
        """Records into a block; when it ends, nobody outside may use what it defined."""
        outer, self.calls = self.calls, block.calls
        self._blocks.append(block)
        try:
            yield
        finally:
            self._blocks.pop()
            self.calls = outer
            self._sealed |= block.defined

    def note_name(self, t: Tensor) -> None:
        """Called when a tensor of this recording gets a name."""

    def note_layer(self, layer: Any) -> None:
        """Called when a layer runs: its mode and members become guards.

        An optimizer that steps has a guard too, on which parameters share state.
        """
        if id(layer) not in self._layers:
            self._layers[id(layer)] = _Seen(layer, layer.guard(), dict(layer.tensor_members()))

    def close(self) -> None:
        """Lets go of all tensors: Values, which outlive the recording, refer to it."""
        self.is_open = False
        for held in (self._writes, self._grads, self._captured, self._layers, self.onward):
            held.clear()
        self.placeholders, self._constant_ids, self.request = [], {}, None

    def restore(self) -> None:
        """Gives all touched tensors back what they held before the recording."""
        for w in self._writes.values():
            w.undo()
        for t, grad in self._grads.values():
            t._grad = grad
        for seen, name, _ in self._assigned():
            is_new = name not in seen.members
            seen.layer.put_tensor_member(name, seen.members.get(name), drop=is_new)

    def _assigned(self) -> list[tuple[_Seen, str, Tensor]]:
        """Attributes of layers that now hold Values."""
        found = []
        for seen in self._layers.values():
            for name, now in seen.layer.tensor_members().items():
                if now is None or now is seen.members.get(name):
                    continue
                if isinstance(now._data, Value):
                    found.append((seen, name, now))
        return found

    def finish(self, outputs: list[Tensor]) -> tuple[Program, State]:
        """Closes the recording.

        Args:
            outputs: the tensors that the function returned.

        Returns:
            The Program, whose outputs are the function's, then one per written tensor, one
            per new gradient, one per gradient that goes on, and one per assigned attribute;
            and the State that says which is which.
        """
        program, state, _ = self.finish_differentiable(outputs)
        return program, state

    def finish_differentiable(
        self, outputs: list[Tensor]
    ) -> tuple[Program, State, TapeGradient | None]:
        """As `finish`, and gives the gradient where only the tape knows it."""
        if self.request is not None:
            raise self.request
        self.is_closing = True
        state, finals = State(taped=[has_graph(t) for t in outputs]), list(outputs)
        arguments = {v: Argument(i) for i, v in enumerate(self.inputs)}
        for w in self._writes.values():
            if self._is_outside(w.data, arguments) and w.tensor._data is not w.data:
                state.writes.append(w.tensor)
                finals.append(w.tensor)
                state.taped.append(has_graph(w.tensor) and not w.tensor.is_leaf)
                if isinstance(w.data, Value):
                    state.slots[id(w.tensor)] = arguments[w.data]
        self._finish_gradients(state, finals, arguments)
        for index, gradient in self.onward.items():
            state.onward.append(Argument(index))
            finals.append(gradient)
            state.taped.append(False)
        for seen, name, now in self._assigned():
            slot = AttributeOf(seen.layer, name)
            state.attributes.append((slot, now))
            finals.append(now)
            state.taped.append(has_graph(now))
            before = seen.members.get(name)
            if before is not None and id(before) in self._captured:
                state.slots[id(before)] = slot
        values = [self.value_of(t) for t in finals]
        captured = list(self._captured.values())
        state.captures = [t for t, _, _ in captured]
        ids = frozenset(i for i in self._captured if i not in state.slots)
        for seen in self._layers.values():
            names = frozenset(s.name for s, _ in state.attributes if s.layer is seen.layer)
            state.layers.append((seen.layer, seen.guard.keep(seen.layer, ids, names)))
        program = Program(
            list(self.inputs), [v for _, _, v in captured], self.constants, self.calls, values
        )
        program = prune(program)
        gradient = None
        if self.as_taped and any(state.taped):
            gradient = record_gradient(self, program, finals, state.taped)
        self.restore()
        return program, state, gradient

    def _finish_gradients(self, state: State, finals: list[Tensor], arguments: Any) -> None:
        for t, before in self._grads.values():
            data = self._before(t)
            if not self._is_outside(data, arguments):
                continue
            owner: Any = t
            if isinstance(data, Value):
                owner = state.slots[id(t)] = arguments[data]
            state.grads_before.append((t, isinstance(before, Tensor)))
            if isinstance(before, Tensor):
                state.slots[id(before)] = GradientOf(owner)
            after = t._grad
            if after is before:
                continue
            state.grads.append((t, after))
            if isinstance(after, Tensor):
                finals.append(after)
                state.taped.append(False)

    @staticmethod
    def _is_outside(data: Any, arguments: Any) -> bool:
        """Whether a tensor that held `data` before outlives the recording."""
        return isinstance(data, jax.Array) or (isinstance(data, Value) and data in arguments)

    def _before(self, t: Tensor) -> Any:
        write = self._writes.get(id(t))
        return t._data if write is None else write.data

    def first_edges(self) -> list[Any]:
        """Per input and captured tensor, the tape edge it had at first (or `None`)."""
        by_value: dict[Value, Any] = {}
        for t in self.placeholders:
            by_value[self._before(t)] = self._edge_before(t)
        found = [by_value.get(v) for v in self.inputs]
        return found + [self._edge_before(t) for t, _, _ in self._captured.values()]

    def _edge_before(self, t: Tensor) -> Any:
        write = self._writes.get(id(t))
        if write is None:
            return None if t._stop else t._edge
        return None if write.stop else write.edge


def _fit_weak(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Casts numbers passed to a recorded function as eager mode would cast them."""
    strong = [t.dtype for t in tensors if not t._weak]
    inexact = [d for d in strong if d.is_inexact]
    like = (inexact or strong or [None])[0]
    fitted = []
    for t in tensors:
        if t._weak and like is not None:
            wanted = scalar_dtype(1.0, like)
            t = t if t.dtype == wanted else t.astype(wanted)  # type: ignore[attr-defined]
        fitted.append(t)
    return tuple(fitted)


def _is_of_sizes(kind: Any, error: Any) -> bool:
    """Whether Python could not decide something about an unknown size, or count with it."""
    if kind.__name__ == "InconclusiveDimensionOperation":
        return True
    if issubclass(kind, NotImplementedError) and "dim_as_value" in str(error):
        return True
    return issubclass(kind, TypeError) and "_DimExpr" in str(error)


class recording:
    """Context manager: ops of this thread are recorded; on failure all is put back.

    Args:
        as_taped: see `Recorder`.
    """

    def __init__(self, as_taped: bool = False) -> None:
        self._as_taped = as_taped

    def __enter__(self) -> Recorder:
        # Tensors that are written hold Values until the end, which other threads must not see.
        state_lock.acquire()
        self.recorder = Recorder(self._as_taped)
        self._previous = context.recorder
        context.recorder = self.recorder
        return self.recorder

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        context.recorder = self._previous
        try:
            if kind is not None:
                self.recorder.restore()
        finally:
            self.recorder.close()
            state_lock.release()
        if kind is not None and _is_of_sizes(kind, error):
            # Converted code may know what to do with a size that is not known yet.
            raise NeedsConversion(
                f"the code at {location_in(trace)} asks what depends on an unknown size: "
                f"{str(error).splitlines()[0]}",
                expected="code that does the same for all sizes",
                fix="give the dimension a fixed size in the InputSpec",
            ) from error
