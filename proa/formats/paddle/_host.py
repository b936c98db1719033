"""Ops on sizes, computed while a Program is made: `shape`, then slices, sums and joins of it.

A model computes the target of a reshape from the shape of a tensor. A Program of Proa has sizes
in attributes, unknown ones as symbolic dimensions; so such calls are not recorded but
computed at once, on arrays of integers and symbolic dimensions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from jax.errors import InconclusiveDimensionOperation

from proa.core import Tensor, as_dtype

from ._rules import Unfit, host, ints, number, whole

#: Computed on the host up to this many elements; longer arrays are data.
MAX_ELEMENTS = 4096

HOST: dict[str, Callable[..., Any]] = {}


def _on_host(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        HOST.update(dict.fromkeys(names, function))
        return function

    return register


def run_on_host(name: str, arguments: dict[str, Any], inputs: tuple[str, ...]) -> Any | None:
    """Computes a call of op `name` if all its inputs are known; else returns `None`."""
    function = HOST.get(name)
    if function is None:
        return None
    known = dict(arguments)
    for parameter in inputs:
        if known.get(parameter) is None:
            continue
        value = known[parameter]
        if any(map(_is_data, value if isinstance(value, list) else [value])):
            return None
        found = [host(v) for v in value] if isinstance(value, list) else host(value)
        parts = found if isinstance(found, list) else [found]
        if any(part is None or part.size > MAX_ELEMENTS for part in parts):
            return None
        known[parameter] = found
    try:
        return function(**known)
    except (
        Unfit,
        TypeError,
        ValueError,
        ArithmeticError,
        IndexError,
        InconclusiveDimensionOperation,
    ):
        # The recorded op says what is wrong with it, or can do it.
        return None


def _is_data(value: Any) -> bool:
    """Whether a tensor is what a Program computes with: weights are, integers may be sizes."""
    return isinstance(value, Tensor) and (value.ndim > 1 or not value.dtype.is_integer)


def _typed(values: Any, dtype: Any) -> np.ndarray:
    """An array of a dtype; unknown sizes stay what they are."""
    array = whole(values)
    if array.dtype != object:
        return array.astype(as_dtype(dtype).numpy)
    if not as_dtype(dtype).is_integer:
        raise Unfit("an unknown size as a float")
    return array


@_on_host("full", "fill_constant")
def _full(shape: Any, value: Any, dtype: Any, **_: Any) -> Any:
    found = value if isinstance(value, np.ndarray) else whole(value)
    sizes = ints(shape)
    if any(not isinstance(e, int) for e in sizes) or np.prod(sizes, dtype=float) > MAX_ELEMENTS:
        raise Unfit("a large or unknown shape")
    return _typed(np.broadcast_to(found.reshape([1] * len(sizes)), sizes), dtype)


@_on_host("full_int_array")
def _full_int_array(value: Any, dtype: Any = "int64", **_: Any) -> Any:
    return _typed(list(value), dtype)


@_on_host("assign_value")
def _assign_value(shape: Any, dtype: Any, values: Any, **_: Any) -> Any:
    return _typed(values, dtype).reshape(shape)


@_on_host("assign", "share_data")
def _assign(x: Any) -> Any:
    return x


@_on_host("cast")
def _cast(x: Any, dtype: Any, **_: Any) -> Any:
    return _typed(x, dtype)


@_on_host("slice")
def _slice(input: Any, starts: Any, ends: Any, axes: Any, decrease_axis: Any = (), **_: Any) -> Any:
    index: list[Any] = [slice(None)] * input.ndim
    for axis, start, end in zip(axes, ints(starts), ints(ends), strict=True):
        index[axis] = slice(start, end)
    taken = input[tuple(index)]
    return np.squeeze(taken, tuple(decrease_axis)) if len(decrease_axis) else taken


@_on_host("strided_slice")
def _strided_slice(
    x: Any, starts: Any, ends: Any, strides: Any, axes: Any, decrease_axis: Any = (), **_: Any
) -> Any:
    index: list[Any] = [slice(None)] * x.ndim
    rows = zip(axes, ints(starts), ints(ends), ints(strides), strict=True)
    for axis, start, end, step in rows:
        index[axis] = slice(start, None if step < 0 and end < -x.shape[axis] else end, step)
    taken = x[tuple(index)]
    return np.squeeze(taken, tuple(decrease_axis)) if len(decrease_axis) else taken


def _joined(parts: Any) -> list[np.ndarray]:
    mixed = any(part.dtype == object for part in parts)
    return [part.astype(object) if mixed else part for part in parts]


@_on_host("concat")
def _concat(x: Any, axis: Any = 0, **_: Any) -> Any:
    return np.concatenate(_joined(x), number(axis))


@_on_host("stack")
def _stack(x: Any, axis: int = 0, **_: Any) -> Any:
    return np.stack(_joined(x), axis)


@_on_host("split", "split_with_num")
def _split(x: Any, axis: Any = 0, sections: Any = None, num: int = 0, **_: Any) -> Any:
    where = num or np.cumsum(ints(sections))[:-1]
    return list(np.split(x, where, number(axis)))


@_on_host("unbind", "unstack")
def _unbind(axis: int = 0, input: Any = None, x: Any = None, **_: Any) -> Any:
    array = x if input is None else input
    return list(np.moveaxis(array, axis, 0))


@_on_host("squeeze")
def _squeeze(x: Any, axis: Any = (), **_: Any) -> Any:
    axes = tuple([a for a in ints(axis) if x.shape[a] == 1])
    return np.squeeze(x, axes) if ints(axis) else np.squeeze(x)


@_on_host("unsqueeze")
def _unsqueeze(x: Any, axis: Any, **_: Any) -> Any:
    for each in ints(axis):
        x = np.expand_dims(x, each)
    return x


@_on_host("reshape")
def _reshape(x: Any, shape: Any, **_: Any) -> Any:
    sizes = [x.shape[i] if e == 0 else e for i, e in enumerate(ints(shape))]
    return x.reshape(sizes)


@_on_host("flatten")
def _flatten(x: Any, start_axis: int = 1, stop_axis: int = 1, **_: Any) -> Any:
    first, last = start_axis % x.ndim, stop_axis % x.ndim
    return x.reshape([*x.shape[:first], -1, *x.shape[last + 1 :]])


@_on_host("gather")
def _gather(x: Any, index: Any, axis: Any = 0, **_: Any) -> Any:
    return np.take(x, index.astype(np.int64), number(axis))


@_on_host("arange", "range")
def _arange(start: Any, end: Any, step: Any, dtype: Any = None, **_: Any) -> Any:
    bounds = [each.ravel()[0] for each in (start, end, step)]
    if any(whole(each).dtype == object for each in bounds):
        raise Unfit("an unknown length")
    made = np.arange(*bounds)
    return made if dtype is None else made.astype(as_dtype(dtype).numpy)


@_on_host("scale")
def _scale(
    x: Any, scale: Any = 1.0, bias: float = 0.0, bias_after_scale: bool = True, **_: Any
) -> Any:
    factor = scale.ravel()[0] if isinstance(scale, np.ndarray) else scale
    if x.dtype == object or x.dtype.kind in "iu":
        if factor != int(factor) or bias != int(bias):
            raise Unfit("a fraction of a size")
        factor, bias = int(factor), int(bias)
    made = x * factor + bias if bias_after_scale else (x + bias) * factor
    return made if made.dtype == object else made.astype(x.dtype)


@_on_host("prod", "reduce_prod")
def _prod(x: Any, axis: Any = (), keepdim: bool = False, reduce_all: bool = False, **_: Any) -> Any:
    axes = tuple(ints(axis))
    return whole(np.prod(x, axis=None if reduce_all or not axes else axes, keepdims=keepdim))


@_on_host("shape_numel", "numel")
def _numel(x: Any, **_: Any) -> Any:
    return np.asarray(x.size)


def _divided(x: Any, y: Any) -> Any:
    # Sizes and their divisors are positive, where all roundings agree only if nothing remains.
    if x.dtype.kind == "f" or y.dtype.kind == "f":
        return x / y
    raise Unfit("a true division of sizes")


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "divide": _divided,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_equal": operator.le,
    "greater_than": operator.gt,
    "greater_equal": operator.ge,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
}


def _pairwise(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def compute(x: Any, y: Any, **_: Any) -> Any:
        made = np.asarray(function(x, y))
        if made.dtype == object:
            return whole(made.tolist()) if made.ndim else whole(made.item())
        return made if made.dtype == bool else made.astype(np.result_type(x, y))

    return compute


HOST.update({name: _pairwise(function) for name, function in _BINARY.items()})
HOST["logical_not"] = lambda x, **_: np.logical_not(x)
