"""Conversion of what users pass where a tensor is expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._dtype import DType, as_dtype, default_dtype
from ._errors import InvalidTypeError
from ._tensor import Tensor, fit_dtype, host_array, new_tensor, to_tensor


def scalar_dtype(value: Any, like: DType | None) -> DType:
    """Dtype that a Python or NumPy scalar takes beside a tensor of dtype `like`.

    A scalar never widens the tensor, except from integer to the default float and from
    boolean to int64, as in Paddle.
    """
    kind = np.asarray(value).dtype.kind
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
            wanted = as_dtype("int64") if _is_index(op, position) else scalar_dtype(value, like)
            array = np.asarray(value)
            if array.dtype.kind in "iu":
                array = fit_dtype(array, wanted)
            converted.append(new_tensor(array.astype(wanted.numpy)))
        elif isinstance(value, list | tuple | np.ndarray) or hasattr(value, "__array__"):
            converted.append(to_tensor(host_array(value)))
        else:
            raise InvalidTypeError(
                f"`{op.describe(position)}` of op `{op.name}` is {value!r}"[:200],
                expected="a Tensor, a number, a list or a NumPy array",
                fix=f"pass a tensor: proa.to_tensor(...); see help(proa.{op.name})",
            )
    return tuple(converted)


def _is_index(op: Any, position: int) -> bool:
    arrays = getattr(op, "arrays", ())
    return position < len(arrays) and arrays[position].annotation.startswith("Index")


def _reference_dtype(values: tuple[Any, ...]) -> DType | None:
    found = [v.dtype for v in values if isinstance(v, Tensor)]
    strong = [d for d in found if d.is_inexact] or [d for d in found if d.is_integer] or found
    return strong[0] if strong else None
