"""Ops on conditions and masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    Tensor,
    attach_method,
    composite,
    op,
    write_inplace,
    write_out,
)

from ._axes import common_dtype
from ._index import getitem
from ._manipulate import reshape
from ._manipulate_repeat import broadcast_tensors
from ._promote import is_complex, refuse_complex

if TYPE_CHECKING:
    from proa.core._types import Array


@op(name="where", out=True, public=False)
def _where(condition: Array, x: Array, y: Array):
    dtype = common_dtype(x, y)
    try:
        return jnp.where(condition.astype(bool), x.astype(dtype), y.astype(dtype))
    except ValueError as error:
        shapes = [list(a.shape) for a in (condition, x, y)]
        raise InvalidArgumentError(
            f"where() of shapes {shapes}",
            expected="shapes that broadcast",
            fix="insert axes of extent 1 with unsqueeze",
        ) from error


@composite
def where(
    condition: Tensor, x: Any = None, y: Any = None, name: str | None = None, *, out: Any = None
) -> Any:
    """Takes elements of `x` where a condition holds, of `y` elsewhere.

    The gradient of the side that is not taken is multiplied by zero, which gives NaN where
    that side's own gradient is infinite: guard the input of `sqrt`, `log` or `1 / x` first,
    as in `where(x > 0, sqrt(where(x > 0, x, 1.0)), 0.0)`.

    Args:
        condition: boolean tensor.
        x: tensor or number.
        y: tensor or number; the three broadcast.
        out: a tensor to write the result to.

    Returns:
        A Tensor. Without `x` and `y`, the places where the condition holds, one index
        tensor per axis.

    Raises:
        InvalidArgumentError: only one of `x` and `y`, or shapes that do not broadcast.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([-1.0, 2.0])
        >>> proa.where(x > 0, x, 0.0).tolist()
        [0.0, 2.0]
    """
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    if x is None or y is None:
        raise InvalidArgumentError(
            "where() got only one of `x` and `y`",
            expected="both, or neither (for the places where the condition holds)",
            fix="pass a number for the other side, such as 0.0",
        )
    return _where(condition, x, y, out=out)


@composite
def where_(
    condition: Tensor, x: Tensor | None = None, y: Any = None, name: str | None = None
) -> Tensor:
    """In-place form of `where`: overwrites `x`.

    Raises:
        InvalidArgumentError: `x` or `y` is missing.
    """
    if x is None or y is None:
        raise InvalidArgumentError(
            "where_() without `x` or `y`",
            expected="a tensor `x` to overwrite, and `y` for where the condition does not hold",
            fix="call where(condition) for the places where it holds",
        )
    return write_inplace(x, _where(condition, x, y))


@op(name="nonzero", dynamic_shape=True, differentiable=False, public=False)
def _nonzero(x: Array):
    return jnp.asarray(np.argwhere(np.asarray(x)))


@composite
def nonzero(x: Tensor, as_tuple: bool = False, *, out: Any = None) -> Any:
    """The places of elements that are not zero; the shape depends on the values.

    Args:
        x: the tensor.
        as_tuple: one index tensor per axis instead of one tensor with a row per place.
        out: a tensor to write the result to.

    Returns:
        An int64 tensor of shape [number of places, number of axes], or a tuple.

    Examples:
        >>> import proa
        >>> proa.nonzero(proa.to_tensor([[1, 0], [0, 2]])).tolist()
        [[0, 0], [1, 1]]
    """
    places = _nonzero(x)
    if as_tuple:
        return tuple(getitem(places, (slice(None), i)) for i in range(x.ndim))
    return places if out is None else write_out(out, places)


@composite
def argwhere(input: Tensor) -> Tensor:
    """The places of elements that are not zero, a row per place (`nonzero`).

    Args:
        input: the tensor.
    """
    return _nonzero(input)


@composite
def masked_select(x: Tensor, mask: Tensor, name: str | None = None, *, out: Any = None) -> Tensor:
    """The elements where a mask holds, in one axis; its extent depends on the values.

    Args:
        x: the tensor.
        mask: boolean tensor that broadcasts with `x`.
        out: a tensor to write the result to.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([3, 1, 2])
        >>> proa.masked_select(x, x > 1).tolist()
        [3, 2]
    """
    if x.shape != mask.shape:
        x, mask = broadcast_tensors([x, mask])
    chosen = getitem(x, mask) if x.ndim else getitem(reshape(x, [1]), reshape(mask, [1]))
    return chosen if out is None else write_out(out, chosen)


@op(inplace=True)
def masked_fill(x: Array, mask: Array, value: Array):
    """A copy of `x` with one value where a mask holds.

    Args:
        x: the tensor.
        mask: boolean tensor that broadcasts with `x`.
        value: a number; cast to the dtype of `x`.
    """
    if not is_complex(x):
        refuse_complex("masked_fill", value)
    return jnp.where(mask.astype(bool), value.astype(x.dtype), x)


def _check_enough(x: Any, mask: Any, value: Any) -> None:
    count = int(np.count_nonzero(np.broadcast_to(np.asarray(mask), x.shape)))
    if count > value.size:
        raise InvalidArgumentError(
            f"`mask` holds at {count} places and `value` has {value.size} elements",
            expected="at least as many elements as places",
            fix="give more values, or use masked_fill for one value",
        )


@op(inplace=True, check=_check_enough)
def masked_scatter(x: Array, mask: Array, value: Array):
    """A copy of `x` with the places where a mask holds filled from `value`, in order.

    Args:
        x: the tensor.
        mask: boolean tensor that broadcasts to the shape of `x`.
        value: tensor with at least as many elements as the mask has places.

    Raises:
        InvalidArgumentError: too few values.
    """
    held = jnp.broadcast_to(mask.astype(bool), x.shape)
    order = (jnp.cumsum(held.reshape(-1)) - 1).reshape(x.shape)
    chosen = value.reshape(-1).at[order].get(mode="clip") if value.size else x
    return jnp.where(held, chosen.astype(x.dtype), x)


masked_fill_ = masked_fill.inplace
masked_scatter_ = masked_scatter.inplace


attach_method("where", where)
attach_method("where_", where_)
for _method in (nonzero, argwhere, masked_select):
    attach_method(_method.__name__, _method)
