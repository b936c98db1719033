"""The tape: backward walks taped calls, newest first, and calls each op's VJP through dispatch."""

from __future__ import annotations

import functools
import heapq
import inspect
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from ._context import context, interceptors
from ._dispatch import CAUGHT, Node, Residuals, TapedCall, dispatch, is_inexact
from ._errors import InvalidArgumentError, InvalidTypeError, PreconditionError
from ._registry import Facts, register
from ._tensor import (
    Leaf,
    Tensor,
    alias,
    attach_method,
    new_gradient,
    new_tensor,
    tensor_method,
)


class _ZeroGrad:
    """Stands for a gradient of zeros that nobody has looked at (`clear_grad(True)`)."""

    __slots__ = ()


ZERO_GRAD = _ZeroGrad()
_hook_ids = count()


class GradMode:
    """Context manager and decorator that switches taping on or off, in this thread.

    Args:
        enabled: whether taping is on.
        at_once: switch now, for good where the object is not used as one of the two.
    """

    def __init__(self, enabled: bool, at_once: bool = False) -> None:
        self.enabled = enabled
        self._before: bool | None = None
        if at_once:
            self._before, context.grad_enabled = context.grad_enabled, enabled

    def __enter__(self) -> None:
        self._take_back()
        context.outer_grad_modes.append(context.grad_enabled)
        context.grad_enabled = self.enabled

    def _take_back(self) -> None:
        if self._before is not None:
            context.grad_enabled, self._before = self._before, None

    def __exit__(self, *exception: object) -> None:
        context.grad_enabled = context.outer_grad_modes.pop()

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        self._take_back()
        enabled = self.enabled
        if inspect.isgeneratorfunction(fn):
            return _generator_in_mode(fn, enabled)

        @functools.wraps(fn)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with GradMode(enabled):
                return fn(*args, **kwargs)

        return wrapped


def _generator_in_mode(fn: Callable[..., Any], enabled: bool) -> Callable[..., Any]:
    """Wraps a generator function: the mode holds while its body runs, not while it waits."""

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        generator = fn(*args, **kwargs)
        step: Callable[[], Any] = functools.partial(next, generator)
        while True:
            try:
                with GradMode(enabled):
                    value = step()
            except StopIteration as end:
                return end.value
            try:
                step = functools.partial(generator.send, (yield value))
            except GeneratorExit:
                with GradMode(enabled):
                    generator.close()
                raise
            except BaseException as error:
                step = functools.partial(generator.throw, error)

    return wrapped


def no_grad(func: Callable[..., Any] | None = None) -> Any:
    """Switches taping off, as a context manager or as a decorator.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0], stop_gradient=False)
        >>> with proa.no_grad():
        ...     y = x * 2
        >>> y.stop_gradient
        True
    """
    return GradMode(False) if func is None else GradMode(False)(func)


def enable_grad(func: Callable[..., Any] | None = None) -> Any:
    """Switches taping on inside a `no_grad` region."""
    return GradMode(True) if func is None else GradMode(True)(func)


def set_grad_enabled(mode: bool) -> GradMode:
    """Switches taping to `mode` at once: for good, or as a context manager until its end.

    Args:
        mode: whether taping is on in this thread.

    Returns:
        A context manager and decorator; what was before holds again after it.

    Examples:
        >>> import proa
        >>> mode = proa.set_grad_enabled(False)
        >>> proa.is_grad_enabled()
        False
        >>> mode = proa.set_grad_enabled(True)
    """
    return GradMode(bool(mode), at_once=True)


def is_grad_enabled() -> bool:
    """Whether taping is on in this thread."""
    return context.grad_enabled


def _zeros_like(x: Any) -> Any:
    return jnp.zeros_like(x)


def _ones(x: Any) -> Any:
    return jnp.ones_like(x)


def _sum_pair(x: Any, y: Any) -> Any:
    return x + y


def as_gradient(t: Tensor) -> Tensor:
    """Returns a second handle that says of itself what a gradient does."""
    twin = alias(t)
    twin._claims_gradient = True
    return twin


