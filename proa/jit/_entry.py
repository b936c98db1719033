"""One compiled variant of a function: its Program, its state, and how a call runs it."""

from __future__ import annotations

import sys
from typing import Any

import jax

from proa.core import ZERO_GRAD, Tensor, context, dispatch, mode_epoch, new_tensor, store
from proa.program import Program, ProgramOp, State

# References to an array that only its handle holds, as `getrefcount` sees them below: the
# handle's dict, the local variable, and the argument of the call.
_SOLE_OWNER = 3
_NO_KEY = (None, ())


class Entry:
    """A recorded Program with the tensors it reads and writes.

    A call whose outputs carry no gradient runs as one compiled step that donates the
    buffers it overwrites; a call whose outputs do is dispatched as one op.
    """

    def __init__(
        self, program: Program, state: State, structure: Any, outputs: list[Any], name: str
    ) -> None:
        self.program, self.state, self.structure = program, state, structure
        #: Per leaf of the result: `(True, stop_gradient)` of a tensor, `(False, value)` else.
        self.outputs = outputs
        self.num_tensors = sum(1 for is_tensor, _ in outputs if is_tensor)
        self.name = name
        self.differentiable = any(t and not stop for t, stop in outputs)
        written = {id(t) for t in state.writes}
        order = [i for i, t in enumerate(state.captures) if id(t) in written]
        order += [i for i, t in enumerate(state.captures) if id(t) not in written]
        self.num_donated = sum(1 for t in state.captures if id(t) in written)
        self.order = order
        self.captures = [state.captures[i] for i in order]
        # A captured gradient stands for whatever gradient its tensor has at the call.
        captured = {id(t) for t in state.captures}
        self._owners = {id(g): t for t, g in state.grad_handles if id(g) in captured}
        self.new_grads = [(t, g) for t, g in state.grads if isinstance(g, Tensor)]
        self.cleared = [(t, g) for t, g in state.grads if not isinstance(g, Tensor)]
        self._epoch = -1
        self._stops = [t._stop for t in state.captures]
        self._avals = [(t._data.shape, t._data.dtype) for t in state.captures]
        self._op = ProgramOp(program, name) if self.differentiable else None
        self._step = None if self.differentiable else self._compile()

    def _compile(self) -> Any:
        fn, order = self.program.function(), self.order

        def step(donated: list[Any], kept: list[Any], inputs: list[Any]) -> Any:
            captures: list[Any] = [None] * len(order)
            for position, array in zip(order, [*donated, *kept], strict=True):
                captures[position] = array
            return fn(*inputs, *captures)

        step.__name__ = self.name
        return jax.jit(step, donate_argnums=(0,))

    def holds(self) -> bool:
        """Whether the Python state the recording depended on is as it was."""
        if self._epoch != mode_epoch[0]:
            if not self._guards_hold():
                return False
            self._epoch = mode_epoch[0]
        for t, had in self.state.grads_before:
            known = t._grad
            if (known is not None and known is not ZERO_GRAD) is not had:
                return False
        return True

    def _live(self, tensors: list[Tensor]) -> list[Tensor]:
        """Returns the tensors of this call for those of the recording."""
        owners = self._owners
        if not owners:
            return tensors
        return [owners[id(t)]._grad if id(t) in owners else t for t in tensors]

    def _guards_hold(self) -> bool:
        for t, had in self.state.grads_before:
            if had and not isinstance(t._grad, Tensor):
                return False
        captures = self._live(self.state.captures)
        for t, stop, (shape, dtype) in zip(captures, self._stops, self._avals, strict=True):
            if t._stop is not stop or t._data.shape != shape or t._data.dtype != dtype:
                return False
        return all(seen.holds(layer) for layer, seen in self.state.layers)

    def why_not(self) -> str:
        """Says which guard fails, in the user's terms."""
        for layer, seen in self.state.layers:
            if not seen.holds(layer):
                mode = "train" if layer.training else "eval"
                return f"{type(layer).__name__} changed (now in {mode} mode, or new members)"
        for t, stop in zip(self.state.captures, self._stops, strict=True):
            if t._stop is not stop:
                return f"stop_gradient of {t.name} is now {t._stop}"
        for t, had in self.state.grads_before:
            if (isinstance(t._grad, Tensor)) is not had:
                return f"{t.name} {'has no' if had else 'now has a'} gradient at the start"
        return "a captured tensor changed its shape or dtype"

    def run(self, inputs: list[Tensor]) -> Any:
        """Runs the Program on the tensors of one call and returns the function's result."""
        if self._op is not None:
            return self._run_as_op(inputs)
        count, captures = self.num_donated, self._live(self.captures)
        donated = [_own(t) for t in captures[:count]]
        kept = [t._data for t in captures[count:]]
        outs = self._step(donated, kept, [t._data for t in inputs])
        self._write_back(outs)
        return self._result([new_tensor(o) for o in outs[: self.num_tensors]])

    def _write_back(self, outs: Any) -> None:
        position = self.num_tensors
        for t in self._live(self.state.writes):
            store(t, outs[position])
            position += 1
        for t, _ in self.new_grads:
            t._grad = new_tensor(outs[position])
            position += 1
        for t, value in self.cleared:
            t._grad = value

    def _run_as_op(self, inputs: list[Tensor]) -> Any:
        outs = dispatch(self._op, (*inputs, *self._live(self.state.captures)), _NO_KEY)
        self._write_back([t._data for t in outs])
        tensors = list(outs[: self.num_tensors])
        stops = [stop for is_tensor, stop in self.outputs if is_tensor]
        for t, stop in zip(tensors, stops, strict=True):
            if stop:
                t._stop, t._edge = True, None
        return self._result(tensors)

    def _result(self, tensors: list[Tensor]) -> Any:
        remaining = iter(tensors)
        leaves = [next(remaining) if is_tensor else value for is_tensor, value in self.outputs]
        return jax.tree_util.tree_unflatten(self.structure, leaves)


def _own(t: Tensor) -> Any:
    """Returns a tensor's array for donation: a copy when somebody else holds its buffer."""
    array = t._data
    owned = sys.getrefcount(array) <= _SOLE_OWNER
    return array if owned else jax.numpy.array(array, copy=True)


def recording_mode() -> tuple[Any, ...]:
    """The part of the thread's mode that belongs to every signature."""
    return (context.grad_enabled, getattr(context, "amp", None))
