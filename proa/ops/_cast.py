"""Conversion between dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proa.core import Tensor, as_dtype, attach_method, composite, op, replace_data, tensor_method

from ._promote import converted

if TYPE_CHECKING:
    from proa.core._types import Array, DType


@op
def cast(x: Array, dtype: DType):
    """Converts to another dtype.

    Floats become integers by cutting off the fraction; complex numbers lose their imaginary
    part when the target is real; everything but 0 is `True`.

    Args:
        x: tensor.
        dtype: the target: a name, a Python type or a dtype.

    Returns:
        A tensor of that dtype; gradients pass between floating dtypes.

    Raises:
        InvalidTypeError: `dtype` names no dtype.

    Examples:
        >>> import proa
        >>> proa.cast(proa.to_tensor([1.7, -1.7]), "int64").tolist()
        [1, -1]
    """
    return converted(x, dtype)


@composite
def cast_(x: Tensor, dtype: Any) -> Tensor:
    """In-place form of `cast`: the tensor itself takes the new dtype."""
    replace_data(x, cast(x, dtype)._data)
    return x


@tensor_method
def astype(self: Tensor, dtype: Any) -> Tensor:
    """Converts to another dtype; see `cast`.

    Args:
        dtype: the target: a name, a Python type or a dtype.
    """
    return cast(self, dtype)


@tensor_method
@composite
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Converts to the dtype of `other`."""
    return cast(self, other.dtype)


def _shortcut(name: str, target: str) -> None:
    dtype = as_dtype(target)

    def convert(self: Tensor) -> Tensor:
        return cast(self, dtype)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"Converts to {target}."
    attach_method(name, convert)


for _name, _target in {
    "bool": "bool",
    "byte": "uint8",
    "uint8": "uint8",
    "char": "int8",
    "int8": "int8",
    "short": "int16",
    "int16": "int16",
    "int": "int32",
    "int32": "int32",
    "long": "int64",
    "int64": "int64",
    "bfloat16": "bfloat16",
    "half": "float16",
    "float16": "float16",
    "float": "float32",
    "float32": "float32",
    "double": "float64",
    "float64": "float64",
    "cfloat": "complex64",
    "complex64": "complex64",
    "cdouble": "complex128",
    "complex128": "complex128",
}.items():
    _shortcut(_name, _target)

attach_method("cast_", cast_)
