"""The recorder: dispatch hands it each op call while a function is being recorded."""

from __future__ import annotations

from collections import OrderedDict
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
    new_tensor,
    scalar_dtype,
    user_location,
)

from ._dims import as_struct
from ._program import Call, Program, Value, prune

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
            out = jax.eval_shape(op.array_fn(key), *structs)
        except ProaError:
            raise
        except Exception as error:
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


@dataclass
class Write:
    """A tensor that was written during recording, as it was before."""

    tensor: Tensor
    data: Any
    edge: Any
    stop: bool
    version: int


@dataclass
class State:
    """What a recorded function does to tensors that outlive it.

    Attributes:
        captures: tensors read, in the order of the Program's captures.
        writes: tensors overwritten; their new values are the Program's last outputs.
        grads: `(tensor, new gradient)`: a Tensor on a Value, `None` or `ZERO_GRAD`.
        grads_before: `(tensor, had a gradient)` at the start: a guard.
        grad_handles: `(tensor, its gradient)` at the start. A later run has other handles for
            the same gradients.
        layers: layers that ran, with their mode and members: guards.
    """

    captures: list[Tensor] = field(default_factory=list)
    writes: list[Tensor] = field(default_factory=list)
    grads: list[tuple[Tensor, Any]] = field(default_factory=list)
    grads_before: list[tuple[Tensor, bool]] = field(default_factory=list)
    grad_handles: list[tuple[Tensor, Tensor]] = field(default_factory=list)
    layers: list[tuple[Any, Any]] = field(default_factory=list)


class Recorder:
    """Records op calls into a Program, and notes which outside tensors they touch."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.inputs: list[Value] = []
        #: Values that follow from numbers of the call alone, and from which of them.
        self.number_leaves: dict[Value, frozenset[Any]] = {}
        self.constants: dict[Value, np.ndarray] = {}
        self._constant_ids: dict[int, tuple[Any, Value]] = {}
        self._captured: dict[int, tuple[Tensor, Value]] = {}
        self._writes: dict[int, Write] = {}
        self._grads: dict[int, tuple[Tensor, Any]] = {}
        self._layers: dict[int, tuple[Any, Any]] = {}

    def add_input(self, shape: Any, dtype: Any, name: str, leaf: Any = None) -> Tensor:
        """Makes a placeholder tensor; `leaf` marks a number that may turn out static."""
        value = Value(shape, dtype, name=name, owner=self)
        self.inputs.append(value)
        if leaf is not None:
            self.number_leaves[value] = frozenset([leaf])
        return new_tensor(value)

    def need_concrete(self, value: Value, what: str) -> None:
        """Asks for a new recording in which a number is a Python value."""
        if value in self.number_leaves:
            raise NeedsStatic(self.number_leaves[value], what)

    def record(self, op: Any, tensors: tuple[Tensor, ...], key: Any) -> tuple[Any, Any]:
        """Appends a call; returns the input Values and the output Value(s)."""
        if any(t._weak for t in tensors):
            tensors = _fit_weak(tensors)
        inputs = tuple([self.value_of(t) for t in tensors])
        shapes, is_tuple = infer(op, key, inputs)
        outputs = tuple([Value(shape, dtype, owner=self) for shape, dtype in shapes])
        self.calls.append(Call(op, inputs, key, outputs, is_tuple, user_location()))
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
            if data.owner is not self:
                raise ProgramError(
                    f"a tensor {describe_array(data)} of an earlier recording is used "
                    f"at {user_location()}",
                    expected="tensors made in this call, or outside any compiled function",
                    fix="return the tensor from the compiled function instead of storing it",
                )
            return data
        if isinstance(data, jax.Array):
            known = self._captured.get(id(t))
            if known is None:
                value = Value(data.shape, data.dtype, name=t._name or "", owner=self)
                known = self._captured[id(t)] = (t, value)
            return known[1]
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
        if id(t) not in self._writes:
            self._writes[id(t)] = Write(t, t._data, t._edge, t._stop, t._version)

    def note_grad(self, t: Tensor) -> None:
        """Called before a tensor's gradient is looked at or replaced by the tape."""
        if id(t) not in self._grads:
            self._grads[id(t)] = (t, t._grad)

    def note_layer(self, layer: Any) -> None:
        """Called when a layer runs: its mode and members become guards."""
        if id(layer) not in self._layers:
            self._layers[id(layer)] = (layer, layer.guard())

    def restore(self) -> None:
        """Gives all touched tensors back what they held before the recording."""
        for w in self._writes.values():
            w.tensor._data, w.tensor._edge, w.tensor._stop = w.data, w.edge, w.stop
            w.tensor._version = w.version
        for t, grad in self._grads.values():
            t._grad = grad

    def finish(self, outputs: list[Tensor]) -> tuple[Program, State]:
        """Closes the recording.

        Args:
            outputs: the tensors that the function returned.

        Returns:
            The Program, whose outputs are the function's, then one per written tensor,
            then one per new gradient; and the State that says which is which.
        """
        values = [self.value_of(t) for t in outputs]
        state = State()
        for w in self._writes.values():
            if isinstance(w.data, jax.Array) and isinstance(w.tensor._data, Value):
                state.writes.append(w.tensor)
                values.append(w.tensor._data)
        for t, before in self._grads.values():
            if not isinstance(self._before(t), jax.Array):
                continue
            state.grads_before.append((t, isinstance(before, Tensor)))
            if isinstance(before, Tensor):
                state.grad_handles.append((t, before))
            after = t._grad
            if after is before and not (isinstance(after, Tensor) and _is_value(after)):
                continue
            if isinstance(after, Tensor) and after is not before:
                state.grads.append((t, after))
                values.append(self.value_of(after))
            elif not isinstance(after, Tensor):
                state.grads.append((t, after))
        captured = list(self._captured.values())
        state.captures = [t for t, _ in captured]
        ids = frozenset(self._captured)
        state.layers = [(layer, guard.keep(ids)) for layer, guard in self._layers.values()]
        program = Program(self.inputs, [v for _, v in captured], self.constants, self.calls, values)
        self.restore()
        return prune(program), state

    def _before(self, t: Tensor) -> Any:
        write = self._writes.get(id(t))
        return t._data if write is None else write.data


def _is_value(t: Tensor) -> bool:
    return isinstance(t._data, Value)


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


class recording:  # noqa: N801 - reads as a statement: `with recording() as recorder`
    """Context manager: ops of this thread are recorded; on failure all is put back."""

    def __init__(self) -> None:
        self.recorder = Recorder()

    def __enter__(self) -> Recorder:
        self._previous = context.recorder
        context.recorder = self.recorder
        return self.recorder

    def __exit__(self, kind: Any, *rest: object) -> None:
        context.recorder = self._previous
        if kind is not None:
            self.recorder.restore()
