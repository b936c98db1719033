"""Dispatch: each op call runs at once or is recorded; the tape is fed here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import jax
import numpy as np
from jax.core import Tracer
from jaxlib.mlir import ir

from ._context import context, interceptors, state_lock
from ._convert import convert_inputs
from ._errors import InvalidArgumentError, ProaError
from ._failures import failure_behind
from ._tensor import Tensor, concrete, new_tensor

if TYPE_CHECKING:
    from ._registry import BaseOp

# What building a program raises where a shape or dtype has no form in it.
MLIRError = ir.MLIRError
next_sequence = count().__next__


class TapedCall:
    """One entry of the tape: something with inputs, outputs, and gradients from these to those.

    `edges` holds, per input, the `(node, output index)` it came from, or `None` where no
    gradient is wanted; `saved` what the gradient needs, `None` once the graph was freed.
    """

    #: Whether the tape ends here in what is computed elsewhere.
    is_origin = False
    __slots__ = ("edges", "hooks", "num_outputs", "saved", "sequence")

    def __init__(self, saved: Any, edges: list[Any], outputs: int) -> None:
        self.saved = saved
        self.edges = edges
        self.num_outputs = outputs
        self.sequence = next_sequence()
        self.hooks: dict[int, list[Any]] | None = None

    @property
    def name(self) -> str:
        """What was called, for messages."""
        raise NotImplementedError

    def input_gradients(self, slots: list[Any], create: bool) -> list[Any]:
        """Gradients of the inputs (`None` where there is none) from those of the outputs.

        Args:
            slots: per output its gradient, a Tensor or `None`.
            create: whether the computation itself is to be differentiable.
        """
        raise NotImplementedError


class Residuals(NamedTuple):
    """What a call of an op with `keep_residuals` saves in a Node."""

    arrays: list[Any]
    positions: tuple[int, ...]
    pull: Any


class Node(TapedCall):
    """One taped op call.

    `saved` holds the input arrays as they were at the call, so that later in-place writes
    cannot change the gradient.
    """

    __slots__ = ("key", "op")

    def __init__(self, op: BaseOp, key: Any, saved: Any, edges: list[Any], outputs: int) -> None:
        self.op = op
        self.key = key
        self.saved = saved
        self.edges = edges
        self.num_outputs = outputs
        self.sequence = next_sequence()
        self.hooks = None

    @property
    def name(self) -> str:
        """Name of the op."""
        return self.op.name


def dispatch(op: BaseOp, tensors: tuple[Any, ...], key: Any) -> Any:
    """Runs or records one op call.

    Args:
        op: the op.
        tensors: the flat tensor inputs; other values are converted.
        key: the static part of the call, hashable.

    Returns:
        A Tensor, or a tuple of Tensors when the op has several outputs.
    """
    if context.recorder is not None or interceptors:
        return _dispatch_slow(op, tensors, key)
    try:
        arrays = [t._data for t in tensors]
    except AttributeError:
        tensors = convert_inputs(op, tensors)
        arrays = [t._data for t in tensors]
    if op.check is not None:
        run_check(op, arrays, key)
    if context.grad_enabled:
        for t in tensors:
            if not t._stop and op.differentiable:
                return _run_taped(op, tensors, arrays, key)
    kernel = op.kernels.get(key)
    try:
        out = (kernel or op.make_kernel(key))(*arrays)
    except CAUGHT as error:
        out = _again(op, tensors, arrays, key, error)
    if out.__class__ is tuple or out.__class__ is list:
        return tuple([new_tensor(o) for o in out])
    return new_tensor(out)


def _run_taped(op: BaseOp, tensors: tuple[Any, ...], arrays: list[Any], key: Any) -> Any:
    if op.keep_residuals:
        return _run_with_residuals(op, tensors, arrays, key)
    kernel = op.kernels.get(key)
    try:
        out = (kernel or op.make_kernel(key))(*arrays)
    except CAUGHT as error:
        out = _again(op, tensors, arrays, key, error)
    return attach(op, key, tensors, [out] if op.keeps_output else arrays, out)


def _run_with_residuals(op: Any, tensors: tuple[Any, ...], arrays: list[Any], key: Any) -> Any:
    positions = tuple(i for i, t in enumerate(tensors) if not t._stop and is_inexact(t._data.dtype))
    if not positions:
        return wrap((op.kernels.get(key) or op.make_kernel(key))(*arrays))
    out, pull = op.forward_kernel(key, positions)(*arrays)
    return attach(op, key, tensors, Residuals(arrays, positions, pull), out)


def attach(op: BaseOp, key: Any, tensors: tuple[Any, ...], saved: Any, out: Any) -> Any:
    """Wraps an op's outputs into Tensors that know the taped call they came from."""
    edges = [None if t._stop else (t._edge or t._leaf_edge()) for t in tensors]
    if out.__class__ is tuple or out.__class__ is list:
        node = Node(op, key, saved, edges, len(out))
        wrapped = []
        for i, o in enumerate(out):
            t = new_tensor(o)
            if is_inexact(o.dtype):
                t._stop = False
                t._edge = (node, i)
            wrapped.append(t)
        return tuple(wrapped)
    t = new_tensor(out)
    if is_inexact(out.dtype):
        t._stop = False
        t._edge = (Node(op, key, saved, edges, 1), 0)
    return t


