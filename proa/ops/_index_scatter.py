"""Ops that write or add values at integer indices into a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    OtherOrder,
    Tensor,
    attach_method,
    composite,
    is_inexact,
    op,
    write_inplace,
    write_out,
)

from ._accumulate import add_at
from ._axes import normal_axis
from ._index import assigned, check_places
from ._index_basic import broadcast_value
from ._index_gather import along, at_axis, check_along, check_rows, columns, grid
from ._promote import widened

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Shape

REDUCTIONS = ("assign", "add", "mul", "multiply", "mean", "amin", "amax")


def _check_scatter(x: Any, index: Any, updates: Any, overwrite: bool) -> None:
    check_places(index, x.shape[0], "index")


def _scatter_along(x: Any, index: Any = None, updates: Any = None, **given: Any) -> Tensor:
    """`scatter(x, dim, index, src)`: an index per position of the other axes, as PyTorch has it."""
    dim, value = given.pop("dim", None), given.pop("src", given.pop("value", updates))
    if isinstance(index, int):
        dim, index = index, updates
        value = given.pop("overwrite", value)
    reduce = given.pop("reduce", "assign")
    made = put_along_axis(x, index, value, dim, reduce, True, False)
    return made if given.get("out") is None else write_inplace(given["out"], made)


@op(
    inplace=True,
    out=True,
    check=_check_scatter,
    other_order=OtherOrder(
        when="index.__class__ is int and overwrite.__class__ is not bool",
        call=_scatter_along,
        names=("dim", "src", "value", "reduce"),
    ),
)
def scatter(x: Array, index: Index, updates: Array, overwrite: bool = True):
    """A copy of `x` in which rows are replaced, or summed up.

    Args:
        x: tensor with at least one axis.
        index: integer vector, or a number.
        updates: a row per index.
        overwrite: replace rows (the last one wins); otherwise rows that are addressed
            become the sum of their updates.

    Raises:
        OutOfRangeError: an index outside the first axis (compiled code drops it).
        InvalidArgumentError: `updates` does not fit.

    Examples:
        >>> import proa
        >>> x = proa.zeros([3])
        >>> proa.scatter(x, proa.to_tensor([2, 0]), proa.to_tensor([5.0, 6.0])).tolist()
        [6.0, 0.0, 5.0]
    """
    if index.ndim == 2 and index.shape[1] == 1:
        index = index.reshape(-1)
    values = broadcast_value(updates, (*index.shape, *x.shape[1:])).astype(x.dtype)
    if overwrite:
        return x.at[index].set(values)
    return add_at(x.at[index].set(0), lambda x: x.at[index], values)


def _check_add(x: Any, index: Any, updates: Any) -> None:
    for axis in range(min(index.shape[-1], x.ndim) if index.ndim else 0):
        check_places(index[..., axis], x.shape[axis], "index")


@op(check=_check_add)
def scatter_nd_add(x: Array, index: Index, updates: Array):
    """Adds updates to the elements or slices whose coordinates an index holds.

    Args:
        x: the tensor.
        index: integer tensor of shape [..., k] with k coordinates.
        updates: tensor of shape `index.shape[:-1] + x.shape[k:]`.

    Raises:
        OutOfRangeError: a coordinate outside its axis (compiled code drops it).
        InvalidArgumentError: shapes that do not fit.
    """
    check_rows(x, index, "scatter_nd_add")
    wanted = (*index.shape[:-1], *x.shape[index.shape[-1] :])
    return add_at(x, lambda x: x.at[columns(index)], broadcast_value(updates, wanted))


def _check_nd(index: Any, updates: Any, shape: tuple[int, ...]) -> None:
    for axis in range(min(index.shape[-1], len(shape)) if index.ndim else 0):
        check_places(index[..., axis], shape[axis], "index")


@op(check=_check_nd)
def scatter_nd(index: Index, updates: Array, shape: Shape):
    """Sums updates into zeros at the coordinates that an index holds.

    Args:
        index: integer tensor of shape [..., k] with k coordinates.
        updates: tensor of shape `index.shape[:-1] + shape[k:]`.
        shape: extents of the result.

    Raises:
        OutOfRangeError: a coordinate outside its axis (compiled code drops it).
    """
    zeros = jnp.zeros(shape, updates.dtype)
    check_rows(zeros, index, "scatter_nd")
    values = broadcast_value(updates, (*index.shape[:-1], *shape[index.shape[-1] :]))
    return add_at(zeros, lambda x: x.at[columns(index)], values)


def _check_axis(x: Any, index: Any, axis: int, **_: Any) -> None:
    check_places(index, x.shape[normal_axis(axis, x.ndim)], "index")


def _add_along(x: Any, index: Any, axis: Any, value: Any, **given: Any) -> Tensor:
    """`index_add(x, axis, index, value)`."""
    return index_add(x, axis, index, value, **given)


@op(
    inplace=True,
    out=True,
    check=_check_axis,
    other_order=OtherOrder(
        when="index.__class__ is int and axis.__class__ is not int", call=_add_along
    ),
)
def index_add(x: Array, index: Index, axis: int, value: Array, alpha: float = 1):
    """Adds slices to `x` at places of an axis; places named twice get both.

    Args:
        x: the tensor.
        index: integer vector.
        axis: the axis.
        value: what is added, with an element of `axis` per index.
        alpha: factor of `value`.

    Raises:
        OutOfRangeError: an index outside the axis (compiled code drops it).
        InvalidArgumentError: `value` does not fit.
    """
    place = normal_axis(axis, x.ndim)
    wanted = (*x.shape[:place], *index.shape, *x.shape[place + 1 :])
    values = broadcast_value(value, wanted)
    return add_at(x, lambda x: at_axis(x, index, place), values * alpha)


@op(inplace=True, check=_check_axis)
def index_fill(x: Array, index: Index, axis: int, value: Array):
    """A copy of `x` in which places of an axis are set to one value.

    Args:
        x: the tensor.
        index: integer vector.
        axis: the axis.
        value: a number.

    Raises:
        OutOfRangeError: an index outside the axis (compiled code drops it).
    """
    return at_axis(x, index, normal_axis(axis, x.ndim)).set(value.astype(x.dtype))


@composite
def index_put(
    x: Tensor,
    indices: Sequence[Tensor],
    value: Any,
    accumulate: bool = False,
    name: str | None = None,
    *,
    out: Any = None,
) -> Tensor:
    """A copy of `x` with values at index tensors replaced, or increased.

    Args:
        x: the tensor.
        indices: integer tensors that broadcast, one per leading axis, or masks.
        value: what is written; broadcasts to the elements addressed.
        accumulate: add to the elements; those addressed twice get both.
        name: not used.
        out: tensor that takes the result.

    Raises:
        OutOfRangeError: an index outside its axis (compiled code drops it).
        InvalidArgumentError: `value` does not fit.
    """
    made = assigned(x, tuple(indices), value, accumulate)
    return made if out is None else write_out(out, made)


@composite
def index_put_(
    x: Tensor,
    indices: Sequence[Tensor],
    value: Any,
    accumulate: bool = False,
    name: str | None = None,
) -> Tensor:
    """In-place form of `index_put`."""
    return write_inplace(x, assigned(x, tuple(indices), value, accumulate))


def _extreme(arr: Any, values: Any, where: Callable[..., Any], kind: str, own: bool) -> Any:
    """Minimum or maximum; equal candidates share the gradient."""
    fixed, given = jax.lax.stop_gradient((arr, values))
    best = getattr(where(fixed), kind)(given)
    if not is_inexact(arr.dtype):
        return best
    wins = given == where(best).get(mode="clip")
    kept = (fixed == best) if own else jnp.zeros_like(fixed, bool)
    count = where(kept.astype(arr.dtype)).add(wins.astype(arr.dtype))
    total = where(jnp.where(kept, arr, 0)).add(jnp.where(wins, values, 0))
    share = jnp.where(count > 0, total / jnp.maximum(count, 1), arr)
    return best + share - jax.lax.stop_gradient(share)


def _product(arr: Any, index: Any, values: Any, place: int) -> Any:
    """Products with all values of a place, however often it is named; any derivative exists."""
    order = jnp.argsort(index, axis=place, stable=True)
    index, values = (jnp.take_along_axis(each, order, axis=place) for each in (index, values))
    changes = jnp.diff(index, axis=place) != 0
    end = jnp.ones_like(jax.lax.slice_in_dim(index, 0, 1, axis=place), bool)
    first = jnp.concatenate([end, changes], axis=place)
    last = jnp.concatenate([changes, end], axis=place)

    def combine(left: Any, right: Any) -> Any:
        return jnp.where(right[1], right[0], left[0] * right[0]), left[1] | right[1]

    products, _ = jax.lax.associative_scan(combine, (values, first), axis=place)
    spots = grid(jnp.where(last, index, arr.shape[place]), place)
    return arr * jnp.ones_like(arr).at[spots].set(products, mode="drop")


def _reduce_along(arr: Any, index: Any, values: Any, place: int, reduce: str, own: bool) -> Any:
    if reduce in ("add", "mean") and widened(arr).dtype != arr.dtype:
        # Sums and counts of half precision stop growing.
        wide = _reduce_along(widened(arr), index, widened(values), place, reduce, own)
        return wide.astype(arr.dtype)
    spots = grid(index, place)

    def where(x: Any) -> Any:
        return x.at[spots]

    if reduce == "assign":
        return where(arr).set(values)
    if not own:
        neutral = {"add": 0, "mean": 0, "mul": 1, "multiply": 1}.get(reduce)
        if neutral is None:
            limits = jnp.finfo(arr.dtype) if is_inexact(arr.dtype) else jnp.iinfo(arr.dtype)
            neutral = limits.max if reduce == "amin" else limits.min
        arr = where(arr).set(neutral)
    if reduce == "add":
        return where(arr).add(values)
    if reduce in ("mul", "multiply"):
        if not is_inexact(arr.dtype) or not index.size:
            return where(arr).multiply(values)
        return _product(arr, index, values, place)
    if reduce in ("amin", "amax"):
        return _extreme(arr, values, where, reduce.removeprefix("a"), own)
    count = where(jnp.full(arr.shape, int(own), arr.dtype)).add(1)
    total = where(arr).add(values)
    count = jnp.maximum(count, 1)
    untouched = where(jnp.ones(arr.shape, bool)).set(False)
    mean = total / count if is_inexact(arr.dtype) else total // count
    return jnp.where(untouched, arr, mean)


@op(inplace=True, check=check_along)
def put_along_axis(
    arr: Array,
    indices: Index,
    values: Array,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
):
    """A copy of `arr` with values written along an axis, by an index per other position.

    Args:
        arr: the tensor.
        indices: integer tensor with as many axes.
        values: what is written; broadcasts to the indices.
        axis: the axis.
        reduce: `"assign"`, `"add"`, `"mul"` (or `"multiply"`), `"mean"`, `"amin"`, `"amax"`.
        include_self: whether the element of `arr` takes part in the reduction.
        broadcast: broadcast `indices` to `arr` except along the axis.

    Raises:
        OutOfRangeError: an index outside the axis (compiled code drops it).
        InvalidArgumentError: shapes that do not fit, or an unknown reduction.
    """
    if reduce not in REDUCTIONS:
        raise InvalidArgumentError(
            f"`reduce` is {reduce!r}",
            expected="one of " + ", ".join(REDUCTIONS),
            fix="choose one of these",
        )
    index, place = along(arr, indices, axis, broadcast, "put_along_axis")
    if not broadcast and values.ndim == index.ndim and values.shape != index.shape:
        values = values[tuple(slice(0, d) for d in index.shape)]
    values = broadcast_value(values, index.shape).astype(arr.dtype)
    return _reduce_along(arr, index, values, place, reduce, include_self)


@composite
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Combines values into a copy of `input` along an axis.

    Args:
        input: the tensor.
        dim: the axis.
        index: integer tensor with as many axes as `input`.
        src: the values.
        reduce: `"sum"`, `"prod"`, `"mean"`, `"amin"` or `"amax"`.
        include_self: whether the element of `input` takes part.

    Raises:
        InvalidArgumentError: an unknown reduction.
    """
    known = {"sum": "add", "prod": "mul", "mean": "mean", "amin": "amin", "amax": "amax"}
    if reduce not in known:
        raise InvalidArgumentError(
            f"`reduce` is {reduce!r}", expected="one of " + ", ".join(known), fix="choose one"
        )
    return put_along_axis(input, index, src, dim, known[reduce], include_self, False)


@composite
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Adds values to a copy of `input` along an axis.

    Args:
        input: the tensor.
        dim: the axis.
        index: integer tensor with as many axes as `input`.
        src: the values.
    """
    return put_along_axis(input, index, src, dim, "add", True, False)


@composite
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """In-place form of `scatter_add`."""
    return write_inplace(input, scatter_add(input, dim, index, src))


scatter_ = scatter.inplace
index_add_ = index_add.inplace
index_fill_ = index_fill.inplace
put_along_axis_ = put_along_axis.inplace

for _method in (index_put, index_put_, scatter_reduce, scatter_add, scatter_add_):
    attach_method(_method.__name__, _method)