def _sum(known: Tensor, gradient: Tensor) -> Tensor:
    total = dispatch(_sum_op, (known, gradient), _K0)
    total._claims_gradient = True
    return total


def _array_op(name: str, fn: Callable[..., Any], **annotations: str) -> Any:
    fn.__annotations__ = annotations
    return register(name, fn, Facts(method=None, public=False))


_ones_op = _array_op("grad_seed", _ones, x="Array")
_sum_op = _array_op("grad_sum", _sum_pair, x="Array", y="Array")
_K0 = (None, ())


class Walk:
    """One backward pass.

    Args:
        retain: keep what nodes have saved.
        create: make the pass itself differentiable.
        targets: edges whose gradients are wanted; `None` for those of all leaves.
        since: older nodes (by their sequence) end the walk, as constants would.
    """

    def __init__(
        self, retain: bool, create: bool, targets: dict[Any, int] | None, since: int = -2
    ) -> None:
        self.retain, self.create, self.targets, self.since = retain, create, targets, since
        self.own_leaves: frozenset[Leaf] = frozenset()
        self.pending: dict[Any, list[Any]] = {}
        self.heap: list[tuple[int, int, Any]] = []
        self.found: dict[int, Tensor] = {}
        self._arrivals = count()

    def add(self, edge: tuple[Any, int], gradient: Tensor) -> None:
        """Adds a cotangent for one output of a node."""
        node, index = edge
        slots = self.pending.get(node)
        if slots is None:
            outputs = 1 if isinstance(node, Leaf) else node.num_outputs
            slots = self.pending[node] = [None] * outputs
            # Leaves are equal in their sequence: they go in the order of their arrival, since
            # an order of addresses would give the next process another compiled function.
            heapq.heappush(self.heap, (-node.sequence, next(self._arrivals), node))
        known = slots[index]
        slots[index] = gradient if known is None else _sum(known, gradient)

    def run(self) -> None:
        """Walks the tape until no cotangent is left."""
        while self.heap:
            node = heapq.heappop(self.heap)[2]
            slots = self.pending.pop(node)
            is_walked = node.sequence >= self.since or node in self.own_leaves
            if node.hooks and is_walked:
                self._run_hooks(node, slots)
            if self.targets is not None:
                for index, gradient in enumerate(slots):
                    wanted = self.targets.get((node, index))
                    if wanted is not None and gradient is not None:
                        self.found[wanted] = gradient
            if isinstance(node, Leaf):
                if self.targets is None:
                    _accumulate(node, slots[0], self.create)
            elif is_walked and not (node.is_origin and self._is_target(node)):
                self._propagate(node, slots)

    def _is_target(self, node: Any) -> bool:
        return any(wanted[0] is node for wanted in self.targets or ())

    def _run_hooks(self, node: Any, slots: list[Any]) -> None:
        for index, hooks in node.hooks.items():
            for _, hook in list(hooks):
                if slots[index] is None:
                    continue
                result = hook(slots[index])
                if result is not None:
                    result = _checked_by_hook(result, slots[index])
                    slots[index] = result if self.create else as_gradient(result)

    def _propagate(self, node: TapedCall, slots: list[Any]) -> None:
        if node.saved is None:
            raise PreconditionError(
                f"backward through `{node.name}` a second time",
                expected="a graph whose saved values are still there",
                fix="call backward(retain_graph=True) (or grad(..., retain_graph=True)) before",
            )
        gradients = node.input_gradients(slots, self.create)
        for edge, gradient in zip(node.edges, gradients, strict=True):
            if edge is not None and gradient is not None:
                self.add(edge, gradient)
        if not self.retain:
            if context.recorder is not None:
                context.recorder.note_used(node)
            node.saved = None


def _checked_by_hook(result: Any, gradient: Tensor) -> Tensor:
    """What a hook returned in a gradient's place: of its shape, cast to its dtype."""
    if not isinstance(result, Tensor):
        raise InvalidTypeError(
            f"a gradient hook returned a {type(result).__name__}",
            expected="a Tensor, or None to leave the gradient as it is",
            fix="wrap it: proa.to_tensor(value)",
        )
    if result._data.shape != gradient._data.shape:
        raise InvalidArgumentError(
            f"a gradient hook returned shape {result.shape} for a gradient of {gradient.shape}",
            expected="a gradient of the same shape",
            fix="reshape or expand it in the hook",
        )
    if result._data.dtype != gradient._data.dtype:
        return result.astype(gradient.dtype)  # type: ignore[attr-defined]
    return result


