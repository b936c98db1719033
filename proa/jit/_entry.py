"""One compiled variant of a function: its Program, its state, and how a call runs it."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

import jax
import numpy as np

from proa.core import (
    ZERO_GRAD,
    GradMode,
    ProaError,
    Tensor,
    checks_numbers,
    compile_function,
    context,
    dispatch,
    key_lock,
    mode_epoch,
    new_gradient,
    new_tensor,
    replace_data,
    run_backward,
    run_donating,
    state_lock,
    store,
    told_plainly,
)
from proa.program import (
    Argument,
    AttributeOf,
    GradientOf,
    Program,
    ProgramOp,
    State,
    TapeGradient,
    TensorList,
    has_effect,
    run_stepwise,
)

from ._kept_step import prepared_step
from ._read_ahead import ReadAhead

_NO_KEY = (None, ())
#: Stands for a tensor among the leaves of a function's result.
TENSOR_LEAF = object()
_SLOTS = (Argument, GradientOf, AttributeOf)


class Entry:
    """A recorded Program with the tensors it reads and writes.

    A call whose outputs carry no gradient runs as one compiled step that donates the
    buffers it overwrites; a call whose outputs do is dispatched as one op.

    Args:
        program: the Program.
        state: what it does to tensors that outlive the call.
        gradient: its gradient, where only the tape knows it.
        result: the structure of the function's result, and its leaves: `TENSOR_LEAF` for a
            tensor, or the value.
        python: the guard of Python values that the function reads.
        name: the function's name.
        ahead: an executable that may be the one of this Program.
    """

    def __init__(
        self,
        program: Program,
        state: State,
        gradient: TapeGradient | None,
        result: tuple[Any, list[Any]],
        python: Any,
        name: str,
        ahead: ReadAhead | None = None,
    ) -> None:
        self._ahead = ahead
        self.program, self.gradient, self.python, self.name = program, gradient, python, name
        self.structure, self.leaves = result
        self._has_lists = any(
            map(_is_tensor_list, _nodes(self.structure, self.leaves, _is_tensor_list))
        )
        self.num_tensors = sum(1 for leaf in self.leaves if leaf is TENSOR_LEAF)
        self.taped = tuple(state.taped)
        self.differentiable = any(self.taped)
        self._refer(state)
        self._has_effects = any(map(has_effect, program.calls))
        self._epoch = -1
        self._is_warm = False
        self._op = ProgramOp(program, name, gradient) if self.differentiable else None
        self._step = None if self.differentiable else self._compile()

    def _refer(self, state: State) -> None:
        """Notes tensors by themselves, or by the slot where a later call has others."""
        slots = state.slots

        def refer(t: Tensor) -> Any:
            return slots.get(id(t), t)

        written = {id(t) for t in state.writes}
        # An argument's gradient may be the caller's own: what is donated is state alone.
        donated = [
            i
            for i, t in enumerate(state.captures)
            if id(t) in written and not isinstance(getattr(refer(t), "owner", None), Argument)
        ]
        chosen = set(donated)
        self.order = donated + [i for i in range(len(state.captures)) if i not in chosen]
        #: In the order of the Program's captures; then those that are donated, and the rest.
        self.captures = [refer(t) for t in state.captures]
        by_order = [self.captures[i] for i in self.order]
        self.overwritten, self.read = by_order[: len(donated)], by_order[len(donated) :]
        self.writes = [refer(t) for t in state.writes]
        self.new_grads = [refer(t) for t, g in state.grads if isinstance(g, Tensor)]
        self.cleared = [(refer(t), g) for t, g in state.grads if not isinstance(g, Tensor)]
        self.onward = state.onward
        self.attributes = [slot for slot, _ in state.attributes]
        self.grads_before = [(refer(t), had) for t, had in state.grads_before]
        self.layers = state.layers
        self._stops = [t._stop for t in state.captures]
        self._avals = [(t._data.shape, t._data.dtype) for t in state.captures]
        self._moving = [i for i, r in enumerate(self.captures) if isinstance(r, AttributeOf)]
        finals = self.program.outputs[self.num_tensors :]
        self._reshaped = [
            (t._data.shape, t._data.dtype) != (v.shape, v.dtype)
            for t, v in zip(state.writes, finals, strict=False)
        ]
        # Without slots, which is the usual case, a call finds what the recording saw.
        known = (*self.captures, *self.writes, *self.new_grads, *[r for r, _ in self.cleared])
        self._has_slots = any(isinstance(r, _SLOTS) for r in known) or any(self._reshaped)
        self.stores = bool(self.writes or state.grads or self.attributes)

    def _compile(self) -> Any:
        fn, order = self.program.function(), self.order

        def step(donated: list[Any], kept: list[Any], inputs: list[Any]) -> Any:
            captures: list[Any] = [None] * len(order)
            for position, array in zip(order, [*donated, *kept], strict=True):
                captures[position] = array
            return fn(*inputs, *captures)

        step.__name__ = self.name
        return compile_function(step, donate_argnums=(0,))

    def holds(self, inputs: Sequence[Tensor]) -> bool:
        """Whether the Python state the recording depended on is as it was."""
        if self.python.changed() is not None:
            return False
        for owner, had in self.grads_before:
            known = (owner if owner.__class__ not in _SLOTS else owner.find(inputs))._grad
            if (known is not None and known is not ZERO_GRAD) is not had:
                return False
        if self._epoch != mode_epoch[0]:
            epoch = mode_epoch[0]
            if not self._guards_hold(inputs):
                return False
            self._epoch = epoch
        return all(self._is_as_recorded(i, inputs) for i in self._moving)

    def _is_as_recorded(self, i: int, inputs: Sequence[Tensor]) -> bool:
        t = _find(self.captures[i], inputs)
        if t is None or t._data is None:
            return False
        return t._stop is self._stops[i] and (t._data.shape, t._data.dtype) == self._avals[i]

    def _guards_hold(self, inputs: Sequence[Tensor]) -> bool:
        if not all(self._is_as_recorded(i, inputs) for i in range(len(self.captures))):
            return False
        return all(seen.holds(layer) for layer, seen in self.layers)

    def why_not(self, inputs: Sequence[Tensor]) -> str | None:
        """Says which guard fails, in the user's terms; `None` when all hold."""
        changed = self.python.changed()
        if changed is not None:
            return changed
        for layer, seen in self.layers:
            reason = seen.why_not(layer)
            if reason is not None:
                return f"{type(layer).__name__} changed ({reason})"
        for owner, had in self.grads_before:
            t = _find(owner, inputs)
            if isinstance(t._grad, Tensor) is not had:
                return f"{t.name} {'has no' if had else 'now has a'} gradient at the start"
        for i, reference in enumerate(self.captures):
            t = _find(reference, inputs)
            if t is None:
                return f"{reference.name} is no tensor now"
            if t._stop is not self._stops[i]:
                return f"stop_gradient of {t.name} is now {t._stop}"
            if not self._is_as_recorded(i, inputs):
                return f"{t.name} changed its shape or dtype"
        return None

    def run(self, inputs: Sequence[Tensor]) -> Any:
        """Runs the Program on the tensors of one call and returns the function's result."""
        if self.stores or checks_numbers():
            with state_lock, key_lock:
                return self._run(inputs)
        try:
            return self._run(inputs)
        except ProaError:
            raise
        except (RuntimeError, TypeError, ValueError):
            # Another thread may have been recording, or have given away a buffer read here.
            with state_lock:
                return self._run(inputs)

    def _run(self, inputs: Sequence[Tensor]) -> Any:
        if not self._has_effects:
            return self._computed(inputs)
        with told_plainly():
            return self._computed(inputs)

    def _computed(self, inputs: Sequence[Tensor]) -> Any:
        if checks_numbers():
            return self._run_stepwise(inputs)
        if self._op is not None:
            captures = [_find(r, inputs) for r in self.captures]
            return self._finish(dispatch(self._op, (*inputs, *captures), _NO_KEY), inputs)
        overwritten, read = self.overwritten, self.read
        if self._has_slots:
            overwritten = [_find(r, inputs) for r in overwritten]
            read = [_find(r, inputs) for r in read]
        donated = [t._data for t in overwritten]
        if donated and max(map(getrefcount, donated)) > _SOLE_OWNER:
            _own(donated)
        kept = [t._data for t in read]
        given = [t._data for t in inputs]
        arguments = (donated, kept, given)
        if not self._is_warm:
            self._step = prepared_step(self._step, self.program, self.order, arguments, self._ahead)
            self._ahead = None
        step: Any = self._step
        if self._is_warm and not self.stores and not self.onward:
            return self._result([new_tensor(o) for o in step(*arguments)])
        outs = run_donating(
            self._step,
            arguments,
            lambda outs: self._write_back(outs, inputs),
            donated=donated,
            is_first=not self._is_warm,
            name=self.name,
        )
        self._is_warm = True
        self._go_onward(outs, inputs)
        return self._result([new_tensor(o) for o in outs[: self.num_tensors]])

    def _go_onward(self, arrays: Sequence[Any], inputs: Sequence[Tensor]) -> None:
        """Carries backward passes of the function on, along the tape of its caller."""
        if self.onward:
            first = self.num_tensors + len(self.writes) + len(self.new_grads)
            gradients = arrays[first : first + len(self.onward)]
            roots = [slot.find(inputs) for slot in self.onward]
            run_backward(roots, [new_tensor(g) for g in gradients])

    def _run_stepwise(self, inputs: Sequence[Tensor]) -> Any:
        captures = [_find(r, inputs) for r in self.captures]
        with GradMode(self.differentiable and context.grad_enabled):
            outs = run_stepwise(self.program, [*inputs, *captures])
        return self._finish(outs, inputs)

    def _write_back(self, outs: Any, inputs: Sequence[Tensor]) -> None:
        position = self.num_tensors
        find: Any = _find if self._has_slots else _itself
        for reference, reshaped in zip(self.writes, self._reshaped, strict=True):
            (replace_data if reshaped else store)(find(reference, inputs), outs[position])
            position += 1
        for reference in self.new_grads:
            find(reference, inputs)._grad = new_gradient(outs[position])
            position += 1
        position += len(self.onward)
        for slot in self.attributes:
            slot.layer.put_tensor_member(slot.name, new_tensor(outs[position]))
            position += 1
        for reference, value in self.cleared:
            find(reference, inputs)._grad = value

    def _finish(self, outs: Sequence[Tensor], inputs: Sequence[Tensor]) -> Any:
        """Writes back the outputs of a dispatched op, with their places on the tape."""
        self._is_warm = True
        # Aliases: an op by op run may give back the very tensors it was given.
        outs = [
            t if taped else new_tensor(t._data) for t, taped in zip(outs, self.taped, strict=True)
        ]
        self._write_back([t._data for t in outs], inputs)
        position = self.num_tensors
        for reference in self.writes:
            if self.taped[position]:
                t = _find(reference, inputs)
                t._stop, t._edge = False, outs[position]._edge
            position += 1
        position += len(self.new_grads) + len(self.onward)
        for slot in self.attributes:
            slot.layer.put_tensor_member(slot.name, outs[position])
            position += 1
        self._go_onward([t._data for t in outs], inputs)
        return self._result(list(outs[: self.num_tensors]))

    def _result(self, tensors: list[Tensor]) -> Any:
        remaining = iter(tensors)
        leaves = [next(remaining) if leaf is TENSOR_LEAF else leaf for leaf in self.leaves]
        return as_lists(jax.tree_util.tree_unflatten(self.structure, leaves), self._has_lists)


