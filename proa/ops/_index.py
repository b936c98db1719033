"""`x[...]` and `x[...] = value`: Python's index expression becomes op calls.

Integers, slices, `None` and `...` are applied first and give a view; integer arrays and masks are
applied to that. (So an integer never joins the arrays' broadcasting, unlike NumPy.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    Tensor,
    attach_method,
    composite,
    concrete,
    context,
    dispatch,
    is_dimension,
    make_view,
    new_tensor,
    op,
    tie_view,
    write_inplace,
)

from ._accumulate import add_at, pick
from ._axes import normal_axis
from ._host_checks import host_values
from ._index_basic import NEW, WHOLE, basic_assign, basic_index, broadcast_value
from ._manipulate_join import unstack

if TYPE_CHECKING:
    from proa.core._types import Array

_FULL = slice(None)


def check_places(places: Any, extent: Any, name: str, *, negative: bool = True) -> None:
    """Checks integer places on the host.

    Values that lie on an accelerator are not fetched for it: there, places are clamped.

    Raises:
        OutOfRangeError: a place outside the axis.
    """
    places = host_values(places)
    if places is None or is_dimension(extent):
        return
    if not places.size:
        return
    least, most = int(places.min()), int(places.max())
    if most >= extent or least < (-extent if negative else 0):
        low = -extent if negative else 0
        raise OutOfRangeError(
            f"`{name}` holds {most if most >= extent else least} for an axis of extent {extent}",
            expected=f"places in [{low}, {extent})",
            fix="check how the index was computed, and the axis it is meant for",
        )


def _check_arrays(x: Any, indices: Sequence[Any], axes: tuple[int, ...]) -> None:
    for places, axis in zip(indices, axes, strict=True):
        check_places(places, x.shape[axis], "index")


def _placed(ndim: int, indices: Sequence[Any], axes: tuple[int, ...]) -> tuple[Any, ...]:
    index: list[Any] = [_FULL] * ndim
    for places, axis in zip(indices, axes, strict=True):
        index[axis] = places
    return tuple(index)


@op(name="getitem_arrays", public=False, method=None, check=_check_arrays)
def take_arrays(x: Array, indices: Sequence[Array], axes: Any):
    """Takes the elements at broadcast integer arrays, one per named axis."""
    return pick(
        lambda x, *indices: x.at[_placed(x.ndim, indices, axes)].get(mode="clip"), x, *indices
    )


def _check_assign(x: Any, value: Any, indices: Any, axes: Any, accumulate: bool) -> None:
    _check_arrays(x, indices, axes)


@op(name="setitem_arrays", public=False, method=None, check=_check_assign)
def put_arrays(x: Array, value: Array, indices: Sequence[Array], axes: Any, accumulate: bool):
    """Returns `x` with the elements at integer arrays replaced by (or increased by) the value."""
    places = _placed(x.ndim, indices, axes)
    shape = jax.eval_shape(lambda: x.at[places].get(mode="clip")).shape
    value = broadcast_value(value, shape).astype(x.dtype)
    if accumulate:
        return add_at(x, lambda x: x.at[places], value)
    return x.at[places].set(value)


@op(name="setitem_mask", public=False, method=None)
def put_where(x: Array, value: Array, mask: Array):
    """Returns `x` with the elements under a mask over its first axes replaced by the value."""
    rest = x.shape[mask.ndim :]
    value = broadcast_value(value, rest).astype(x.dtype)
    return jnp.where(mask.reshape(*mask.shape, *[1] * len(rest)), value, x)


class Plan:
    """An index expression taken apart: the basic part, and the arrays on what it leaves."""

    __slots__ = ("arrays", "axes", "is_trivial", "mask", "spec", "starts")

    def __init__(self) -> None:
        self.spec: list[Any] = []
        self.starts: list[Any] | None = []
        self.arrays: list[Any] = []
        self.axes: list[int] = []
        self.mask: Any = None
        self.is_trivial = True

    def basic_operands(self) -> tuple[tuple[Any, ...], Any]:
        """Tensor operands after `x`, and the key, of the basic part."""
        spec = tuple(self.spec)
        if not self.starts:
            return (), ((True, False), (spec,))
        starts = new_tensor(np.array(self.starts, np.int64))
        return (starts,), ((True, True), (spec,))


def _wrong_type(item: Any) -> InvalidTypeError:
    return InvalidTypeError(
        f"an index of type {type(item).__name__} ({item!r})"[:200],
        expected="integers, slices, None, ..., booleans, or arrays and tensors of these",
        fix="convert floats with int(), and cast float tensors to int64",
    )


def _as_array(item: Any) -> Any:
    """The array or Tensor behind an advanced index."""
    if isinstance(item, Tensor):
        dtype = item._data.dtype
    else:
        if isinstance(item, list | tuple | range) and not len(item):
            return np.zeros((0,), np.int64)
        if isinstance(item, list | tuple):
            item = [v.numpy() if isinstance(v, Tensor) else v for v in item]
        try:
            item = np.asarray(item)
        except ValueError as error:
            raise _wrong_type(item) from error
        dtype = item.dtype
    if np.dtype(dtype).kind in "biu":
        return item
    raise _wrong_type(item)


def _span(part: slice, extent: Any, plan: Plan) -> Any:
    """The spec entry of a slice of an axis."""
    if part == _FULL:
        return WHOLE
    start, stop, step = (_bound(b) for b in (part.start, part.stop, part.step))
    if step == 0:
        raise InvalidArgumentError(
            "a slice with step 0", expected="a step other than 0", fix="drop the step"
        )
    if plan.starts is None or is_dimension(extent):
        return (start, stop, step)
    first, last, step = slice(start, stop, step).indices(extent)
    count = len(range(first, last, step))
    if count == extent and step == 1:
        return WHOLE
    plan.starts.append(first if count else 0)
    return ("span", count, step)


def _bound(value: Any) -> Any:
    if value is None or value.__class__ is int or is_dimension(value):
        return value
    try:
        return operator.index(value)
    except TypeError as error:
        raise _wrong_type(value) from error


def _place(value: int, extent: Any, axis: int, plan: Plan) -> Any:
    if is_dimension(extent):
        return value
    if not -extent <= value < extent:
        raise OutOfRangeError(
            f"index {value} of axis {axis} of extent {extent}",
            expected=f"an index in [{-extent}, {extent})"
            if extent
            else "an axis that is not empty",
            fix="check the index against x.shape",
        )
    place = value + extent if value < 0 else value
    if plan.starts is None:
        return place
    plan.starts.append(place)
    return ("at",)


def _axes_taken(item: Any) -> int:
    """How many axes of the tensor an item uses up."""
    if item is None or isinstance(item, bool | np.bool_):
        return 0
    if isinstance(item, Tensor | np.ndarray):
        if item.dtype == bool:
            return item.ndim
    return 1


def _expand(index: Any, ndim: int) -> list[Any]:
    """The items of an index, with `...` written out."""
    if index.__class__ is int and ndim:
        return [index]
    items = list(index) if isinstance(index, tuple) else [index]
    items = [_as_array(i) if isinstance(i, list | tuple | range) else i for i in items]
    dots = [position for position, item in enumerate(items) if item is Ellipsis]
    taken = sum(_axes_taken(item) for item in items if item is not Ellipsis)
    if len(dots) > 1:
        raise InvalidArgumentError(
            f"an index with {len(dots)} ellipses", expected="at most one `...`", fix="drop the rest"
        )
    if taken > ndim:
        raise OutOfRangeError(
            f"an index for {taken} axes of a tensor with {ndim}",
            expected=f"at most {ndim} indices",
            fix="drop an index, or add axes with None",
        )
    if dots:
        items[dots[0] : dots[0] + 1] = [_FULL] * (ndim - taken)
    return items


def parse(shape: Sequence[Any], index: Any) -> Plan:
    """Takes an index expression apart for a tensor of the given shape.

    Raises:
        OutOfRangeError: an integer outside its axis, or too many indices.
        InvalidTypeError: an item that is no index.
        InvalidArgumentError: a mask of another shape, two ellipses, a step of 0.
    """
    plan = Plan()
    if context.recorder is not None or any(is_dimension(d) for d in shape):
        plan.starts = None
    axis = kept = 0
    for item in _expand(index, len(shape)):
        if item.__class__ is slice:
            plan.spec.append(_span(item, shape[axis], plan))
            plan.is_trivial &= plan.spec[-1] == WHOLE
            axis, kept = axis + 1, kept + 1
        elif item is None or item is True:
            plan.spec.append(NEW)
            plan.is_trivial = False
            kept += 1
        elif item.__class__ is int or _is_integer(item):
            plan.spec.append(_place(int(item), shape[axis], axis, plan))
            plan.is_trivial = False
            axis += 1
        elif isinstance(item, bool | np.bool_):
            _add_flag(plan, bool(item), kept)
            kept += 1
        else:
            taken = _add_array(plan, _as_array(item), shape, axis, kept)
            plan.spec.extend([WHOLE] * taken)
            axis, kept = axis + taken, kept + taken
    if plan.mask is not None and (len(plan.axes) != 1 or plan.axes[0] != 0):
        _resolve_mask(plan)
    return plan


def _is_integer(item: Any) -> bool:
    if isinstance(item, np.integer):
        return True
    if isinstance(item, np.ndarray):
        return not item.ndim and item.dtype.kind in "iu"
    return not isinstance(item, Tensor | bool | np.bool_) and hasattr(item, "__index__")


def _add_flag(plan: Plan, flag: bool, kept: int) -> None:
    plan.spec.append(NEW)
    plan.is_trivial = False
    if not flag:
        plan.arrays.append(np.zeros((0,), np.int64))
        plan.axes.append(kept)


def _add_array(plan: Plan, item: Any, shape: Sequence[Any], axis: int, kept: int) -> int:
    """Adds an integer array or a mask; returns how many axes it uses up."""
    if item.dtype != bool:
        plan.arrays.append(item)
        plan.axes.append(kept)
        return 1
    extents = list(shape[axis : axis + item.ndim])
    if any(not is_dimension(d) and d != m for d, m in zip(extents, item.shape, strict=True)):
        raise OutOfRangeError(
            f"a mask of shape {list(item.shape)} for axes of shape {extents}",
            expected=f"a mask of shape {extents}",
            fix="compute the mask from the tensor that it selects from",
        )
    if plan.mask is not None:
        _resolve_mask(plan)
    plan.mask = item
    plan.arrays.append(item)
    plan.axes.append(kept)
    return item.ndim


def _resolve_mask(plan: Plan) -> None:
    """Replaces the mask by the places where it holds."""
    position = next(i for i, a in enumerate(plan.arrays) if a is plan.mask)
    first = plan.axes[position]
    places = mask_places(plan.mask)
    plan.arrays[position : position + 1] = places
    plan.axes[position : position + 1] = range(first, first + len(places))
    plan.mask = None


def mask_places(mask: Any) -> list[Any]:
    """One integer array per axis of a mask: where it holds. Needs the mask's values."""
    if isinstance(mask, Tensor):
        mask = concrete(mask, "indexing with a boolean mask")
    held = np.asarray(mask)
    if not held.ndim:
        return []
    return list(np.nonzero(held))