def node_gradients(node: Node, slots: list[Any], create: bool) -> list[Any]:
    """Gradients of a taped op call's inputs, through the op's VJP."""
    op, saved = node.op, node.saved
    if not create and saved.__class__ is list and context.recorder is None and not interceptors:
        found = _direct_gradients(node, slots)
        if found is not None:
            return found
    given = [g for g in slots if g is not None]
    mask = tuple([g is not None for g in slots])
    if saved.__class__ is Residuals:
        arrays, positions, pull = saved
        if not create:
            return _scatter(len(arrays), positions, op.backward_with(pull, given, mask, node.key))
    else:
        arrays = saved
        positions = tuple(
            [
                i
                for i, edge in enumerate(node.edges)
                if edge is not None and is_inexact(arrays[i].dtype)
            ]
        )
    if not positions:
        return [None] * len(arrays)
    inputs = []
    for array, edge in zip(arrays, node.edges, strict=True):
        t = new_tensor(array)
        if create and edge is not None:
            t._stop, t._edge = False, edge
        inputs.append(t)
    key = (node.key, len(arrays), positions, mask)
    return _scatter(len(arrays), positions, dispatch(op.vjp, (*inputs, *given), key))


def _direct_gradients(node: Node, slots: list[Any]) -> list[Any] | None:
    """Gradients by the VJP's kernel itself, where nobody listens to dispatch.

    A gradient that is the output's own (both sides of an addition) is handed on without a call.

    Returns:
        What `node_gradients` does; `None` where the kernel has failed, and dispatch says why.
    """
    op, arrays = node.op, node.saved
    full: list[Any] = [None] * len(arrays)
    first, passes = slots[0], op.passes
    positions = []
    for i, edge in enumerate(node.edges):
        if edge is None:
            continue
        array = arrays[i]
        if i in passes and first is not None:
            seed = first._data
            if seed.shape == array.shape and seed.dtype == array.dtype:
                full[i] = new_gradient(seed)
                continue
        if is_inexact(array.dtype):
            positions.append(i)
    if not positions:
        return full
    mask = _ONE_OUTPUT if len(slots) == 1 else tuple([g is not None for g in slots])
    key = (node.key, len(arrays), tuple(positions), mask)
    vjp = op.vjp
    try:
        kernel = vjp.kernels.get(key) or vjp.make_kernel(key)
        found = kernel(*arrays, *[g._data for g in slots if g is not None])
    except CAUGHT:
        return None
    for i, gradient in zip(positions, found, strict=True):
        full[i] = new_gradient(gradient)
    return full


_ONE_OUTPUT = (True,)


def _scatter(length: int, positions: tuple[int, ...], gradients: Sequence[Any]) -> list[Any]:
    full: list[Any] = [None] * length
    for position, gradient in zip(positions, gradients, strict=True):
        gradient._claims_gradient = True
        full[position] = gradient
    return full


# The tape alone knows about gradients; dispatch only makes the nodes.
Node.input_gradients = node_gradients  # type: ignore[method-assign]


def _accumulate(leaf: Leaf, gradient: Tensor, create: bool) -> None:
    t = leaf.tensor()
    if t is None:
        return
    if gradient._data.shape != t._data.shape:
        raise InvalidArgumentError(
            f"a gradient of shape {gradient.shape} for leaf {t.name!r} of shape {t.shape}",
            expected="a gradient of the leaf's own shape",
            fix="check what PyLayer.backward returns, and that the leaf was not reshaped since",
        )
    if t._grad_dtype is not None and gradient.dtype is not t._grad_dtype:
        gradient = gradient.astype(t._grad_dtype)  # type: ignore[attr-defined]
    recorder = context.recorder
    if recorder is not None:
        recorder.note_grad(t)
    known = t._grad
    if known is None or known is ZERO_GRAD:
        # A hook or another leaf may hold the same handle; a fresh one keeps sums apart.
        if not create:
            claims, gradient = gradient._claims_gradient, alias(gradient)
            gradient._claims_gradient = claims
        t._grad = gradient
    else:
        total = dispatch(_sum_op, (known, gradient), _K0)
        if recorder is not None:
            recorder.note_write(known)
        # The handle stays the same, so whoever holds it (or captured it) sees the sum.
        known._data, known._edge, known._stop = total._data, total._edge, total._stop


