"""User-written pairs of forward and backward functions, as entries of the tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa.core import (
    GradMode,
    InvalidArgumentError,
    InvalidTypeError,
    TapedCall,
    Tensor,
    UnsupportedError,
    alias,
    as_gradient,
    context,
    is_inexact,
)
from proa.ops import zeros_like

from ._saved_hooks import pack_hooks


class PyLayerContext:
    """What `PyLayer.forward` leaves for `PyLayer.backward`; attributes may be set freely.

    Examples:
        >>> import proa
        >>> class Cube(proa.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x * x
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         (x,) = ctx.saved_tensor()
        ...         return gradient * 3 * x * x
        >>> x = proa.to_tensor(2.0, stop_gradient=False)
        >>> Cube.apply(x).backward()
        >>> float(x.grad)
        12.0
    """

    def __init__(self) -> None:
        self._saved: list[Any] = []
        self._constant_ids: set[int] = set()
        self._fresh_ids: set[int] = set()
        self._materialize = True
        #: Per output a handle to make zeros from, where its gradient is missing.
        self._likes: list[Any] = []
        self._call: Any = None

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keeps tensors, as they are now, for the backward function.

        Args:
            tensors: inputs, outputs or intermediate tensors; `None` is allowed.

        Raises:
            InvalidTypeError: something else than a Tensor.
        """
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise InvalidTypeError(
                    f"save_for_backward got a {type(t).__name__}",
                    expected="Tensors",
                    fix="keep other values as attributes: ctx.value = value",
                )
        self._saved = [None if t is None else _Saved(t) for t in tensors]

    def saved_tensor(self) -> tuple[Any, ...]:
        """Returns what `save_for_backward` kept."""
        return tuple([None if s is None else s.restore(self._call) for s in self._saved])

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says that outputs have no gradient.

        Args:
            tensors: outputs of the forward function.
        """
        self._constant_ids.update(id(t) for t in tensors)

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Says that outputs which are inputs were not written in place.

        Args:
            tensors: inputs that the forward function returns.
        """
        self._fresh_ids.update(id(t) for t in tensors)

    def set_materialize_grads(self, value: bool) -> None:
        """Says whether missing output gradients arrive as zeros (the default) or as `None`.

        Args:
            value: `True` for zeros.
        """
        self._materialize = bool(value)

    def set_grad_in_dtype_consistent(self, flag: bool) -> None:
        """Kept for Paddle's signature: gradients always have the dtype of their output.

        Args:
            flag: ignored.
        """


class _Saved:
    """A tensor as it was when it was saved.

    Tensors that turn out to be outputs are kept by their position: their tape entry holds
    this object, and a reference back would be a cycle.
    """

    __slots__ = ("edge", "handle", "output", "stop", "unpack", "value")

    def __init__(self, t: Tensor) -> None:
        self.handle: Any = t
        self.output: int | None = None
        hooks = pack_hooks()
        held = alias(t) if t._stop else as_gradient(t)
        self.value = held if hooks is None else hooks[0](held)
        self.unpack = None if hooks is None else hooks[1]
        self.stop = t._stop
        self.edge = None if t._stop else (t._edge or t._leaf_edge())

    def settle(self, outputs: Sequence[Any]) -> None:
        """Drops the handle, once it is known which output it is."""
        found = [i for i, t in enumerate(outputs) if t is self.handle]
        self.output = found[0] if found else None
        self.handle = None

    def restore(self, call: Any) -> Tensor:
        """Returns the saved tensor with its place on the tape."""
        if self.handle is not None:
            return self.handle
        t = alias(self.value if self.unpack is None else self.unpack(self.value))
        if self.output is not None and call is not None and not call.constant[self.output]:
            t._stop, t._edge = False, (call, self.output)
        else:
            t._stop, t._edge = self.stop, self.edge
        return t


class PyLayerCall(TapedCall):
    """The tape's entry of one `PyLayer.apply`; `saved` is the context."""

    __slots__ = ("constant", "groups", "layer")

    def __init__(
        self, layer: type[PyLayer], saved: PyLayerContext, edges: list[Any], groups: list[Any]
    ) -> None:
        super().__init__(saved, edges, 0)
        self.layer, self.groups = layer, groups
        #: Per output: whether it has no gradient.
        self.constant: list[bool] = []

    @property
    def name(self) -> str:
        """Name of the user's class."""
        return self.layer.__name__

    def add_output(self, t: Tensor, constant: bool) -> None:
        """Takes up the next output."""
        self.constant.append(constant)
        self.saved._likes.append(alias(t) if self.saved._materialize else None)
        self.num_outputs += 1

    def input_gradients(self, slots: list[Any], create: bool) -> list[Any]:
        """Runs the user's backward function."""
        ctx = self.saved
        given = [
            zeros_like(like) if g is None and like is not None else g
            for g, like in zip(slots, ctx._likes, strict=True)
        ]
        ctx._call = self
        try:
            with GradMode(create):
                returned = self.layer.backward(ctx, *given)
        finally:
            ctx._call = None
        return self._spread(returned)

    def _spread(self, returned: Any) -> list[Any]:
        """One gradient per input tensor; inputs in a list may have theirs in a list."""
        parts = list(returned) if isinstance(returned, tuple | list) else [returned]
        if len(parts) == len(self.groups) and len(parts) != len(self.edges):
            parts = [
                g
                for part, size in zip(parts, self.groups, strict=True)
                for g in (part if isinstance(part, tuple | list) else [part] * size)
            ]
        needed = self.edges[len(parts) :]
        if len(parts) > len(self.edges) or any(edge is not None for edge in needed):
            raise InvalidArgumentError(
                f"{self.name}.backward returned {len(parts)} gradients",
                expected=f"{len(self.edges)}, one per Tensor that {self.name}.forward takes",
                fix="return None for inputs without a gradient",
            )
        parts += [None] * len(needed)
        for position, gradient in enumerate(parts):
            if gradient is not None and not isinstance(gradient, Tensor):
                raise InvalidTypeError(
                    f"{self.name}.backward returned a {type(gradient).__name__} "
                    f"as gradient {position}",
                    expected="a Tensor or None",
                    fix="wrap numbers: proa.to_tensor(value)",
                )
        return parts


def _collect(values: Sequence[Any]) -> tuple[list[Tensor], list[int]]:
    """All tensors among arguments (also in lists), and how many each argument holds."""
    tensors: list[Tensor] = []
    groups: list[int] = []
    for value in values:
        found = list(value) if isinstance(value, list | tuple) else [value]
        found = [t for t in found if isinstance(t, Tensor)]
        if found:
            tensors.extend(found)
            groups.append(len(found))
    return tensors, groups


class PyLayer:
    """Base of an operation whose gradient the user writes.

    Derive a class with two static methods: `forward(ctx, ...)`, which computes outputs from
    inputs with gradients off, and `backward(ctx, *output_gradients)`, which returns a
    gradient (or `None`) per input Tensor. Call it through `apply`. When `backward` is made of
    ops it can be differentiated in turn.
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; written by the user.

        Args:
            ctx: keeps what `backward` needs.
            args: what `apply` was called with.
            kwargs: what `apply` was called with.
        """
        raise UnsupportedError(
            "a PyLayer without `forward`",
            expected="a static method forward(ctx, ...)",
            fix="define it in your class",
        )

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any) -> Any:
        """Computes gradients of the inputs; written by the user.

        Args:
            ctx: what `forward` left.
            args: gradients of the outputs.
        """
        raise UnsupportedError(
            "a PyLayer without `backward`",
            expected="a static method backward(ctx, *gradients)",
            fix="define it in your class",
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs `forward` and puts the call on the tape.

        Args:
            args: arguments of `forward` after `ctx`.
            kwargs: its keyword arguments.

        Returns:
            What `forward` returned.
        """
        ctx = PyLayerContext()
        inputs, groups = _collect((*args, *kwargs.values()))
        taped = context.grad_enabled and any(not t._stop for t in inputs)
        # Before forward runs, as it may write into its inputs.
        edges = [None if t._stop else (t._edge or t._leaf_edge()) for t in inputs]
        versions = {id(t): t.inplace_version for t in inputs}
        with GradMode(False):
            returned = cls.forward(ctx, *args, **kwargs)
        if not taped:
            return returned
        call = PyLayerCall(cls, ctx, edges, groups)
        single = not isinstance(returned, tuple | list)
        outputs = [returned] if single else list(returned)
        finished = [_finish(call, t, versions) for t in outputs]
        tensors = [t for t in outputs if isinstance(t, Tensor)]
        for saved in ctx._saved:
            if saved is not None:
                saved.settle(tensors)
        return finished[0] if single else type(returned)(finished)


def _finish(call: PyLayerCall, output: Any, versions: dict[int, int]) -> Any:
    """Gives an output its place on the tape."""
    if not isinstance(output, Tensor):
        return output
    ctx = call.saved
    index = call.num_outputs
    constant = id(output) in ctx._constant_ids or not is_inexact(output._data.dtype)
    call.add_output(output, constant)
    known = versions.get(id(output))
    if known is not None and (known == output.inplace_version or id(output) in ctx._fresh_ids):
        # An input that comes back unchanged keeps its own place; the result has another one.
        output = alias(output)
    if not constant:
        output._stop, output._edge = False, (call, index)
    return output


Function = PyLayer