def _array_call(plan: Plan, extra: tuple[Any, ...] = ()) -> tuple[tuple[Any, ...], Any]:
    """Operands and layout of an op on the arrays of a plan."""
    arrays = [a if isinstance(a, Tensor) else new_tensor(a) for a in plan.arrays]
    return tuple(arrays), (*[True] * (1 + len(extra)), len(arrays))


def getitem(self: Tensor, index: Any) -> Tensor:
    """Takes a part of a tensor: `x[index]`.

    Args:
        index: integers, slices with any step, `None`, `...`, booleans, boolean masks, integer
            tensors, arrays and lists, or a tuple of these.

    Returns:
        A view of the tensor for integers, slices, `None` and `...`; a new tensor otherwise.

    Raises:
        OutOfRangeError: an index outside its axis, or too many indices.
        InvalidTypeError: an item that is no index.
    """
    places = _plain_places(self._data.shape, index)
    if places is None:
        return _part(self, index, make_view)
    operand = new_tensor(np.array(places, np.int64))
    key = ((True, True), ((("at",),) * len(places),))
    return make_view(basic_index.op, (self, operand), key)


def _plain_places(shape: Sequence[Any], index: Any) -> list[int] | None:
    """What `parse` finds for one integer or several, in a fifth of its time; else `None`."""
    items = index if index.__class__ is tuple else (index,)
    if len(items) > len(shape) or context.recorder is not None:
        return None
    places = []
    for item, extent in zip(items, shape, strict=False):
        if item.__class__ is not int or extent.__class__ is not int:
            return None
        if not -extent <= item < extent:
            return None
        places.append(item + extent if item < 0 else item)
    return places or None


