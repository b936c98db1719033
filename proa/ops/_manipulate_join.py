"""Ops that join tensors or cut one into several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, is_dimension, op

from ._axes import common_dtype, normal_axis
from ._manipulate import atleast_1d, atleast_2d, atleast_3d, reshape

if TYPE_CHECKING:
    from proa.core._types import Array, Ints


def _check_some(arrays: Sequence[Any], name: str) -> None:
    if not arrays:
        raise InvalidArgumentError(
            f"`{name}` got no tensors", expected="at least one tensor", fix="check the list"
        )


def _check_same(arrays: Sequence[Any], name: str, skipped: int | None) -> None:
    first = arrays[0].shape
    for position, array in enumerate(arrays):
        same = len(array.shape) == len(first) and all(
            i == skipped or d == e or is_dimension(d) or is_dimension(e)
            for i, (d, e) in enumerate(zip(array.shape, first, strict=True))
        )
        if not same:
            but = "" if skipped is None else f", except along axis {skipped}"
            raise InvalidArgumentError(
                f"`{name}`: tensor 0 has shape {list(first)}, "
                f"tensor {position} has {list(array.shape)}",
                expected=f"equal shapes{but}",
                fix="reshape, slice or pad the tensors first",
            )


@op(out=True)
def concat(x: Sequence[Array], axis: int = 0):
    """Joins tensors along an axis they have.

    Args:
        x: tensors with equal shapes except along `axis`; their dtypes are promoted.
        axis: the axis to join along.

    Raises:
        InvalidArgumentError: no tensors, or shapes that do not match.

    Examples:
        >>> import proa
        >>> proa.concat([proa.ones([2, 3]), proa.zeros([1, 3])]).shape
        [3, 3]
    """
    _check_some(x, "concat")
    place = normal_axis(axis, x[0].ndim)
    _check_same(x, "concat", place)
    dtype = common_dtype(*x)
    return jax.lax.concatenate([a.astype(dtype) for a in x], place)


@op(out=True)
def stack(x: Sequence[Array], axis: int = 0):
    """Joins tensors of one shape along a new axis.

    Args:
        x: tensors of equal shapes; their dtypes are promoted.
        axis: place of the new axis in the result.

    Raises:
        InvalidArgumentError: no tensors, or shapes that differ.

    Examples:
        >>> import proa
        >>> proa.stack([proa.ones([3]), proa.zeros([3])], axis=1).shape
        [3, 2]
    """
    _check_some(x, "stack")
    _check_same(x, "stack", None)
    dtype = common_dtype(*x)
    place = normal_axis(axis, x[0].ndim + 1)
    return jnp.stack([a.astype(dtype) for a in x], place)


def _cut(x: Any, bounds: Sequence[Any], place: int) -> tuple[Any, ...]:
    """Pieces between consecutive bounds."""
    return tuple(
        jax.lax.slice_in_dim(x, start, stop, axis=place)
        for start, stop in zip(bounds[:-1], bounds[1:], strict=True)
    )


def _sections(extent: Any, given: Any, axis: int) -> list[Any]:
    if isinstance(given, int):
        if given < 1 or (not is_dimension(extent) and extent % given):
            raise InvalidArgumentError(
                f"axis {axis} of extent {extent} is to be split into {given} equal parts",
                expected="a number of parts that divides the extent",
                fix="give the sizes as a list, or use tensor_split for unequal parts",
            )
        return [extent // given] * given
    sizes, unknown = list(given), [i for i, s in enumerate(given) if not is_dimension(s) and s < 0]
    known = sum(s for i, s in enumerate(sizes) if i not in unknown)
    if len(unknown) == 1:
        sizes[unknown[0]] = extent - known
    total = sum(sizes)
    if len(unknown) > 1 or (not is_dimension(total) and total != extent) or min(sizes) < 0:
        raise InvalidArgumentError(
            f"sections {list(given)} of axis {axis} of extent {extent}",
            expected=f"sizes with sum {extent}, at most one of them -1",
            fix="let one size be -1 to have it computed",
        )
    return sizes


@op(name="split", public=False)
def _split(x: Array, num_or_sections: Ints, axis: int):
    place = normal_axis(axis, x.ndim)
    bounds = [0]
    for size in _sections(x.shape[place], num_or_sections, axis):
        bounds.append(bounds[-1] + size)
    return _cut(x, bounds, place)


@composite
def split(x: Tensor, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Cuts a tensor into parts along an axis.

    Args:
        x: the tensor.
        num_or_sections: the number of equal parts, or the size of each part (one may be -1).
        axis: the axis to cut.

    Returns:
        A list of Tensors, which do not share values with `x`.

    Raises:
        InvalidArgumentError: the parts do not make up the axis.

    Examples:
        >>> import proa
        >>> [part.shape for part in proa.split(proa.ones([6, 2]), [1, -1, 2])]
        [[1, 2], [3, 2], [2, 2]]
    """
    return list(_split(x, num_or_sections, axis))


