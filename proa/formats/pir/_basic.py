"""What most rules of the Paddle writer need: casts, shapes, numbers, and ops of two operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import is_dimension

from ._graph import Graph, Out, Unwritable


def cast(g: Graph, x: Out, dtype: Any) -> Out:
    """Returns a value in another dtype; itself when it has it."""
    wanted = np.dtype(dtype)
    return x if x.dtype == wanted else g.call("cast", x, dtype=wanted, out=(x.shape, wanted))


def unary(g: Graph, name: str, x: Out, dtype: Any = None, **given: Any) -> Out:
    """An op whose result has the shape of its operand."""
    return g.call(name, x, out=(x.shape, x.dtype if dtype is None else dtype), **given)


def broadcast_shape(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The shape of an op on operands that are broadcast; unknown sizes count as equal."""
    made: list[Any] = []
    for position in range(1, max((len(s) for s in shapes), default=0) + 1):
        sizes = [s[-position] for s in shapes if len(s) >= position]
        others = [e for e in sizes if is_dimension(e) or e != 1]
        fixed = [e for e in others if isinstance(e, int)]
        made.append((fixed or others or [1])[0])
    return tuple(made[::-1])


def binary(g: Graph, name: str, a: Out, b: Out, dtype: Any = None) -> Out:
    """An op of two operands of one dtype, which are broadcast."""
    return g.call(
        name, a, b, out=(broadcast_shape(a.shape, b.shape), a.dtype if dtype is None else dtype)
    )


def number(g: Graph, value: Any, like: Any) -> Out:
    """A number as a tensor without axes, of a dtype or of that of another value."""
    return g.full((), value, like.dtype if isinstance(like, Out) else like)


def with_number(g: Graph, name: str, x: Out, value: Any, dtype: Any = None) -> Out:
    """An op of a tensor and a number."""
    return binary(g, name, x, number(g, value, x), dtype)


def scaled(g: Graph, x: Out, factor: float, bias: float = 0.0) -> Out:
    """Returns `factor * x + bias`."""
    return unary(g, "scale", x, scale=factor, bias=bias)


def _extents(shape: Sequence[Any], kept: Sequence[Any]) -> list[Any]:
    """A target shape in which 0 stands for an unknown size that stays at its place."""
    return [
        0 if is_dimension(e) and i < len(kept) and is_dimension(kept[i]) and kept[i] == e else e
        for i, e in enumerate(shape)
    ]


def reshape(g: Graph, x: Out, shape: Sequence[Any]) -> Out:
    """Returns the same elements in another shape, which may have unknown sizes."""
    shape = tuple(shape)
    if _same(x.shape, shape):
        return x
    if not shape:
        # An empty shape operand holds no memory, over which a loop stops.
        return g.call("squeeze", x, axis=list(range(x.ndim)), out=((), x.dtype))
    wanted: list[Any] = list(shape)
    unknown = [i for i, e in enumerate(wanted) if is_dimension(e)]
    has_none = any(isinstance(e, int) and e == 0 for e in (*shape, *x.shape))
    if not has_none:
        kept = _extents(shape, x.shape)
        unknown = [i for i in unknown if is_dimension(kept[i])]
        wanted = kept
        if len(unknown) == 1:
            wanted[unknown[0]] = -1
    return g.call("reshape", x, shape=wanted, out=(shape, x.dtype))


def _same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return len(a) == len(b) and all(x == y for x, y in zip(a, b, strict=True))


def transpose(g: Graph, x: Out, order: Sequence[int]) -> Out:
    """Returns a value with its axes in another order."""
    if list(order) == list(range(x.ndim)):
        return x
    return g.call("transpose", x, perm=list(order), out=(tuple(x.shape[i] for i in order), x.dtype))