def copied_part(x: Tensor, index: Any) -> Tensor:
    """`x[index]` that never shares values with `x`."""
    return _part(x, index, dispatch)


def _part(x: Tensor, index: Any, call: Callable[..., Any]) -> Tensor:
    plan = parse(x._data.shape, index)
    if plan.mask is not None:
        _resolve_mask(plan)
    if not plan.arrays:
        operands, key = plan.basic_operands()
        return call(basic_index.op, (x, *operands), key)
    part = x
    if not plan.is_trivial:
        operands, key = plan.basic_operands()
        part = dispatch(basic_index.op, (x, *operands), key)
    arrays, layout = _array_call(plan)
    return dispatch(take_arrays.op, (part, *arrays), (layout, (tuple(plan.axes),)))


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """Overwrites a part of a tensor: `x[index] = value`.

    Args:
        index: see `Tensor.__getitem__`.
        value: a number, or anything that broadcasts to the part; cast to the tensor's dtype.

    Raises:
        OutOfRangeError: an index outside its axis, or too many indices.
        InvalidArgumentError: the value does not broadcast to the part.
        PreconditionError: the tensor is a leaf whose gradient is wanted.
    """
    write_inplace(self, assigned(self, index, value))


def assigned(x: Tensor, index: Any, value: Any, accumulate: bool = False) -> Tensor:
    """Returns `x` with a part replaced, or increased at index arrays."""
    plan = parse(x._data.shape, index)
    if not isinstance(value, Tensor | bool | int | float | complex):
        value = Tensor(value)
    if not plan.arrays:
        operands, (layout, attributes) = plan.basic_operands()
        return dispatch(basic_assign.op, (x, value, *operands), ((True, *layout), attributes))
    part = x
    operands, key = plan.basic_operands()
    if not plan.is_trivial:
        part = dispatch(basic_index.op, (x, *operands), key)
    part = _with_arrays(part, plan, value, accumulate)
    if plan.is_trivial:
        return part
    return dispatch(basic_assign.op, (x, part, *operands), ((True, *key[0]), key[1]))


