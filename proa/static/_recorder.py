"""A recording that stays open: it can be left, run, and taken up again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import jax

from proa.core import InvalidArgumentError, PreconditionError, Tensor, context, new_tensor
from proa.program import Program, Recorder, State, Value, Write, prune


class OpenRecorder(Recorder):
    """The recorder of a static Program.

    While it is entered, tensors that it has written hold Values. When it is left they hold
    arrays again, and what was written waits here.
    """

    is_explicit = True

    def __init__(self) -> None:
        super().__init__()
        #: Per tensor that was written: what it holds inside.
        self._inside: dict[int, tuple[Any, Any, bool]] = {}
        #: Recorders whose Values are this one's too: it was copied from them.
        self.owners: set[Recorder] = set()
        #: Values that a copy has replaced by others.
        self.renamed: dict[Value, Value] = {}
        #: Tensors that have got a name, inputs among them.
        self.named: dict[str, Tensor] = {}
        #: Values that something has yet to be written to.
        self.unwritten: set[Value] = set()
        #: Per tensor whose rows are divided into sequences, the offsets of its levels.
        self.rows: dict[Value, list[Tensor]] = {}
        self._depth = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Records what happens inside."""
        previous = context.recorder
        self.enter()
        context.recorder = self
        try:
            yield
        finally:
            context.recorder = previous
            self.leave()

    def enter(self) -> None:
        """Gives tensors the Values they stand for in the Program."""
        self._depth += 1
        if self._depth > 1:
            return
        for write in self._writes.values():
            t = write.tensor
            write.data, write.edge, write.stop, write.version = (
                t._data,
                t._edge,
                t._stop,
                t._version,
            )
            t._data, t._edge, t._stop = self._inside[id(t)]
        # Steps have given tensors new arrays since; in the Program they are the same inputs.
        for key, (t, _, value) in list(self._captured.items()):
            known = self._writes.get(key)
            self._captured[key] = (t, t._data if known is None else known.data, value)

    def leave(self) -> None:
        """Gives tensors their arrays back."""
        self._depth -= 1
        if self._depth:
            return
        for key, write in self._writes.items():
            t = write.tensor
            self._inside[key] = (t._data, t._edge, t._stop)
            write.undo()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Suspends the recording, however deep it is entered."""
        depth, previous = self._depth, context.recorder
        if depth:
            self._depth = 1
            self.leave()
        context.recorder = None
        try:
            yield
        finally:
            if depth:
                self.enter()
                self._depth = depth
            context.recorder = previous

    def note_name(self, t: Tensor) -> None:
        """Makes a tensor findable by its name; its Value is printed with it."""
        self.named[t.name] = t
        t._data.name = t._data.name or t.name

    def find(self, name: str) -> Tensor | None:
        """Returns a tensor by its name: a persistable one, or one that was computed."""
        held = self.persistables().get(name)
        for recorder in (self, *self.owners) if held is None else ():
            if name in recorder.named:  # type: ignore[attr-defined]
                return recorder.named[name]  # type: ignore[attr-defined]
        return held

    def offsets_of(self, t: Tensor) -> list[Tensor]:
        """Returns the offsets that divide the rows of an input into sequences, by level."""
        return self.rows.get(t._data, [])

    def add_unwritten(self, shape: Sequence[Any], dtype: Any, name: str) -> Tensor:
        """Makes a tensor without a value, which something is to be written to."""
        value = Value(shape, dtype, name=name, owner=self)
        self.unwritten.add(value)
        made = new_tensor(value)
        made.name = name
        return made

    def value_of(self, t: Tensor) -> Value:
        """Returns the Value that stands for a tensor.

        Raises:
            PreconditionError: nothing has been written to it.
        """
        found = super().value_of(t)
        if found in self.unwritten:
            raise PreconditionError(
                f"{t.name} is read before anything was written to it",
                expected="a variable that an op has given a value",
                fix="write to it first: paddle.assign(value, output=variable), or py_func",
            )
        return found

    def note_layer(self, layer: Any) -> None:
        """Watches optimizers, which share state; layers keep the mode they were recorded in."""
        if not hasattr(layer, "sublayers"):
            super().note_layer(layer)

    def require_unchanged(self) -> None:
        """Refuses to run what was recorded for parameters that shared state then.

        Raises:
            PreconditionError: an optimizer has come to count apart for them.
        """
        for seen in self._layers.values():
            reason = seen.guard.why_not(seen.layer)
            if reason is not None:
                raise PreconditionError(
                    f"the state of {type(seen.layer).__name__} is not as the Program has it: "
                    f"{reason}",
                    expected="parameters that step together in all runs of a Program",
                    fix="load the optimizer's state before minimize, or use an optimizer for each "
                    "set of parameters",
                )

    def parameters(self) -> list[Tensor]:
        """Returns the trainable tensors that the Program reads, in the order it met them."""
        return [t for t, _, _ in self._captured.values() if self._is_trainable(t)]

    def _is_trainable(self, t: Tensor) -> bool:
        # What a Program has written to is as it was before.
        write = self._writes.get(id(t))
        stop = t._stop if write is None else write.stop
        return not stop and getattr(t, "persistable", False)

    def persistables(self) -> dict[str, Tensor]:
        """Returns tensors from outside that the Program reads or writes, by name."""
        held = [t for t, _, _ in self._captured.values()]
        held += [w.tensor for w in self._writes.values() if isinstance(w.data, jax.Array)]
        return {t.name: t for t in held if getattr(t, "persistable", False)}

    def snapshot(
        self, outputs: Sequence[Tensor], *, with_writes: bool = True, fed: Sequence[Tensor] = ()
    ) -> tuple[Program, State]:
        """Returns the Program so far, for given outputs; call it while the recording is left.

        Args:
            outputs: tensors of the Program.
            with_writes: whether it updates the tensors that were written.
            fed: computed tensors that are given instead, as further inputs.
        """
        defined = (*self.inputs, *self.constants, *self.renamed)
        self._known = {*defined, *[v for call in self.calls for v in call.outputs]}
        finals = [self._value(t) for t in outputs]
        state = State(taped=[False] * len(finals))
        for write in self._writes.values() if with_writes else ():
            inside = self._inside[id(write.tensor)][0]
            if isinstance(write.tensor._data, jax.Array) and isinstance(inside, Value):
                state.writes.append(write.tensor)
                state.taped.append(False)
                finals.append(self.renamed.get(inside, inside))
        given = {v: Value(v.shape, v.dtype, name=t.name) for t in fed for v in [self._value(t)]}
        calls = self.calls
        if given:
            calls = [
                replace(call, inputs=tuple([given.get(v, v) for v in call.inputs]))
                for call in calls
            ]
            finals = [given.get(v, v) for v in finals]
        whole = Program([], [], self.constants, calls, finals)
        program = prune(whole)
        used = {v for call in program.calls for v in call.inputs} | set(finals)
        captured = [(t, v) for t, _, v in self._captured.values() if v in used]
        state.captures = [t for t, _ in captured]
        program.inputs = [v for v in (*self.inputs, *given.values()) if v in used]
        program.captures = [v for _, v in captured]
        return program, state

    def _value(self, t: Tensor) -> Value:
        data = self._inside[id(t)][0] if id(t) in self._inside else t._data
        if isinstance(data, Value) and data in self._known:
            return self.renamed.get(data, data)
        known = self._captured.get(id(t))
        if known is not None:
            return known[2]
        if isinstance(data, Value) and self.is_sealed(data):
            raise InvalidArgumentError(
                f"{t.name} is computed inside a branch or loop",
                expected="what the branch or loop gives as its result",
                fix="return it from the branch's function",
            )
        raise InvalidArgumentError(
            f"{t.name} is no tensor of this Program",
            expected="tensors that were made under its program_guard",
            fix="pass the Program that the tensor belongs to",
        )

    def copy(self) -> OpenRecorder:
        """Returns a recording with the same calls that goes its own way from here."""
        made = OpenRecorder()
        made.calls, made.inputs = list(self.calls), list(self.inputs)
        made.constants = dict(self.constants)
        made._constant_ids, made._captured = dict(self._constant_ids), dict(self._captured)
        made._writes = {
            key: Write(w.tensor, w.data, w.edge, w.stop, w.version)
            for key, w in self._writes.items()
        }
        made._layers = dict(self._layers)
        made._inside, made.renamed = dict(self._inside), dict(self.renamed)
        made.named, made.unwritten = dict(self.named), set(self.unwritten)
        made.rows, made._sealed = dict(self.rows), set(self._sealed)
        made.owners = {*self.owners, self}
        return made
