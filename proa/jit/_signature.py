"""Signatures: what of a call a compiled function depends on, and in whose words to say it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from proa.core import (
    Tensor,
    concrete,
    default_dtype,
    is_dimension,
    new_tensor,
    to_tensor,
    user_location,
)
from proa.program import Value

from ._dataclasses import flatten_tree, open_dataclasses

TENSOR, NUMBER, STATIC, SAME = "tensor", "number", "static", "same"

# Names of dtypes: to print one takes NumPy longer than the rest of a signature.
_NAMES: dict[Any, str] = {}


class Leaf(NamedTuple):
    """One leaf of a call's arguments; a plain tuple, since each call hashes some.

    Attributes:
        kind: `TENSOR`, `NUMBER` (a float: an input), `STATIC` (part of the signature), or
            `SAME` (the tensor that stood at an earlier place already).
        what: `(shape, dtype, stop_gradient, is_computed)`, the dtype of a number,
            `(type, static value)`, or that earlier place.
    """

    kind: str
    what: Any

    def describe(self) -> str:
        """Says what the leaf is, in the user's terms."""
        if self.kind == TENSOR:
            shape, dtype, stop, is_computed = self.what
            extents = ", ".join(map(str, shape))
            tape = "" if stop else " computed with gradient" if is_computed else " with gradient"
            return f"{dtype}[{extents}]{tape}"
        if self.kind == SAME:
            return f"the same tensor as argument {self.what}"
        return f"a {self.what} number" if self.kind == NUMBER else repr(self.what[1])


def _is_number(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return True
    return isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind == "f"


def flatten_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any]:
    """Flattens the arguments of a call into leaves and a structure."""
    return flatten_tree((args, kwargs))


def read_leaf(value: Any, is_static: bool) -> tuple[Leaf, Any]:
    """Returns a leaf's part of the signature, and the tensor to pass (or `None`)."""
    if isinstance(value, Tensor):
        data: Any = value._data
        if isinstance(data, Value):
            data.concretize(value, "an argument", user_location())
        if data is None:
            data = concrete(value, "an argument")
        stop = value._stop
        dtype = data.dtype
        name = _NAMES.get(dtype) or _NAMES.setdefault(dtype, str(dtype))
        what = (data.shape, name, stop, not stop and not value.is_leaf)
        return Leaf(TENSOR, what), value
    if _is_number(value):
        if is_static:
            return Leaf(STATIC, ("float", repr(float(value)))), None
        dtype = default_dtype()
        weak = new_tensor(np.asarray(value, dtype=dtype.numpy))
        return Leaf(NUMBER, dtype.name), weak
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind not in "OUSM":
        made = to_tensor(value)
        return Leaf(TENSOR, (made._data.shape, str(made._data.dtype), True, False)), made
    value = as_static(value)
    try:
        hash(value)
    except TypeError:
        return Leaf(STATIC, ("object", Identity(value))), None
    # 1 == True and 0.0 == -0.0, but they are different programs.
    is_exact = isinstance(value, bool | int | str)
    return Leaf(STATIC, (type(value).__name__, value if is_exact else _told_apart(value))), None


class RepeatedCall:
    """Knows a call again that is like one before, in a third of the time a signature takes.

    Args:
        tensors: what the call was given: tensors without a gradient, each once, by position.
        mode: the thread's mode.
        signature: the signature that the call had.
        entry: what the call ran.
    """

    __slots__ = ("_count", "_mode", "_wanted", "entry", "signature")

    def __init__(self, tensors: Sequence[Tensor], mode: Any, signature: Any, entry: Any) -> None:
        self._wanted = [(t._data.__class__, t._data.shape, t._data.dtype) for t in tensors]
        self._count, self._mode = len(tensors), mode
        self.signature, self.entry = signature, entry

    @staticmethod
    def is_plain(args: tuple[Any, ...]) -> bool:
        """Whether a call with such arguments can be known again in this way."""
        known = {id(value) for value in args}
        return len(known) == len(args) and all(
            value.__class__ is Tensor and value._stop and not isinstance(value._data, Value)
            for value in args
        )

    def fits(self, args: tuple[Any, ...], mode: Any) -> bool:
        """Whether a call has the signature of the call before; `False` may be a wrong guess."""
        count = self._count
        if len(args) != count or mode != self._mode:
            return False
        for value, (kind, shape, dtype) in zip(args, self._wanted, strict=True):
            if value.__class__ is not Tensor or not value._stop:
                return False
            data = value._data
            if data.__class__ is not kind or data.shape != shape or data.dtype != dtype:
                return False
        return count < 2 or len({id(value) for value in args}) == count


def as_static(value: Any) -> Any:
    """The one spelling of a value that is part of a signature: a NumPy scalar is Python's."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        return value.item()
    return value


def _told_apart(value: Any) -> Any:
    return (value, repr(value)) if isinstance(value, float | complex) else value


class Identity:
    """Stands for an unhashable argument: equal only to itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"this {type(self.value).__name__}"


def leaf_names(fn: Callable[..., Any], args: Any, kwargs: Any, count: int) -> list[str]:
    """Names the leaves of a call by the function's parameters: `x`, `batch[0]`, `state['a']`."""
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return [f"argument {i}" for i in range(count)]
    names = [name for name in bound.arguments if name in bound.signature.parameters]
    positional: list[str] = []
    for name in names:
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional += [f"{name}[{i}]" for i in range(len(bound.arguments[name]))]
        elif kind is not inspect.Parameter.VAR_KEYWORD:
            positional.append(name)
    found = []
    for path, _ in jax.tree_util.tree_flatten_with_path(open_dataclasses((args, kwargs)))[0]:
        head, rest = path[1], path[2:]
        if path[0].idx == 0:
            label = positional[head.idx] if head.idx < len(positional) else f"args[{head.idx}]"
        else:
            label = str(head.key)
        found.append(label + jax.tree_util.keystr(rest))
    return found if len(found) == count else [f"argument {i}" for i in range(count)]


def changed(before: list[Leaf], after: list[Leaf], names: list[str]) -> list[str]:
    """Says which leaves differ between two calls, in the user's terms."""
    if len(before) != len(after):
        return [f"{len(before)} -> {len(after)} arguments"]
    reasons = []
    for old, new, name in zip(before, after, names, strict=True):
        if old == new:
            continue
        reason = f"`{name}`: {old.describe()} -> {new.describe()}"
        if old.kind == new.kind == TENSOR and old.what[1:] == new.what[1:]:
            shapes = zip(old.what[0], new.what[0], strict=False)
            axes = [(i, a, b) for i, (a, b) in enumerate(shapes) if a != b]
            if len(old.what[0]) == len(new.what[0]) and len(axes) == 1:
                i, a, b = axes[0]
                reason = f"dim {i} of `{name}`: {a} -> {b}"
        reasons.append(reason)
    return reasons


def is_symbolic(value: Any) -> bool:
    """Whether a tensor's shape holds symbolic dimensions."""
    return any(is_dimension(extent) for extent in value.shape)