def _with_arrays(part: Tensor, plan: Plan, value: Any, accumulate: bool) -> Tensor:
    if plan.mask is not None:
        ndim = value.ndim if isinstance(value, Tensor) else 0
        if not accumulate and ndim <= part.ndim - plan.mask.ndim:
            mask = plan.mask if isinstance(plan.mask, Tensor) else new_tensor(plan.mask)
            return dispatch(put_where.op, (part, value, mask), (None, ()))
        _resolve_mask(plan)
    arrays, layout = _array_call(plan, (value,))
    key = (layout, (tuple(plan.axes), accumulate))
    return dispatch(put_arrays.op, (part, value, *arrays), key)


def iterate(self: Tensor) -> Iterator[Tensor]:
    """Iterates over the first axis; each element is a view."""
    for i in range(len(self)):
        yield getitem(self, i)


@composite
def unbind(input: Tensor, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """Takes a tensor apart along an axis; the axis goes.

    Args:
        input: the tensor.
        axis: the axis to take apart.

    Returns:
        A list of views of `input`.

    Examples:
        >>> import proa
        >>> [row.tolist() for row in proa.unbind(proa.to_tensor([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """
    place = normal_axis(axis, input.ndim)
    parts = unstack(input, place)
    before = (_FULL,) * place
    for i, part in enumerate(parts):
        operands, key = parse(input._data.shape, (*before, i)).basic_operands()
        tie_view(input, part, basic_index.op, operands, key)
    return parts


attach_method("unbind", unbind)
attach_method("__getitem__", getitem)
attach_method("__setitem__", setitem)
attach_method("__iter__", iterate)
