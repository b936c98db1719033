"""Basic indexing: integers, slices, `None` and `...`; the result is a view.

Outside a recording the places (integers, starts of slices) are an operand and only extents and
steps are static, so that `x[i]` and `x[i : i + 32]` in a loop compile once. A spec says what
happens axis by axis; its entries are

- `NEW`: insert an axis of extent 1,
- `("at",)`: take one place, the next of `starts`,
- `("span", extent, step)`: take `extent` places from the next of `starts` on,
- an integer, or `(start, stop, step)`: the same with static places, as when recording.

Axes after the last entry are taken whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, op

if TYPE_CHECKING:
    from proa.core._types import Array, Index

NEW = ("new",)
WHOLE = (None, None, None)


def static_index(spec: tuple[Any, ...]) -> tuple[Any, ...]:
    """Python's index of a spec with static places; integers keep their axis."""
    index: list[Any] = []
    for entry in spec:
        if entry == NEW:
            continue
        if isinstance(entry, int):
            index.append(slice(entry, entry + 1 if entry != -1 else None))
        else:
            index.append(slice(*entry))
    return tuple(index)


def _changed_axes(spec: tuple[Any, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Axes of `x` that integers drop, and axes of the result that are new."""
    dropped, inserted, source, target = [], [], 0, 0
    for entry in spec:
        if entry == NEW:
            inserted.append(target)
            target += 1
            continue
        if isinstance(entry, int) or entry[0] == "at":
            dropped.append(source)
        else:
            target += 1
        source += 1
    return tuple(dropped), tuple(inserted)


def _arrange(x: Any, spec: tuple[Any, ...]) -> Any:
    """Drops the axes of integers and inserts new ones."""
    dropped, inserted = _changed_axes(spec)
    return jnp.expand_dims(jax.lax.squeeze(x, dropped), inserted)


def _disarrange(view: Any, spec: tuple[Any, ...]) -> Any:
    """Inverse of `_arrange`."""
    dropped, inserted = _changed_axes(spec)
    return jnp.expand_dims(jax.lax.squeeze(view, inserted), dropped)


def _window(x: Any, starts: Any, spec: tuple[Any, ...]) -> tuple[list[Any], list[Any], list[Any]]:
    """Where the smallest block that holds all places begins, its extents, and the stride in it."""
    corner, extents, strides = [], [], []
    used = 0
    for entry in spec:
        if entry == NEW:
            continue
        if entry == WHOLE:
            corner.append(jnp.zeros((), starts.dtype))
            extents.append(x.shape[len(strides)])
            strides.append(slice(None))
            continue
        extent, step = (1, 1) if entry[0] == "at" else entry[1:]
        start = starts[used]
        used += 1
        corner.append(start if step > 0 or not extent else start + (extent - 1) * step)
        extents.append((extent - 1) * abs(step) + 1 if extent else 0)
        strides.append(slice(None, None, step))
    for axis in range(len(strides), x.ndim):
        corner.append(jnp.zeros((), starts.dtype))
        extents.append(x.shape[axis])
    return corner, extents, strides


def _take(x: Any, starts: Any, spec: tuple[Any, ...]) -> Any:
    if starts is None:
        return _arrange(x[static_index(spec)], spec)
    corner, extents, strides = _window(x, starts, spec)
    block = jax.lax.dynamic_slice(x, corner, extents)
    return _arrange(block[tuple(strides)], spec)


def _put(x: Any, part: Any, starts: Any, spec: tuple[Any, ...]) -> Any:
    part = _disarrange(part, spec).astype(x.dtype)
    if starts is None:
        return x.at[static_index(spec)].set(part)
    corner, extents, strides = _window(x, starts, spec)
    if any(s.step not in (None, 1) for s in strides):
        block = jax.lax.dynamic_slice(x, corner, extents)
        part = block.at[tuple(strides)].set(part)
    return jax.lax.dynamic_update_slice(x, part, corner)


def _put_back(base: Array, view: Array, starts: Index | None, spec: Any):
    return _put(base, view, starts, spec)


@op(name="getitem", inverse=_put_back, public=False, method=None)
def basic_index(x: Array, starts: Index | None, spec: Any):
    """Takes a rectangular part of `x`."""
    return _take(x, starts, spec)


def broadcast_value(value: Any, shape: tuple[Any, ...]) -> Any:
    """Broadcasts an assigned value; leading axes of extent 1 that are too many go.

    Raises:
        InvalidArgumentError: the value does not broadcast to what is assigned to.
    """
    surplus = value.ndim - len(shape)
    if surplus > 0 and all(d == 1 for d in value.shape[:surplus]):
        value = value.reshape(value.shape[surplus:])
    try:
        return jnp.broadcast_to(value, shape)
    except ValueError as error:
        raise InvalidArgumentError(
            f"a value of shape {list(value.shape)} is assigned to a part of shape {list(shape)}",
            expected="a value that broadcasts to the part",
            fix="reshape the value, or index another part",
        ) from error


@op(name="setitem", public=False, method=None)
def basic_assign(x: Array, value: Array, starts: Index | None, spec: Any):
    """Returns `x` with a rectangular part replaced by the value."""
    shape = jax.eval_shape(lambda a: _take(a, starts, spec), x).shape
    return _put(x, broadcast_value(value, shape), starts, spec)
