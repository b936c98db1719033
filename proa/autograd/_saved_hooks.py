"""Hooks on the tensors that the tape keeps for the backward pass."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from proa.core import Node, TapedCall, Tensor, interceptors, new_gradient, new_tensor

_state = threading.local()


def pack_hooks() -> tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]] | None:
    """The innermost pair of hooks of this thread, if any."""
    active = getattr(_state, "active", None)
    return active[-1] if active else None


def _shown(array: Any, is_live: bool) -> Tensor:
    """A saved input as the hooks see it: off the tape, its `stop_gradient` that of the input."""
    return new_gradient(array) if is_live else new_tensor(array)


class PackedCall(TapedCall):
    """An op call whose saved inputs were handed to a pack hook; `saved` is what it gave."""

    __slots__ = ("node", "unpack")

    def __init__(self, node: Node, pack: Callable[..., Any], unpack: Callable[..., Any]) -> None:
        pairs = zip(node.saved, node.edges, strict=True)
        packed = [pack(_shown(array, edge is not None)) for array, edge in pairs]
        super().__init__(packed, node.edges, node.num_outputs)
        self.sequence = node.sequence
        self.node, self.unpack = node, unpack
        node.saved = None

    @property
    def name(self) -> str:
        """Name of the op."""
        return self.node.name

    def input_gradients(self, slots: list[Any], create: bool) -> list[Any]:
        """Unpacks the inputs and goes on as the op call itself would."""
        self.node.saved = [self.unpack(value)._data for value in self.saved]
        try:
            return self.node.input_gradients(slots, create)
        finally:
            self.node.saved = None


def _intercept(op: Any, tensors: tuple[Any, ...], key: Any, proceed: Callable[..., Any]) -> Any:
    result = proceed(op, tensors, key)
    hooks = pack_hooks()
    if hooks is None:
        return result
    outputs = result if isinstance(result, tuple) else (result,)
    made: dict[int, PackedCall] = {}
    # Ops that the hooks themselves call are not packed again.
    _state.active, previous = [], _state.active
    try:
        for t in outputs:
            if t._stop or t._edge is None or not isinstance(t._edge[0], Node):
                continue
            node, index = t._edge
            if id(node) not in made:
                if not isinstance(node.saved, list):
                    continue
                made[id(node)] = PackedCall(node, *hooks)
            t._edge = (made[id(node)], index)
    finally:
        _state.active = previous
    return result


class saved_tensors_hooks:
    """Context manager: what the tape saves passes through two hooks.

    `pack_hook(tensor)` is called when a tensor is saved and may return anything (a file name,
    an array in host memory); `unpack_hook(value)` gives the tensor back when it is needed.

    Args:
        pack_hook: called with each saved tensor.
        unpack_hook: called with what `pack_hook` returned.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([3.0], stop_gradient=False)
        >>> with proa.autograd.saved_tensors_hooks(lambda t: t.numpy(), proa.to_tensor):
        ...     y = x * x
        >>> y.backward()
        >>> x.grad.tolist()
        [6.0]
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if not hasattr(_state, "active"):
            _state.active = []
        _state.active.append(self.hooks)
        interceptors.append(_intercept)

    def __exit__(self, *exception: object) -> None:
        _state.active.pop()
        interceptors.remove(_intercept)
