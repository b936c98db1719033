"""Parts of tensors by axis: slices, windows, and writing a part into a copy."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, OutOfRangeError, Tensor, attach_method, composite, op

from ._axes import normal_axes, normal_axis
from ._index import assigned, copied_part, getitem

if TYPE_CHECKING:
    from proa.core._types import Array, Shape

_SLICE = builtins.slice


def _integers(values: Any) -> list[Any]:
    given = values.tolist() if isinstance(values, Tensor | np.ndarray) else values
    given = given if isinstance(given, list | tuple) else [given]
    return [v.item() if isinstance(v, Tensor) and v.size == 1 else v for v in given]


def _index_of(x: Tensor, axes: Any, parts: Sequence[Any], **lengths: int) -> tuple[Any, ...]:
    """An index with one part per named axis."""
    named = normal_axes(tuple(_integers(axes)), x.ndim, "axes")
    wrong = {name: length for name, length in lengths.items() if length != len(named)}
    if wrong:
        listed = ", ".join(f"`{name}` has {length}" for name, length in wrong.items())
        raise InvalidArgumentError(
            f"`axes` names {len(named)} axes, {listed} entries",
            expected="one entry per named axis",
            fix="give all lists the same length",
        )
    index: list[Any] = [_SLICE(None)] * x.ndim
    for axis, part in zip(named, parts, strict=True):
        index[axis] = part
    return tuple(index)


@composite
def slice(input: Tensor, axes: Any, starts: Any, ends: Any, name: str | None = None) -> Tensor:
    """Cuts ranges out of axes.

    Args:
        input: the tensor.
        axes: the axes that are cut.
        starts: first place per axis; negative ones count from the end.
        ends: place after the last one per axis; what lies outside is left out.

    Returns:
        A view of `input`.

    Raises:
        InvalidArgumentError: lists of different lengths.

    Examples:
        >>> import proa
        >>> proa.slice(proa.to_tensor([1, 2, 3, 4]), [0], [1], [-1]).tolist()
        [2, 3]
    """
    first, last = _integers(starts), _integers(ends)
    parts = [_SLICE(a, b) for a, b in zip(first, last, strict=False)]
    count = {"starts": len(first), "ends": len(last)}
    return getitem(input, _index_of(input, axes, parts, **count))


@composite
def strided_slice(
    x: Tensor, axes: Any, starts: Any, ends: Any, strides: Any, name: str | None = None
) -> Tensor:
    """Cuts ranges with a step out of axes.

    Args:
        x: the tensor.
        axes: the axes that are cut.
        starts: first place per axis.
        ends: place that is not reached any more, per axis.
        strides: step per axis; negative ones go backwards.

    Returns:
        A view of `x`.

    Raises:
        InvalidArgumentError: lists of different lengths, or a stride of 0.
    """
    first, last, steps = _integers(starts), _integers(ends), _integers(strides)
    parts = [_SLICE(a, b, s) for a, b, s in zip(first, last, steps, strict=False)]
    count = {"starts": len(first), "ends": len(last), "strides": len(steps)}
    return getitem(x, _index_of(x, axes, parts, **count))


@composite
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Cuts a range out of one axis.

    Args:
        input: the tensor.
        dim: the axis.
        start: first place.
        length: number of places.

    Returns:
        A view of `input`.

    Raises:
        OutOfRangeError: the range reaches beyond the axis.
    """
    axis = normal_axis(dim, input.ndim, "dim")
    extent, first = input.shape[axis], int(start)
    first = first + extent if first < 0 else first
    if first < 0 or length < 0 or first + length > extent:
        raise OutOfRangeError(
            f"narrow to [{first}, {first + length}) of axis {dim} of extent {extent}",
            expected=f"a range inside [0, {extent}]",
            fix="shorten the range",
        )
    return getitem(input, _index_of(input, [axis], [_SLICE(first, first + length)]))


@composite
def crop(x: Tensor, shape: Any = None, offsets: Any = None, name: str | None = None) -> Tensor:
    """Cuts a box out of a tensor.

    Args:
        x: the tensor.
        shape: extents of the box; -1 reaches to the end. The extents of `x` by default.
        offsets: its first place per axis; zeros by default.

    Returns:
        A Tensor that does not share values with `x`.

    Raises:
        InvalidArgumentError: the box reaches beyond `x`.
    """
    extents = list(x.shape) if shape is None else _integers(shape)
    first = [0] * x.ndim if offsets is None else _integers(offsets)
    if len(extents) != x.ndim or len(first) != x.ndim:
        raise InvalidArgumentError(
            f"crop to {extents} from {first} of a tensor of shape {x.shape}",
            expected=f"{x.ndim} extents and {x.ndim} offsets",
            fix="give one per axis; -1 as extent reaches to the end",
        )
    parts = []
    for extent, start, wanted in zip(x.shape, first, extents, strict=True):
        stop = extent if wanted == -1 else start + wanted
        if start < 0 or stop < start or stop > extent:
            raise InvalidArgumentError(
                f"crop to {extents} from {first} of a tensor of shape {x.shape}",
                expected="a box inside the tensor",
                fix="make the box smaller, or move it",
            )
        parts.append(_SLICE(start, stop))
    return copied_part(x, tuple(parts))


