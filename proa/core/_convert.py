"""Conversion of what users pass where a tensor is expected."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ._context import context
from ._dtype import DType, as_dtype, default_dtype
from ._errors import InvalidTypeError, where_to_read
from ._tensor import (
    Tensor,
    fit_dtype,
    host_array,
    is_dimension,
    new_tensor,
    sizes_of_recording,
    to_tensor,
)

_INT64 = as_dtype("int64")
_KINDS = {bool: "b", int: "i", float: "f", complex: "c"}
_known: dict[Any, Any] = {}
_MAX_KNOWN = 4096


def scalar_dtype(value: Any, like: DType | None) -> DType:
    """Dtype that a Python or NumPy scalar takes beside a tensor of dtype `like`.

    A scalar never widens the tensor, except from integer to the default float and from
    boolean to int64, as in Paddle.
    """
    kind = _KINDS.get(value.__class__) or np.asarray(value).dtype.kind
    if like is None:
        natural = {"b": as_dtype("bool"), "i": as_dtype("int64"), "u": as_dtype("int64")}
        complex_ = as_dtype("complex128" if default_dtype().name == "float64" else "complex64")
        return natural.get(kind, complex_ if kind == "c" else default_dtype())
    if kind == "c" and not like.is_complex:
        return as_dtype("complex128" if like.name == "float64" else "complex64")
    if kind in "fV" and not like.is_inexact:
        return default_dtype()
    if kind in "iu" and like.name == "bool":
        return as_dtype("int64")
    return like


def _scalar(value: Any, wanted: DType) -> Any:
    """A 0-d array of a number: on the device, and known from then on, where ops run at once.

    While recording it stays on the host, which makes it a constant of the Program.
    """
    if context.recorder is not None or value.__class__ not in _KINDS or value != value:
        return _host_scalar(value, wanted)
    # 0.0 and -0.0 are equal, and so are 1 and True.
    key = (value.__class__, value or str(value), wanted)
    found = _known.get(key)
    if found is None:
        found = jax.device_put(_host_scalar(value, wanted))
        if isinstance(found, Tracer):
            return found
        if len(_known) >= _MAX_KNOWN:
            _known.pop(next(iter(_known)), None)
        _known[key] = found
    return found


def _host_scalar(value: Any, wanted: DType) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind in "iu":
        array = fit_dtype(array, wanted)
    return array.astype(wanted.numpy)


def convert_inputs(op: Any, values: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Makes every flat input of an op a Tensor.

    Raises:
        InvalidTypeError: an input is `None`, a string, or anything else that is no tensor.
    """
    # The key of a random op, always first, says nothing about numbers beside it.
    like = _reference_dtype(values[1:] if getattr(op, "is_random", False) else values)
    converted = []
    for position, value in enumerate(values):
        if isinstance(value, Tensor):
            converted.append(value)
        elif isinstance(value, bool | int | float | complex | np.generic) or (
            isinstance(value, np.ndarray) and value.ndim == 0
        ):
            wanted = scalar_dtype(value, like)
            if _is_index(op, position) and np.asarray(value).dtype.kind in "biu":
                wanted = _INT64
            converted.append(new_tensor(_scalar(value, wanted)))
        elif is_dimension(value):
            wanted = _INT64 if _is_index(op, position) else scalar_dtype(1, like)
            size: Any = sizes_of_recording(value)
            converted.append(size if wanted is _INT64 else size.astype(wanted))
        elif isinstance(value, list | tuple | np.ndarray) or hasattr(value, "__array__"):
            array = host_array(value)
            # An empty list has a floating dtype, which says nothing.
            if not array.size and array.dtype.kind == "f" and _is_index(op, position):
                array = array.astype(np.int64)
            converted.append(to_tensor(array))
        else:
            raise InvalidTypeError(
                f"`{op.describe(position)}` of op `{op.name}` is {value!r}"[:200],
                expected="a Tensor, a number, a list or a NumPy array",
                fix=f"pass a tensor: proa.to_tensor(...); see {where_to_read(op.name)}",
            )
    return tuple(converted)


def _is_index(op: Any, position: int) -> bool:
    arrays = getattr(op, "arrays", ())
    return position < len(arrays) and arrays[position].annotation.startswith("Index")


def _reference_dtype(values: tuple[Any, ...]) -> DType | None:
    found = [v.dtype for v in values if isinstance(v, Tensor)]
    strong = [d for d in found if d.is_inexact] or [d for d in found if d.is_integer] or found
    return strong[0] if strong else None
