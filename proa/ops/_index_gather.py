"""Ops that pick elements by integer indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    OtherOrder,
    Tensor,
    attach_method,
    composite,
    op,
)

from ._accumulate import pick
from ._axes import normal_axis
from ._index import check_places

if TYPE_CHECKING:
    from proa.core._types import Array, Index

MODES = ("raise", "wrap", "clip")


def at_axis(x: Any, index: Any, axis: int) -> Any:
    """`x.at[...]` with an index at one axis and all of the others."""
    return x.at[(slice(None),) * axis + (index,)]


def take_axis(x: Any, index: Any, axis: int) -> Any:
    """Elements of one axis; negative indices count from the end, others are clamped."""
    return pick(lambda x, index: at_axis(x, index, axis).get(mode="clip"), x, index)


def _row_index(index: Any, op_name: str) -> Any:
    """Reads an index of shape [n, 1] as [n]."""
    if index.ndim == 2 and index.shape[1] == 1:
        return index.reshape(-1)
    if index.ndim > 1:
        raise InvalidArgumentError(
            f"`index` of `{op_name}` has shape {list(index.shape)}",
            expected="a vector, a number, or shape [n, 1]",
            fix="use gather_nd or take_along_axis for an index with more axes",
        )
    return index


def _check_gather(x: Any, index: Any, axis: int | None) -> None:
    place = normal_axis(axis or 0, x.ndim)
    check_places(index, x.shape[place], "index")


def _gather_along(x: Any, index: Any = None, axis: Any = None, **given: Any) -> Tensor:
    """`gather(x, dim, index)`: an index per position of the other axes, as PyTorch has it."""
    if isinstance(index, int):
        given["dim"], index = index, axis
    return take_along_axis(x, index, given.pop("dim"), False, **given)


@op(
    out=True,
    check=_check_gather,
    other_order=OtherOrder(
        when="index.__class__ is int and axis is not None", call=_gather_along, names=("dim",)
    ),
)
def gather(x: Array, index: Index, axis: int | None = None):
    """Picks slices along an axis.

    Args:
        x: the tensor.
        index: integer vector (or number, which drops the axis); negative ones count from
            the end.
        axis: the axis; the first by default.

    Returns:
        A tensor whose `axis` has an element per index.

    Raises:
        OutOfRangeError: an index outside the axis (compiled code clamps it).

    Examples:
        >>> import proa
        >>> proa.gather(proa.to_tensor([[1, 2], [3, 4], [5, 6]]), proa.to_tensor([2, 0])).tolist()
        [[5, 6], [1, 2]]
    """
    return take_axis(x, _row_index(index, "gather"), normal_axis(axis or 0, x.ndim))


def _check_select(x: Any, index: Any, axis: int) -> None:
    check_places(index, x.shape[normal_axis(axis, x.ndim)], "index")


def _select_along(x: Any, index: Any, axis: Any, **given: Any) -> Tensor:
    """`index_select(x, axis, index)`."""
    return index_select(x, axis, index, **given)


@op(
    out=True,
    check=_check_select,
    other_order=OtherOrder(
        when="index.__class__ is int and axis.__class__ is not int", call=_select_along
    ),
)
def index_select(x: Array, index: Index, axis: int = 0):
    """Picks slices along an axis.

    Args:
        x: the tensor.
        index: integer vector; negative ones count from the end.
        axis: the axis.

    Raises:
        OutOfRangeError: an index outside the axis (compiled code clamps it).
    """
    return take_axis(x, _row_index(index, "index_select"), normal_axis(axis, x.ndim))


def columns(index: Any) -> tuple[Any, ...]:
    """The last axis of an index tensor, taken apart."""
    return tuple(index[..., i] for i in range(index.shape[-1]))


def check_rows(x: Any, index: Any, op_name: str) -> None:
    """Checks an index whose last axis addresses the first axes of `x`.

    Raises:
        InvalidArgumentError: it addresses more axes than there are.
        InvalidTypeError: it is not of an integer dtype.
    """
    if not index.ndim or index.shape[-1] > x.ndim:
        raise InvalidArgumentError(
            f"`index` of `{op_name}` has shape {list(index.shape)} "
            f"for a tensor of shape {list(x.shape)}",
            expected=f"a last axis of at most {x.ndim} entries",
            fix="put the coordinates of an element on the last axis",
        )


def _check_nd(x: Any, index: Any, **_: Any) -> None:
    if index.ndim and index.shape[-1] <= x.ndim:
        for axis in range(index.shape[-1]):
            check_places(index[..., axis], x.shape[axis], "index")


@op(check=_check_nd)
def gather_nd(x: Array, index: Index):
    """Picks elements or slices whose coordinates stand on the last axis of an index.

    Args:
        x: the tensor.
        index: integer tensor of shape [..., k] with k coordinates, k <= number of axes.

    Returns:
        A tensor of shape `index.shape[:-1] + x.shape[k:]`.

    Raises:
        OutOfRangeError: a coordinate outside its axis (compiled code clamps it).
        InvalidArgumentError: more coordinates than axes.
    """
    check_rows(x, index, "gather_nd")
    return pick(lambda x, index: x.at[columns(index)].get(mode="clip"), x, index)


def _check_sample(x: Any, index: Any) -> None:
    check_places(index, x.shape[-1], "index", negative=False)


@op(check=_check_sample)
def index_sample(x: Array, index: Index):
    """Picks, in each row of a matrix, the elements at that row's indices.

    Args:
        x: tensor of shape [m, n].
        index: integer tensor of shape [m, k].

    Returns:
        A tensor of shape [m, k].

    Raises:
        InvalidArgumentError: not two matrices with equal numbers of rows.
        OutOfRangeError: an index outside [0, n).
    """
    if x.ndim != 2 or index.ndim != 2:
        raise InvalidArgumentError(
            f"index_sample of shapes {list(x.shape)} and {list(index.shape)}",
            expected="two matrices with equal numbers of rows",
            fix="use take_along_axis for other numbers of axes",
        )
    return pick(lambda x, i: jnp.take_along_axis(x, i, axis=1, mode="clip"), x, index)


def _check_take(x: Any, index: Any, mode: str) -> None:
    if mode == "raise":
        check_places(index, x.size, "index")


@op(check=_check_take)
def take(x: Array, index: Index, mode: str = "raise"):
    """Picks elements of the flattened tensor.

    Args:
        x: the tensor.
        index: integer tensor.
        mode: what becomes of an index outside [-n, n): `"raise"`, `"wrap"` (modulo n) or
            `"clip"` (to [0, n)).

    Returns:
        A tensor of the index's shape.

    Raises:
        OutOfRangeError: such an index in mode `"raise"` (compiled code clamps it).
        InvalidArgumentError: another mode.
    """
    if mode not in MODES:
        raise InvalidArgumentError(
            f"`mode` is {mode!r}", expected="one of " + ", ".join(MODES), fix="choose one of these"
        )
    flat = x.reshape(-1)
    if mode == "wrap":
        index = index % flat.shape[0]
    elif mode == "clip":
        index = jnp.clip(index, 0, flat.shape[0] - 1)
    return take_axis(flat, index, 0)


def along(x: Any, index: Any, axis: int, broadcast: bool, op_name: str) -> tuple[Any, int]:
    """Aligns an index with a tensor for the `*_along_axis` ops.

    Returns:
        The index, broadcast to `x` except along the axis if wanted, and the axis.

    Raises:
        InvalidArgumentError: other numbers of axes, or extents that do not fit.
    """
    if index.ndim != x.ndim:
        raise InvalidArgumentError(
            f"`indices` of `{op_name}` have shape {list(index.shape)} "
            f"for a tensor of shape {list(x.shape)}",
            expected=f"{x.ndim} axes",
            fix="insert axes of extent 1 with unsqueeze",
        )
    place = normal_axis(axis, x.ndim)
    if broadcast:
        wanted = tuple(index.shape[i] if i == place else d for i, d in enumerate(x.shape))
        try:
            index = jnp.broadcast_to(index, wanted)
        except ValueError as error:
            raise InvalidArgumentError(
                f"`indices` of `{op_name}` have shape {list(index.shape)}",
                expected=f"a shape that broadcasts to {list(wanted)}",
                fix="pass broadcast=False to address a corner of the tensor only",
            ) from error
    return index, place


def grid(index: Any, axis: int) -> tuple[Any, ...]:
    """Coordinates of all elements of an index, with the index itself at one axis."""
    return tuple(
        index if i == axis else jnp.arange(d).reshape(*[1] * i, -1, *[1] * (index.ndim - i - 1))
        for i, d in enumerate(index.shape)
    )


def check_along(arr: Any, indices: Any, axis: int, **_: Any) -> None:
    """Checks the index of a `*_along_axis` op."""
    check_places(indices, arr.shape[normal_axis(axis, arr.ndim)], "indices")


@op(out=True, check=check_along)
def take_along_axis(arr: Array, indices: Index, axis: int, broadcast: bool = True):
    """Picks elements along an axis, by an index per position of the other axes.

    Args:
        arr: the tensor.
        indices: integer tensor with as many axes; negative ones count from the end.
        axis: the axis.
        broadcast: broadcast `indices` to `arr` except along the axis; otherwise they may
            address a corner of `arr`.

    Returns:
        A tensor of the shape of the (broadcast) indices.

    Raises:
        OutOfRangeError: an index outside the axis (compiled code clamps it).
        InvalidArgumentError: shapes that do not fit.
    """
    index, place = along(arr, indices, axis, broadcast, "take_along_axis")
    return arr.at[grid(index, place)].get(mode="clip")


@composite
def take_along_dim(
    arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True, *, out: Any = None
) -> Tensor:
    """Picks elements along an axis (`take_along_axis`).

    Args:
        arr: the tensor.
        indices: integer tensor with as many axes.
        axis: the axis.
        broadcast: broadcast `indices` to `arr` except along the axis.
        out: a tensor to write the result to.
    """
    return take_along_axis(arr, indices, axis, broadcast, out=out)


attach_method("take_along_dim", take_along_dim)