@composite
def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """A copy of `x` in which one place of an axis is replaced.

    Args:
        x: the tensor.
        values: what is written, of the shape of `x` without the axis.
        axis: the axis.
        index: the place.

    Raises:
        InvalidArgumentError: `values` has another shape.
    """
    part = _index_of(x, [axis], [index])
    wanted = [d for i, d in enumerate(x.shape) if i != normal_axis(axis, x.ndim)]
    if list(values.shape) != wanted:
        raise InvalidArgumentError(
            f"`values` has shape {values.shape}", expected=f"shape {wanted}", fix="reshape it"
        )
    return assigned(x, part, values)


@composite
def slice_scatter(
    x: Tensor,
    value: Tensor,
    axes: Any,
    starts: Any,
    ends: Any,
    strides: Any,
    name: str | None = None,
) -> Tensor:
    """A copy of `x` in which a strided part is replaced.

    Args:
        x: the tensor.
        value: what is written; broadcasts to the part.
        axes: the axes that are cut.
        starts: first place per axis.
        ends: place that is not reached any more, per axis.
        strides: step per axis.
    """
    first, last, steps = _integers(starts), _integers(ends), _integers(strides)
    parts = [_SLICE(a, b, s) for a, b, s in zip(first, last, steps, strict=False)]
    count = {"starts": len(first), "ends": len(last), "strides": len(steps)}
    return assigned(x, _index_of(x, axes, parts, **count), value)


def _strided_places(x: Any, shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    size, width = x.size, x.dtype.itemsize
    if len(shape) != len(stride):
        raise InvalidArgumentError(
            f"`shape` is {list(shape)} and `stride` {list(stride)}",
            expected="one stride per axis",
            fix="give both the same length",
        )
    if offset % width:
        raise InvalidArgumentError(
            f"as_strided with an offset of {offset} bytes into a {x.dtype.name} tensor",
            expected=f"a multiple of {width}, the bytes of one element",
            fix="multiply the number of elements by the bytes of one",
        )
    offset //= width
    furthest = offset + sum((d - 1) * s for d, s in zip(shape, stride, strict=True))
    if offset < 0 or (0 not in shape and furthest >= size):
        raise InvalidArgumentError(
            f"as_strided reaches element {furthest} of a tensor of {size} elements",
            expected="a window inside the tensor",
            fix="make shape, stride or offset smaller",
        )
    places = jnp.full(shape, offset, jnp.int64)
    for axis, (extent, step) in enumerate(zip(shape, stride, strict=True)):
        along = jnp.arange(extent, dtype=jnp.int64) * step
        places = places + along.reshape(-1, *[1] * (len(shape) - axis - 1))
    return places


def _as_strided_back(base: Array, view: Array, shape: Any, stride: Any, offset: Any):
    places = _strided_places(base, shape, stride, offset)
    return base.reshape(-1).at[places].set(view).reshape(base.shape)


@op(inverse=_as_strided_back)
def as_strided(x: Array, shape: Shape, stride: Shape, offset: int = 0):
    """Shows elements at regular distances of the flattened tensor.

    Args:
        x: the tensor, read in row-major order.
        shape: extents of the result.
        stride: distance per axis, in elements.
        offset: where to begin, in bytes, as in Paddle: 4 is the second element of a float32 tensor.

    Returns:
        A view of `x`.

    Raises:
        InvalidArgumentError: the result would reach beyond `x`, or begin inside an element.
    """
    return x.reshape(-1)[_strided_places(x, shape, stride, offset)]


def _windows(extent: Any, size: int, step: int) -> Any:
    if not 0 < size <= extent or step < 1:
        raise InvalidArgumentError(
            f"windows of size {size} with step {step} of an axis of extent {extent}",
            expected=f"a size in [1, {extent}] and a positive step",
            fix="use smaller windows",
        )
    starts = np.arange(0, extent - size + 1, step)
    return starts[:, None] + np.arange(size)


def _unfold_back(base: Array, view: Array, axis: Any, size: Any, step: Any):
    place = normal_axis(axis, base.ndim)
    moved = jnp.moveaxis(base, place, -1)
    part = jnp.moveaxis(view, place, -2)
    return jnp.moveaxis(moved.at[..., _windows(base.shape[place], size, step)].set(part), -1, place)


@op(name="tensor_unfold", inverse=_unfold_back, public=False)
def _unfold(x: Array, axis: int, size: int, step: int):
    place = normal_axis(axis, x.ndim)
    moved = jnp.moveaxis(x, place, -1)
    return jnp.moveaxis(moved[..., _windows(x.shape[place], size, step)], -2, place)


@composite
def unfold(x: Tensor, axis: int, size: int, step: int, name: str | None = None) -> Tensor:
    """Shows windows of an axis; the elements of a window become a new last axis.

    Args:
        x: the tensor.
        axis: the axis.
        size: elements per window.
        step: distance between windows.

    Returns:
        A view of `x`.

    Raises:
        InvalidArgumentError: windows larger than the axis, or no positive step.
    """
    return _unfold(x, axis, size, step)


for _method in (
    *(slice, strided_slice, narrow, crop, select_scatter, slice_scatter),
    unfold,
):
    attach_method(_method.__name__, _method)
