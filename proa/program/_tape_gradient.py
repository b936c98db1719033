"""Gradients of a recording that JAX cannot derive: hooks and PyLayers stand on the tape alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from proa.core import Leaf, Node, TapedCall, Tensor, is_inexact, recorded_gradients

from ._program import Program, TapeGradient, prune


class Origin(TapedCall):
    """Where the tape of a recording ends in an argument that the caller has computed.

    A backward pass inside the recording that arrives here goes on outside, after each run.
    """

    __slots__ = ("note",)
    is_origin = True

    def __init__(self, note: Callable[[Tensor], None]) -> None:
        super().__init__((), [], 1)
        self.note = note

    @property
    def saved(self) -> Any:
        """Nothing, and never used up."""
        return ()

    @saved.setter
    def saved(self, value: Any) -> None:
        pass

    @property
    def name(self) -> str:
        """What it is, for messages."""
        return "an argument"

    def input_gradients(self, slots: list[Any], create: bool) -> list[Any]:
        """Hands the gradient on."""
        self.note(slots[0])
        return []


def record_gradient(
    recorder: Any, program: Program, finals: Sequence[Tensor], taped: Sequence[bool]
) -> TapeGradient | None:
    """Records the backward pass of a recording, if the user's code takes part in it.

    Args:
        recorder: the recorder, still open.
        program: the Program of the forward pass.
        finals: the tensors of its outputs.
        taped: which of them can be differentiated.

    Returns:
        A TapeGradient, or `None` where `jax.vjp` of the Program gives the same.
    """
    own = frozenset(t._edge[0] for t in recorder.placeholders if isinstance(_node(t), Leaf))
    ends = [t for t, is_taped in zip(finals, taped, strict=True) if is_taped]
    calls = list(_taped_calls(ends, recorder.first_sequence))
    is_custom = any(not isinstance(node, Node | Origin) for node in calls)
    hooked = any(node.hooks and any(node.hooks.values()) for node in (*calls, *own))
    if not is_custom and not hooked:
        return None
    count = len(recorder.inputs)
    edges = recorder.first_edges()
    seeds = []
    for position, t in enumerate(ends):
        seed = recorder.add_input(t._data.shape, t._data.dtype, f"gradient {position}")
        seed._stop = False
        seeds.append(seed)
    given = list(recorder.inputs[count:])
    gradients = recorded_gradients(ends, seeds, edges, recorder.first_sequence, own)
    outputs = [recorder.value_of(g) for g in gradients if g is not None]
    full = Program(
        [*program.inputs, *given], program.captures, recorder.constants, recorder.calls, outputs
    )
    wanted = tuple([g is not None for g in gradients])
    return TapeGradient(prune(full), wanted, tuple(taped), is_custom)


def has_graph(t: Tensor) -> bool:
    """Whether something can still be differentiated through an output.

    After `loss.backward()` inside the function the graph of `loss` is used up.
    """
    if t._stop or not is_inexact(t._data.dtype):
        return False
    return t._edge is None or getattr(t._edge[0], "saved", t) is not None


def _node(t: Tensor) -> Any:
    return None if t._edge is None else t._edge[0]


def _taped_calls(ends: Sequence[Tensor], since: int) -> Iterator[Any]:
    seen = set()
    stack = [_node(t) for t in ends]
    while stack:
        node = stack.pop()
        if node is None or node in seen or node.sequence < since:
            continue
        seen.add(node)
        yield node
        stack.extend(edge[0] for edge in node.edges if edge is not None)
