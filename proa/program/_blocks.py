"""Blocks: parts of a recording that are kept apart, as the body of a branch or of a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proa.core import Tensor

from ._program import Call, Program, Value, prune
from ._tape_gradient import has_graph


@dataclass
class Write:
    """A tensor that was written during recording, as it was before."""

    tensor: Tensor
    data: Any
    edge: Any
    stop: bool
    version: int

    def undo(self) -> None:
        """Gives the tensor back what it held."""
        t = self.tensor
        t._data, t._edge, t._stop, t._version = self.data, self.edge, self.stop, self.version


@dataclass
class Result:
    """A tensor that a block gives: its Value, and whether a gradient flows to it."""

    value: Value
    is_taped: bool
    #: What it came from, where the block only hands on a tensor from outside.
    tensor: Tensor


@dataclass
class Block:
    """Calls recorded apart, with what they read from outside and write there.

    Attributes:
        calls: the op calls.
        defined: Values that exist inside only.
        reads: per Value from outside, a tensor that holds it there.
        touched: tensors that were written, as they were before.
        gradients: tensors whose gradient was replaced, with the one before.
        results: what the block's function returned: a `Result` per tensor, else the value.
        writes: per tensor from outside that was written, its last state.
        grads: per tensor from outside whose gradient changed, that before and after.
        used: nodes of the tape that a backward pass has used up, with what they had saved.
    """

    calls: list[Call] = field(default_factory=list)
    defined: set[Value] = field(default_factory=set)
    reads: dict[Value, Tensor] = field(default_factory=dict)
    touched: dict[int, Write] = field(default_factory=dict)
    gradients: dict[int, tuple[Tensor, Any]] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    writes: dict[int, tuple[Tensor, Result]] = field(default_factory=dict)
    grads: dict[int, tuple[Tensor, Any, Any]] = field(default_factory=dict)
    used: list[tuple[Any, Any]] = field(default_factory=list)

    def note_read(self, value: Value, t: Tensor) -> None:
        """Notes that a Value is used; one from outside must be handed in."""
        if value in self.defined:
            return
        known = self.reads.get(value)
        # The same Value may be held detached as well: then the gradient takes the other way.
        if known is None or (known._stop and not t._stop):
            self.reads[value] = t

    def result_of(self, recorder: Any, t: Tensor) -> Result:
        """Returns what a tensor stands for at the end of the block."""
        value = recorder.value_of(t)
        self.note_read(value, t)
        return Result(value, has_graph(t), t)

    def program(self, inputs: Sequence[Value], outputs: Sequence[Value]) -> Program:
        """Returns the block as a Program."""
        return prune(Program(list(inputs), [], {}, self.calls, list(outputs)))


def record_block(
    recorder: Any, function: Callable[[], Sequence[Any]], define: Sequence[Value] = ()
) -> Block:
    """Records a function's calls apart; what it wrote outside is put back.

    Args:
        recorder: the open recorder.
        function: returns the block's results.
        define: Values that stand for the block's parameters.

    """
    block = Block(defined=set(define))
    with recorder.in_block(block):
        try:
            block.results = [
                block.result_of(recorder, leaf) if isinstance(leaf, Tensor) else leaf
                for leaf in function()
            ]
            _collect_writes(recorder, block)
        finally:
            for write in block.touched.values():
                write.undo()
            for t, before in block.gradients.values():
                t._grad = before
            # Another branch, or the same one once more, goes along the same tape.
            for node, saved in reversed(block.used):
                node.saved = saved
    return block


def _collect_writes(recorder: Any, block: Block) -> None:
    for key, (t, before) in block.gradients.items():
        after, write = t._grad, block.touched.get(key)
        if after is before or not _is_outside(recorder, block, t, write):
            continue
        if isinstance(after, Tensor):
            after = block.result_of(recorder, after)
        block.grads[key] = (t, before, after)
    for key, write in block.touched.items():
        t = write.tensor
        if t._data is not write.data and _is_outside(recorder, block, t, write):
            block.writes[key] = (t, block.result_of(recorder, t))


def _is_outside(recorder: Any, block: Block, t: Tensor, write: Write | None) -> bool:
    """Whether a tensor was there before the block (and is no leftover of another one)."""
    before = t._data if write is None else write.data
    if not isinstance(before, Value):
        return True
    return before not in block.defined and not recorder.is_sealed(before)