def _nodes(structure: Any, leaves: list[Any], is_leaf: Any) -> list[Any]:
    made = jax.tree_util.tree_unflatten(structure, leaves)
    return jax.tree_util.tree_leaves(made, is_leaf=is_leaf)


def _is_tensor_list(value: Any) -> bool:
    return isinstance(value, TensorList)


def as_lists(result: Any, has_lists: bool) -> Any:
    """Makes Python lists of the lists that have grown in loops, after a run."""
    if not has_lists:
        return result
    return jax.tree_util.tree_map(
        lambda v: v.to_list() if _is_tensor_list(v) else v, result, is_leaf=_is_tensor_list
    )


def _find(reference: Any, inputs: Sequence[Tensor]) -> Any:
    """Returns the tensor of this call for one of the recording."""
    return reference.find(inputs) if isinstance(reference, _SLOTS) else reference


def _itself(t: Tensor, inputs: Sequence[Tensor]) -> Tensor:
    return t


def _own(arrays: list[Any]) -> None:
    """Copies what somebody else holds too: a view, a tape or a user may still read it."""
    for i, count in enumerate(list(map(getrefcount, arrays))):
        if count > _SOLE_OWNER:
            arrays[i] = jax.numpy.array(arrays[i], copy=True)


def _count_of_sole_owner() -> int:
    tensor = new_tensor(np.zeros(()))
    held = [tensor._data]
    return max(map(getrefcount, held))


#: References to an array that one tensor holds, as `map` over a list of arrays counts them.
_SOLE_OWNER = _count_of_sole_owner()


def recording_mode() -> tuple[Any, ...]:
    """The part of the thread's mode that belongs to every signature."""
    return (context.grad_enabled, getattr(context, "amp", None))