def expand(g: Graph, x: Out, shape: Sequence[Any]) -> Out:
    """Returns a value broadcast to a shape."""
    shape = tuple(shape)
    if _same(x.shape, shape):
        return x
    lead = len(shape) - x.ndim
    # -1 keeps a size as it is.
    wanted = [
        -1 if i >= lead and x.shape[i - lead] == e and is_dimension(e) else e
        for i, e in enumerate(shape)
    ]
    return g.call("expand", x, shape=wanted, out=(shape, x.dtype))


def full(g: Graph, shape: Sequence[Any], value: Any, dtype: Any) -> Out:
    """Returns a tensor of one number; its shape may have unknown sizes."""
    if all(isinstance(e, int) for e in shape):
        return g.full(tuple(shape), value, dtype)
    return expand(g, reshape(g, number(g, value, dtype), (1,) * len(shape)), shape)


def concat(g: Graph, parts: Sequence[Out], axis: int) -> Out:
    """Joins values along an axis; empty ones are left out."""
    held = [p for p in parts if not (isinstance(p.shape[axis], int) and p.shape[axis] == 0)]
    parts = held or parts[:1]
    if len(parts) == 1:
        return parts[0]
    shape = list(parts[0].shape)
    shape[axis] = sum([p.shape[axis] for p in parts[1:]], start=shape[axis])
    return g.call("concat", list(parts), axis=axis, out=(shape, parts[0].dtype))


def cut(g: Graph, x: Out, axis: int, start: Any, end: Any) -> Out:
    """Returns the part of a value between two known places of an axis."""
    if isinstance(start, int) and start == 0 and x.shape[axis] == end:
        return x
    shape = list(x.shape)
    shape[axis] = end - start
    return g.call(
        "slice", x, starts=[start], ends=[end], axes=[axis], infer_flags=[1], decrease_axis=[],
        out=(shape, x.dtype),
    )  # fmt: skip


def matmul(g: Graph, a: Out, b: Out, transpose_a: bool = False, transpose_b: bool = False) -> Out:
    """Product of matrices in the last two axes; axes before them are broadcast."""
    rows = a.shape[-1] if transpose_a else a.shape[-2]
    columns = b.shape[-2] if transpose_b else b.shape[-1]
    lead = broadcast_shape(a.shape[:-2], b.shape[:-2])
    return g.call(
        "matmul", a, b, transpose_x=transpose_a, transpose_y=transpose_b,
        out=((*lead, rows, columns), a.dtype),
    )  # fmt: skip


def reduced_shape(shape: Sequence[Any], axes: Sequence[int], keepdim: bool) -> tuple[Any, ...]:
    """The shape after a reduction."""
    gone = {axis % len(shape) for axis in axes} if shape else set()
    if keepdim:
        return tuple([1 if i in gone else e for i, e in enumerate(shape)])
    return tuple([e for i, e in enumerate(shape) if i not in gone])


def product(sizes: Sequence[Any]) -> Any:
    """Product of sizes, unknown ones among them."""
    made: Any = 1
    for size in sizes:
        made = made * size
    return made


def known(value: Any, what: str) -> Any:
    """Returns a size that must be known when the file is written.

    Raises:
        Unwritable: it is not.
    """
    if is_dimension(value):
        raise Unwritable(f"{what} is not known ({value})")
    return value


def as_range(g: Graph, size: Any, dtype: Any = np.int64) -> Out:
    """Returns 0, 1, ... size - 1."""
    if isinstance(size, int):
        return g.constant(np.arange(size, dtype=dtype))
    return g.call(
        "arange", number(g, 0, np.int64), g.dimension(size), number(g, 1, np.int64),
        dtype=np.int64, out=((size,), np.int64),
    )  # fmt: skip


def finite(value: float, dtype: Any) -> float:
    """A number near the end of a dtype's range for one that is infinite."""
    if math.isinf(value):
        limit = float(np.finfo(dtype).max) if np.dtype(dtype).kind == "f" else 2.0**62
        return math.copysign(limit, value)
    return value