def _seed(output: Tensor, given: Any) -> Tensor:
    if given is None:
        return _unit_seed(output)
    if not isinstance(given, Tensor):
        given = Tensor(given)
    if list(given.shape) != list(output.shape):
        raise InvalidArgumentError(
            f"the gradient given for an output of shape {output.shape} has shape {given.shape}",
            expected="a gradient of the output's own shape",
            fix="reshape or expand the gradient",
        )
    return as_gradient(given) if given._stop else given


#: Ones to start from, by where a loss lies and its dtype: nobody overwrites what is shared.
_seeds: dict[Any, Any] = {}


def _unit_seed(output: Tensor) -> Tensor:
    data = output._data
    is_plain = isinstance(data, jax.Array) and not isinstance(data, Tracer) and not data.shape
    if not is_plain or context.recorder is not None or interceptors:
        seed = dispatch(_ones_op, (output,), _K0)
        seed._claims_gradient = True
        return seed
    key = (data.sharding, data.dtype)
    found = _seeds.get(key)
    if found is None:
        found = _seeds[key] = dispatch(_ones_op, (output,), _K0)._data
    return new_gradient(found)


def _check_root(t: Any) -> None:
    if not isinstance(t, Tensor):
        raise InvalidTypeError(
            f"backward from a {type(t).__name__}", expected="a Tensor", fix="pass tensors only"
        )
    if t._stop:
        raise PreconditionError(
            f"backward from tensor {t.name!r} of shape {t.shape}, which has stop_gradient=True",
            expected="a tensor computed from one with stop_gradient=False",
            fix="set x.stop_gradient = False on an input, and check for no_grad() or detach()",
        )
    if not is_inexact(t._data.dtype):
        raise InvalidTypeError(
            f"backward from a tensor of dtype {t.dtype.name}",
            expected="a floating or complex tensor",
            fix="compute the loss in a floating dtype",
        )