@composite
def chunk(x: Tensor, chunks: int, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Cuts a tensor into equal parts along an axis.

    Args:
        x: the tensor.
        chunks: number of parts.
        axis: the axis to cut.
    """
    return list(_split(x, chunks, axis))


def split_with_sizes(self: Tensor, split_sizes: Any, dim: int = 0) -> list[Tensor]:
    """Cuts a tensor into parts of given sizes.

    Args:
        split_sizes: size of each part.
        dim: the axis to cut.
    """
    return list(_split(self, split_sizes, dim))


@op(name="tensor_split", public=False)
def _tensor_split(x: Array, num_or_indices: Ints, axis: int):
    place = normal_axis(axis, x.ndim)
    extent = x.shape[place]
    if isinstance(num_or_indices, int):
        if num_or_indices < 1:
            raise InvalidArgumentError(
                f"`num_or_indices` is {num_or_indices}",
                expected="at least one part, or a list of indices",
                fix="give a positive number of parts",
            )
        size, longer = divmod(extent, num_or_indices)
        bounds = [i * size + min(i, longer) for i in range(num_or_indices + 1)]
        return _cut(x, bounds, place)
    cuts = [min(max(i + extent if i < 0 else i, 0), extent) for i in num_or_indices]
    starts, stops = [0, *cuts], [*cuts, extent]
    return tuple(
        jax.lax.slice_in_dim(x, start, max(start, stop), axis=place)
        for start, stop in zip(starts, stops, strict=True)
    )


@composite
def tensor_split(
    x: Tensor, num_or_indices: Any, axis: Any = 0, name: str | None = None
) -> list[Tensor]:
    """Cuts a tensor into parts that need not be equal.

    Args:
        x: the tensor.
        num_or_indices: a number of parts (the first ones get one element more where the
            extent is not divisible), or the indices to cut before.
        axis: the axis to cut.

    Returns:
        A list of Tensors, which do not share values with `x`.
    """
    return list(_tensor_split(x, num_or_indices, axis))


def _need_axes(x: Tensor, least: int, what: str) -> None:
    if x.ndim < least:
        raise InvalidArgumentError(
            f"{what} of a tensor of shape {x.shape}",
            expected=f"at least {least} axes",
            fix="use tensor_split with an axis",
        )


@composite
def hsplit(x: Tensor, num_or_indices: Any, name: str | None = None) -> list[Tensor]:
    """`tensor_split` along the second axis (the only one of a vector).

    Args:
        x: the tensor.
        num_or_indices: see `tensor_split`.
    """
    _need_axes(x, 1, "hsplit")
    return tensor_split(x, num_or_indices, 1 if x.ndim > 1 else 0)


@composite
def vsplit(x: Tensor, num_or_indices: Any, name: str | None = None) -> list[Tensor]:
    """`tensor_split` along the first axis.

    Args:
        x: a tensor with at least two axes.
        num_or_indices: see `tensor_split`.
    """
    _need_axes(x, 2, "vsplit")
    return tensor_split(x, num_or_indices, 0)


@composite
def dsplit(x: Tensor, num_or_indices: Any, name: str | None = None) -> list[Tensor]:
    """`tensor_split` along the third axis.

    Args:
        x: a tensor with at least three axes.
        num_or_indices: see `tensor_split`.
    """
    _need_axes(x, 3, "dsplit")
    return tensor_split(x, num_or_indices, 2)


def _apart(x: Any, axis: int) -> tuple[Any, ...]:
    place = normal_axis(axis, x.ndim)
    extent = x.shape[place]
    if is_dimension(extent):
        raise InvalidArgumentError(
            f"unstack along axis {axis} of unknown extent {extent}",
            expected="an axis whose extent is known while recording",
            fix="give the input spec a fixed extent there, or iterate with a loop op",
        )
    return tuple(jax.lax.index_in_dim(x, i, place, keepdims=False) for i in range(extent))


@op(name="unstack", public=False)
def _unstack(x: Array, axis: int):
    return _apart(x, axis)


@composite
def unstack(
    x: Tensor, axis: int = 0, num: int | None = None, name: str | None = None
) -> list[Tensor]:
    """Takes a tensor apart along an axis; the axis goes.

    Args:
        x: the tensor.
        axis: the axis to take apart.
        num: its extent, as a check.

    Returns:
        A list of Tensors, which do not share values with `x` (those of `unbind` do).

    Raises:
        InvalidArgumentError: `num` is not the extent.
    """
    place = normal_axis(axis, x.ndim)
    if num is not None and num != x.shape[place]:
        raise InvalidArgumentError(
            f"`num` is {num}",
            expected=f"{x.shape[place]}, the extent of axis {axis}",
            fix="omit it",
        )
    return list(_unstack(x, axis))


def _tensors(x: Any) -> list[Tensor]:
    return [v if isinstance(v, Tensor) else Tensor(v) for v in x]


@composite
def hstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Joins along the second axis; numbers and vectors along their only one.

    Args:
        x: the tensors.
    """
    parts = [atleast_1d(v) for v in _tensors(x)]
    return concat(parts, 0 if parts and parts[0].ndim == 1 else 1)


@composite
def vstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Joins along the first axis; vectors count as rows.

    Args:
        x: the tensors.
    """
    return concat([atleast_2d(v) for v in _tensors(x)], 0)


@composite
def row_stack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Joins along the first axis; vectors count as rows (`vstack`).

    Args:
        x: the tensors.
    """
    return vstack(x)


@composite
def dstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Joins along the third axis, which is added where it is missing.

    Args:
        x: the tensors.
    """
    return concat([atleast_3d(v) for v in _tensors(x)], 2)


@composite
def column_stack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Joins along the second axis; numbers and vectors count as columns.

    Args:
        x: the tensors.
    """
    return concat([reshape(v, [-1, 1]) if v.ndim < 2 else v for v in _tensors(x)], 1)


@op
def block_diag(inputs: Sequence[Array]):
    """Puts matrices on the diagonal of a matrix that is zero elsewhere.

    Args:
        inputs: tensors with at most two axes; vectors count as rows, numbers as 1 x 1.

    Raises:
        InvalidArgumentError: no tensors, or one with more axes.
    """
    _check_some(inputs, "block_diag")
    if any(a.ndim > 2 for a in inputs):
        raise InvalidArgumentError(
            f"`inputs` have shapes {[list(a.shape) for a in inputs]}",
            expected="at most two axes each",
            fix="reshape them to matrices",
        )
    dtype = common_dtype(*inputs)
    blocks = [jnp.atleast_2d(a).astype(dtype) for a in inputs]
    width = sum(b.shape[1] for b in blocks)
    rows, left = [], 0
    for block in blocks:
        rows.append(jnp.pad(block, ((0, 0), (left, width - left - block.shape[1]))))
        left += block.shape[1]
    return jnp.concatenate(rows, 0)


@composite
def cat(x: Sequence[Tensor], axis: int = 0, name: str | None = None, *, out: Any = None) -> Tensor:
    """Joins tensors along an axis they have (`concat`).

    Args:
        x: tensors with equal shapes except along `axis`.
        axis: the axis to join along.
        out: a tensor to write the result to.
    """
    return concat(x, axis, out=out)


concatenate = cat

for _method in (split, chunk, split_with_sizes, tensor_split, hsplit, vsplit, dsplit, unstack):
    attach_method(_method.__name__, _method)
