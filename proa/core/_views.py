"""Views and in-place writes: handles are rebound, bases and views follow.

Arrays never change; a write gives the handle a new array. A view remembers its base and
the op that made it, so a write through a view is `inverse(base, view)` on the base, and a
write to a base makes its living views again. All of it goes through dispatch, so it is
taped and recorded like any other op.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import jax

from ._context import bump_mode_epoch, context, outside_program
from ._dispatch import describe_array, dispatch
from ._errors import InvalidArgumentError, InvalidTypeError, PreconditionError
from ._place import put_like
from ._registry import BaseOp, Facts, register
from ._tape import GradMode
from ._tensor import Tensor, alias, attach_method, new_tensor, tensor_method, to_tensor


def _overwrite(x: Any, value: Any) -> Any:
    return value


_overwrite.__annotations__ = {"x": "Array", "value": "Array"}
_overwrite_op = register("overwrite", _overwrite, Facts(method=None, public=False))


class View:
    """How a tensor was made from its base."""

    __slots__ = ("base", "detached", "extras", "key", "op")

    def __init__(self, base: Tensor, op: Any, extras: tuple[Any, ...], key: Any) -> None:
        self.base, self.op, self.extras, self.key = base, op, extras, key
        self.detached = op is None

    def make(self) -> Tensor:
        """Computes the view from its base."""
        if self.detached:
            return alias(self.base)
        return dispatch(self.op, (self.base, *self.extras), self.key)

    def write_back(self, view: Tensor) -> Tensor:
        """Computes the base from the written view."""
        if self.detached:
            return alias(view)
        layout, attributes = self.key
        layout = None if layout is None else (True, *layout)
        inverse: BaseOp = self.op.inverse
        return dispatch(inverse, (self.base, view, *self.extras), (layout, attributes))


def make_view(op: Any, tensors: tuple[Any, ...], key: Any) -> Any:
    """Dispatches a view op and ties its result to its base."""
    result = dispatch(op, tensors, key)
    base = tensors[0]
    if isinstance(base, Tensor):
        _tie(base, result, View(base, op, tensors[1:], key))
    return result


def tie_view(base: Tensor, result: Tensor, op: Any, extras: tuple[Any, ...], key: Any) -> None:
    """Makes `result`, which equals `op(base, *extras)`, a view of `base`.

    For ops with several outputs: each output is tied through a view op of its own.
    """
    _tie(base, result, View(base, op, extras, key))


def _tie(base: Tensor, result: Tensor, view: View) -> None:
    result._view = view
    views = base._views
    if views is None:
        views = base._views = {}
    # By identity: a WeakSet would compare tensors with `==`, which is an op.
    key = id(result)
    views[key] = weakref.ref(result, lambda _: views.pop(key, None))


def _living_views(base: Tensor) -> list[Tensor]:
    found = [reference() for reference in list((base._views or {}).values())]
    return [t for t in found if t is not None]


def become_view(t: Tensor, view_of: Callable[[Tensor], Tensor]) -> Tensor:
    """Turns `t` into a view of what it was, for in-place ops that change the shape.

    Raises:
        PreconditionError: `t` is (a view of) a leaf whose gradient is wanted.
    """
    _require_tensor(t)
    _refuse_leaf(t)
    former = alias(t)
    former._stop, former._edge, former._view, former._views = t._stop, t._edge, t._view, t._views
    for child in _living_views(former):
        child._view.base = former
    if former._view is not None:
        former._view.base._views.pop(id(t), None)
        _tie(former._view.base, former, former._view)
    t._views = None
    result = view_of(former)
    _rebind(t, result)
    _tie(former, t, result._view)
    former._views.pop(id(result), None)
    return t


def write_inplace(t: Tensor, result: Tensor) -> Tensor:
    """Gives `t` the value of `result`, in the sense of an in-place op.

    Raises:
        InvalidArgumentError: the result has another shape.
        PreconditionError: `t` is (a view of) a leaf whose gradient is wanted.
    """
    _require_tensor(t)
    if t._data.shape != result._data.shape:
        raise InvalidArgumentError(
            f"an in-place op on a tensor of shape {t.shape} gives shape {result.shape}",
            expected="a result of the tensor's own shape",
            fix="use the op without the trailing underscore",
        )
    if t._data.dtype != result._data.dtype:
        result = result.astype(t.dtype)  # type: ignore[attr-defined]
    _refuse_leaf(t)
    _rebind(t, result)
    _follow(t)
    return t


def write_out(out: Tensor, result: Tensor) -> Tensor:
    """Gives the tensor of `out=` a result; it takes over another shape or dtype, as in Paddle.

    A view, and a tensor with views, keep their shape; so do all while a Program is recorded.

    Raises:
        InvalidArgumentError: such a tensor, and a result of another shape.
        PreconditionError: `out` is (a view of) a leaf whose gradient is wanted.
    """
    _require_tensor(out)
    same = out._data.shape == result._data.shape and out._data.dtype == result._data.dtype
    is_tied = out._view is not None or any(True for _ in _living_views(out))
    if same or is_tied or context.recorder is not None:
        return write_inplace(out, result)
    _refuse_leaf(out)
    bump_mode_epoch()
    out._data, out._edge, out._stop = result._data, result._edge, result._stop
    out.__dict__["_version"] = out._version + 1
    return out


def _require_tensor(t: Any) -> None:
    if not isinstance(t, Tensor):
        raise InvalidTypeError(
            f"an in-place op, or `out=`, on {t!r} ({type(t).__name__})"[:200],
            expected="a Tensor, which can be overwritten",
            fix="make one with proa.to_tensor, or use the op without the trailing underscore",
        )


def _refuse_leaf(t: Tensor) -> None:
    if not context.grad_enabled:
        return
    root = t
    while root._view is not None:
        if root._view.detached:
            return
        root = root._view.base
    if not root._stop and root.is_leaf:
        raise PreconditionError(
            f"an in-place write to leaf tensor {root.name!r} of shape {root.shape}, "
            "whose gradient is wanted",
            expected="a computed tensor, or a write inside no_grad()",
            fix="wrap the write in `with proa.no_grad():`, or work on x.clone()",
        )


def _rebind(t: Tensor, result: Tensor) -> None:
    recorder = context.recorder
    if recorder is not None:
        recorder.note_write(t)
    if context.grad_enabled and result._stop and not t._stop:
        # A constant takes the place of a computed value, whose gradient is zero from now on.
        result = dispatch(_overwrite_op, (t, result), (None, ()))
    t._data = result._data if recorder is None else recorder.value_of(result)
    t.__dict__["_version"] = t._version + 1
    if context.grad_enabled and not result._stop:
        t._edge, t._stop = result._edge, False


def _follow(t: Tensor) -> None:
    _refresh_views(t, skip=None)
    child, taped = t, context.grad_enabled
    while child._view is not None:
        view = child._view
        # What lies behind a detached view gets the values alone.
        taped = taped and not view.detached
        with GradMode(taped):
            _rebind(view.base, view.write_back(child))
            _refresh_views(view.base, skip=child)
        child = view.base


def _refresh_views(base: Tensor, skip: Tensor | None) -> None:
    if not base._views:
        return
    for child in _living_views(base):
        if child is skip or child._view is None or child._view.base is not base:
            continue
        with GradMode(context.grad_enabled and not child._view.detached):
            _rebind(child, child._view.make())
        _refresh_views(child, skip=None)


@tensor_method
def detach(self: Tensor) -> Tensor:
    """Returns a view without gradient; both share their values, also after writes."""
    result = alias(self)
    _tie(self, result, View(self, None, (), None))
    return result


@tensor_method
def detach_(self: Tensor) -> Tensor:
    """Takes this tensor off the tape."""
    self._edge, self._stop = None, True
    return self


@tensor_method
def set_value(self: Tensor, value: Any) -> None:
    """Overwrites the values; shape must match, dtype is kept.

    While a static Program is built, parameters and other persistable tensors take known values
    at once, as in Paddle: that is no part of the Program's runs.

    Args:
        value: Tensor, NumPy array or nested list of this tensor's shape.

    Raises:
        InvalidArgumentError: another shape (even one that would broadcast).
    """
    is_known = not isinstance(value, Tensor) or isinstance(value._data, jax.Array)
    if self.persistable and is_known:
        with outside_program():
            _take_values(self, value)
    else:
        _take_values(self, value)


def _take_values(self: Tensor, value: Any) -> None:
    given = value if isinstance(value, Tensor) else to_tensor(value)
    if tuple(given._data.shape) != tuple(self._data.shape):
        raise InvalidArgumentError(
            f"set_value on {self.name!r} {describe_array(self._data)} "
            f"with a value {describe_array(given._data)}",
            expected=f"a value of shape {self.shape}",
            fix="reshape the value, or load weights made for this architecture",
        )
    with GradMode(False):
        if given._data.dtype != self._data.dtype:
            given = given.astype(self.dtype)  # type: ignore[attr-defined]
        _rebind(self, _placed_like(given, self._data))
        _follow(self)


def _placed_like(given: Tensor, like: Any) -> Tensor:
    """The values where a tensor lies that takes them: a sharded one stays sharded."""
    data = given._data
    if context.recorder is not None or not getattr(like, "committed", False):
        return given
    if data.committed and data.sharding == like.sharding:
        return given
    return new_tensor(put_like(data, like))


@tensor_method
def copy_(self: Tensor, other: Any, blocking: bool = True) -> Tensor:
    """Copies the values of `other` into this tensor and returns it."""
    _take_values(self, other)
    return self


def replace_data(t: Tensor, data: Any) -> None:
    """Gives a handle an array of any shape or dtype (casting a layer, loading weights)."""
    if context.recorder is not None:
        context.recorder.note_write(t)
    if t._data is None or t._data.dtype != data.dtype or t._data.shape != data.shape:
        bump_mode_epoch()
    t._data = data
    _follow(t)


def store(t: Tensor, data: Any) -> None:
    """Writes back an array that a compiled function computed for a tensor."""
    t._data = data
    t._version = t._version + 1
    if t._views is not None or t._view is not None:
        with GradMode(False):
            _follow(t)


def _get_data(self: Tensor) -> Tensor:
    """The tensor itself as a detached view."""
    return detach(self)


def _set_data(self: Tensor, value: Any) -> None:
    replace_data(self, (value if isinstance(value, Tensor) else Tensor(value))._data)


attach_method("data", property(_get_data, _set_data))  # type: ignore[arg-type]