def run_backward(
    tensors: Sequence[Tensor], grad_tensors: Sequence[Any] | None = None, retain: bool = False
) -> None:
    """Sums up gradients of `tensors` in the `.grad` of all leaf tensors they depend on.

    Args:
        tensors: where to start.
        grad_tensors: gradients of these tensors; ones where `None`.
        retain: keep what the walk needs, so that it can be done again.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    given = [None] * len(tensors) if grad_tensors is None else grad_tensors
    given = [given] if isinstance(given, Tensor) else list(given)
    if len(given) != len(tensors):
        raise InvalidArgumentError(
            f"{len(tensors)} tensors but {len(given)} gradients",
            expected="one gradient (or None) per tensor",
            fix="give both lists the same length",
        )
    walk = Walk(retain, create=False, targets=None)
    with GradMode(False):
        for t, gradient in zip(tensors, given, strict=True):
            _check_root(t)
            walk.add(t._edge or t._leaf_edge(), _seed(t, gradient))
        walk.run()
        for finish in list(after_backward):
            finish()


#: What is called when a `backward()` has ended; whoever adds an entry removes it.
after_backward: list[Callable[[], None]] = []


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
) -> list[Any]:
    """Gradients of the sum of `outputs` with respect to `inputs`; `.grad` is not touched.

    Args:
        outputs: a Tensor or several.
        inputs: a Tensor or several; leaves or not.
        grad_outputs: gradients of the outputs; ones where `None`.
        retain_graph: keep the tape; by default as `create_graph`.
        create_graph: tape the walk itself, for derivatives of higher order.
        only_inputs: kept for Paddle's signature; only `True` works.
        allow_unused: give `None` for an input the outputs do not depend on.
        no_grad_vars: tensors that count as constants.

    Returns:
        One gradient Tensor (or `None`) per input.

    Raises:
        InvalidArgumentError: an input is not reached and `allow_unused` is false.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor(3.0, stop_gradient=False)
        >>> (first,) = proa.grad(x * x * x, x, create_graph=True)
        >>> (second,) = proa.grad(first, x)
        >>> float(second)
        18.0
    """
    if not only_inputs:
        raise InvalidArgumentError(
            "only_inputs=False", expected="only_inputs=True", fix="use backward() instead"
        )
    outs = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    ins = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    seeds = [None] * len(outs) if grad_outputs is None else grad_outputs
    seeds = [seeds] if isinstance(seeds, Tensor) else list(seeds)
    blocked = [no_grad_vars] if isinstance(no_grad_vars, Tensor) else list(no_grad_vars or ())
    retain = create_graph if retain_graph is None else retain_graph
    targets = {(t._edge or t._leaf_edge()): i for i, t in reversed(list(enumerate(ins)))}
    walk = Walk(retain, create_graph, targets)
    walk_blocked = {t._edge for t in blocked if t._edge is not None}
    reached = _reaching({node for node, _ in targets}, outs)
    with GradMode(create_graph):
        for t, seed in zip(outs, seeds, strict=True):
            _check_root(t)
            walk.add(t._edge or t._leaf_edge(), _seed(t, seed))
        walk.add = _filtered(walk.add, reached, walk_blocked)  # type: ignore[method-assign]
        walk.run()
    return [_result(walk, targets, t, i, allow_unused) for i, t in enumerate(ins)]


def recorded_gradients(
    outputs: Sequence[Tensor],
    seeds: Sequence[Tensor],
    edges: Sequence[Any],
    since: int,
    own_leaves: frozenset[Leaf],
) -> list[Tensor | None]:
    """Gradients with respect to tape edges, along taped calls of a recording only.

    Args:
        outputs: what to differentiate.
        seeds: their gradients.
        edges: the edges; `None` for those without a gradient.
        since: sequence of the recording's first taped call.
        own_leaves: leaves made for the recording; hooks of other leaves run later, when the
            walk outside reaches them.
    """
    targets: dict[Any, int] = {}
    for edge in edges:
        if edge is not None:
            targets.setdefault(edge, len(targets))
    walk = Walk(retain=True, create=True, targets=targets, since=since)
    walk.own_leaves = own_leaves
    with GradMode(True):
        for t, seed in zip(outputs, seeds, strict=True):
            walk.add(t._edge or t._leaf_edge(), seed)
        walk.run()
    return [None if edge is None else walk.found.get(targets[edge]) for edge in edges]


def _result(walk: Walk, targets: Any, t: Tensor, position: int, allow_unused: bool) -> Any:
    gradient = walk.found.get(targets[t._edge or t._leaf_edge()])
    if gradient is None and not allow_unused:
        raise InvalidArgumentError(
            f"input {position} (shape {t.shape}) is not reached from the outputs",
            expected="inputs that the outputs were computed from, with stop_gradient=False",
            fix="pass allow_unused=True to get None for it",
        )
    if gradient is not None:
        # Asked for by name it is a result like any other.
        gradient._claims_gradient = False
    return gradient


def _filtered(add: Any, reached: set[Any], blocked: set[Any]) -> Callable[..., None]:
    def filtered(edge: tuple[Any, int], gradient: Tensor) -> None:
        if edge[0] in reached and edge not in blocked:
            add(edge, gradient)

    return filtered


def _reaching(targets: set[Any], roots: Sequence[Tensor]) -> set[Any]:
    """Nodes from which a target can be reached; the others need no work."""
    order: list[Any] = []
    seen: set[Any] = set()
    stack = [t._edge[0] for t in roots if t._edge is not None]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        if not isinstance(node, Leaf):
            stack.extend(edge[0] for edge in node.edges if edge is not None)
    reached = set(targets)
    # A node's inputs are older than it, so ascending order sees them first.
    for node in sorted(order, key=lambda n: n.sequence):
        if not isinstance(node, Leaf) and any(
            e is not None and e[0] in reached for e in node.edges
        ):
            reached.add(node)
    return reached


@tensor_method
def backward(self: Tensor, grad_tensor: Any = None, retain_graph: bool = False) -> None:
    """Sums up gradients of this tensor in the leaves' `.grad`.

    Args:
        grad_tensor: gradient of this tensor; ones by default.
        retain_graph: keep the tape for another walk.

    Raises:
        PreconditionError: nothing to differentiate, or the graph was freed.
    """
    run_backward([self], [grad_tensor], retain_graph)


@tensor_method
def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> Any:
    """Calls `hook(gradient)` when this tensor's gradient is known; a result replaces it.

    Returns:
        An object with `remove()`.

    Raises:
        PreconditionError: the tensor has stop_gradient=True.
    """
    if self._stop:
        raise PreconditionError(
            f"register_hook on tensor {self.name!r} with stop_gradient=True",
            expected="a tensor that takes part in differentiation",
            fix="set stop_gradient = False before",
        )
    node, index = self._edge or self._leaf_edge()
    node.hooks = node.hooks or {}
    hooks = node.hooks.setdefault(index, [])
    entry = (next(_hook_ids), hook)
    hooks.append(entry)
    return HookHandle(hooks, entry)


class HookHandle:
    """Removes a registered hook."""

    def __init__(self, hooks: list[Any], entry: Any) -> None:
        self._hooks, self._entry = hooks, entry

    def remove(self) -> bool:
        """Removes the hook; returns whether it was still there."""
        if self._entry in self._hooks:
            self._hooks.remove(self._entry)
            return True
        return False


@tensor_method
def retain_grads(self: Tensor) -> None:
    """Keeps the gradient of a computed tensor in its `.grad` as well."""
    if self.is_leaf:
        return
    holder = Leaf(self)

    def keep(gradient: Tensor) -> None:
        _accumulate(holder, gradient, False)

    register_hook(self, keep)


def _get_grad(self: Tensor) -> Any:
    """Gradient summed up by `backward()`, or `None`."""
    known = self._grad
    if known is ZERO_GRAD:
        self._grad = known = new_gradient(dispatch(_zeros_op, (self,), _K0)._data)
    return known


def _set_grad(self: Tensor, value: Any) -> None:
    if context.recorder is not None:
        context.recorder.note_grad(self)
    if value is None or isinstance(value, Tensor):
        if value is not None and list(value.shape) != list(self.shape):
            raise InvalidArgumentError(
                f"a gradient of shape {value.shape} for a tensor of shape {self.shape}",
                expected="a gradient of the tensor's own shape",
                fix="reshape it",
            )
        # It says what a gradient that `backward` has left says of itself.
        if value is not None and value._stop and value._edge is None:
            value = new_gradient(value._data)
        self._grad = value
        return
    raise InvalidTypeError(
        f"`grad` was set to a {type(value).__name__}", expected="a Tensor or None", fix="wrap it"
    )


_zeros_op = _array_op("grad_zeros", _zeros_like, x="Array")
attach_method("grad", property(_get_grad, _set_grad))  # type: ignore[arg-type]


@tensor_method
def clear_gradient(self: Tensor, set_to_zero: bool = True) -> None:
    """Sets the gradient to zero (lazily: nothing is allocated), or drops it.

    Args:
        set_to_zero: zeros rather than no gradient.

    Raises:
        InvalidTypeError: not a truth value.
    """
    if not isinstance(set_to_zero, bool | int | np.bool_):
        raise InvalidTypeError(
            f"`set_to_zero` of `clear_gradient` is a {type(set_to_zero).__name__}",
            expected="True or False",
            fix="to store other numbers, set them: x.grad = tensor",
        )
    if context.recorder is not None:
        context.recorder.note_grad(self)
    has = self._grad is not None
    self._grad = ZERO_GRAD if set_to_zero and has else None


attach_method("clear_grad", clear_gradient)
attach_method("gradient", lambda self: None if self.grad is None else self.grad.numpy())