def wrap(out: Any) -> Any:
    """Wraps arrays or Values into Tensors without a gradient."""
    if out.__class__ is tuple or out.__class__ is list:
        return tuple([new_tensor(o) for o in out])
    return new_tensor(out)


_INEXACT: dict[Any, bool] = {}


def is_inexact(dtype: Any) -> bool:
    """Whether a NumPy dtype is floating or complex (bfloat16 and float8 included)."""
    found = _INEXACT.get(dtype)
    if found is None:
        found = _INEXACT[dtype] = bool(jax.numpy.issubdtype(dtype, jax.numpy.inexact))
    return found


def _dispatch_slow(op: BaseOp, tensors: tuple[Any, ...], key: Any) -> Any:
    if not all(isinstance(t, Tensor) for t in tensors):
        tensors = convert_inputs(op, tensors)
    proceed = _run_or_record
    # A copy: another thread may add or remove one meanwhile.
    for interceptor in tuple(interceptors):
        proceed = _Link(interceptor, proceed)
    return proceed(op, tensors, key)


class _Link:
    __slots__ = ("interceptor", "proceed")

    def __init__(self, interceptor: Any, proceed: Any) -> None:
        self.interceptor, self.proceed = interceptor, proceed

    def __call__(self, op: BaseOp, tensors: tuple[Any, ...], key: Any) -> Any:
        return self.interceptor(op, tensors, key, self.proceed)


def _run_or_record(op: BaseOp, tensors: tuple[Any, ...], key: Any) -> Any:
    recorder = context.recorder
    needs_grad = context.grad_enabled and op.differentiable and any(not t._stop for t in tensors)
    if recorder is not None:
        values, out = recorder.record(op, tensors, key, needs_grad)
        return attach(op, key, tensors, values, out) if needs_grad else wrap(out)
    arrays = [t._data for t in tensors]
    if op.check is not None:
        run_check(op, arrays, key)
    if needs_grad:
        return _run_taped(op, tensors, arrays, key)
    try:
        out = (op.kernels.get(key) or op.make_kernel(key))(*arrays)
    except CAUGHT as error:
        out = _again(op, tensors, arrays, key, error)
    return wrap(out)


def _again(op: BaseOp, tensors: Any, arrays: list[Any], key: Any, error: Exception) -> Any:
    """Runs a kernel again that met a tensor while another thread was changing it.

    A tensor holds a Value while another thread records a function that writes it, and an
    array that is given away while a compiled step overwrites it; both end with their lock.
    """
    if all(map(_is_settled, arrays)):
        if not isinstance(error, _FAILURES):
            raise failure_behind(error) or error from None
        fail(op, arrays, error)
    with state_lock:
        arrays[:] = [t._data for t in tensors]
        for t in tensors:
            concrete(t, f"op `{op.name}`")
        try:
            return (op.kernels.get(key) or op.make_kernel(key))(*arrays)
        except _FAILURES as second:
            fail(op, arrays, second)


def _is_settled(array: Any) -> bool:
    if isinstance(array, Tracer):
        return True
    return isinstance(array, jax.Array) and not array.is_deleted()


def run_check(op: Any, arrays: list[Any], key: Any) -> None:
    """Runs an op's host-side check where values are at hand (eager mode)."""
    if any(isinstance(a, Tracer) for a in arrays):
        return
    named = op.unflatten(key[0], tuple(arrays))
    named.update(zip((p.name for p in op.attributes), key[1], strict=True))
    try:
        op.check(**named)
    except ProaError:
        raise
    except _FAILURES as error:
        # A check takes well-formed inputs for granted; the op itself says what is wrong.
        try:
            jax.eval_shape(op.array_fn(key), *arrays)
        except _FAILURES as reason:
            fail(op, arrays, reason)
        fail(op, arrays, error)


def describe_array(array: Any) -> str:
    """Returns `float32[2, 3]` for messages."""
    shape = ", ".join(str(d) for d in array.shape)
    return f"{np.dtype(array.dtype).name}[{shape}]"


# Whatever an op's function raises, but for what the runtime does (out of memory, ...).
_FAILURES = (
    ProaError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    DeprecationWarning,
    MLIRError,
)
#: What a kernel may raise that is looked at before it is passed on.
CAUGHT = (*_FAILURES, RuntimeError)


def fail(op: BaseOp, arrays: Sequence[Any], error: Exception) -> NoReturn:
    """Raises an error that names the op and its inputs; Proa's own errors pass as they are.

    What JAX adds to a traceback (its internal frames, and a note that it hid them) says
    nothing to the user and is taken off.
    """
    if isinstance(error, ProaError):
        error.__dict__.pop("__notes__", None)
        raise error.with_traceback(None) from error.__cause__
    inputs = ", ".join(f"{op.describe(i)}: {describe_array(a)}" for i, a in enumerate(arrays))
    reason = str(error).strip().splitlines()
    raise InvalidArgumentError(
        f"op `{op.name}` cannot take these inputs ({inputs})",
        expected=reason[0][:300] if reason else type(error).__name__,
        fix=f"check shapes, dtypes and attributes of the call to `{op.name}`",
    ) from error
