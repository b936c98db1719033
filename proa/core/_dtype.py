"""Dtypes under Paddle's names, over NumPy's and `ml_dtypes`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ._errors import InvalidArgumentError, InvalidTypeError


class DType:
    """A dtype: prints as `paddle.float32`, equals its name and its NumPy dtype."""

    __slots__ = ("is_complex", "is_floating", "is_inexact", "is_integer", "name", "numpy")

    def __init__(self, name: str, scalar: Any) -> None:
        self.name = name
        self.numpy = np.dtype(scalar)
        self.is_floating = name.startswith(("float", "bfloat"))
        self.is_complex = name.startswith("complex")
        self.is_inexact = self.is_floating or self.is_complex
        self.is_integer = name.startswith(("int", "uint"))

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self.numpy.itemsize

    @property
    def __name__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"paddle.{self.name}"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, DType):
            return self.name == other.name
        if other is None:
            return False
        found = _ALIASES.get(other) if isinstance(other, str | type) else None
        if found is not None:
            return found is self
        try:
            return self.numpy == np.dtype(other)  # type: ignore[call-overload]
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return (as_dtype, (self.name,))


_TABLE = {
    "bool": np.bool_,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
    "complex64": np.complex64,
    "complex128": np.complex128,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
_BY_NAME = {name: DType(name, scalar) for name, scalar in _TABLE.items()}
_BY_NUMPY = {dtype.numpy: dtype for dtype in _BY_NAME.values()}
_ALIASES: dict[Any, DType] = {
    **_BY_NAME,
    **{f"paddle.{name}": dtype for name, dtype in _BY_NAME.items()},
    "float": _BY_NAME["float32"],
    "double": _BY_NAME["float64"],
    "half": _BY_NAME["float16"],
    "int": _BY_NAME["int32"],
    "long": _BY_NAME["int64"],
    bool: _BY_NAME["bool"],
    int: _BY_NAME["int64"],
    float: _BY_NAME["float32"],
    complex: _BY_NAME["complex64"],
}

bool_ = _BY_NAME["bool"]
uint8 = _BY_NAME["uint8"]
uint16 = _BY_NAME["uint16"]
uint32 = _BY_NAME["uint32"]
uint64 = _BY_NAME["uint64"]
int8 = _BY_NAME["int8"]
int16 = _BY_NAME["int16"]
int32 = _BY_NAME["int32"]
int64 = _BY_NAME["int64"]
float16 = _BY_NAME["float16"]
bfloat16 = _BY_NAME["bfloat16"]
float32 = _BY_NAME["float32"]
float64 = _BY_NAME["float64"]
complex64 = _BY_NAME["complex64"]
complex128 = _BY_NAME["complex128"]
float8_e4m3fn = _BY_NAME["float8_e4m3fn"]
float8_e5m2 = _BY_NAME["float8_e5m2"]
#: Paddle's words for strings and for bytes of no dtype: no tensor has them.
pstring, raw = DType("pstring", np.object_), DType("raw", np.void)

_default = float32


def as_dtype(value: Any) -> DType:
    """Reads a dtype from a DType, a name, a Python type or a NumPy dtype.

    Raises:
        InvalidTypeError: the value names no dtype that Proa has.
    """
    if value.__class__ is DType:
        return value
    try:
        found = _BY_NUMPY.get(value) or _ALIASES.get(value)
        if found is None:
            found = _BY_NUMPY.get(np.dtype(value))
    except (TypeError, ValueError):
        found = None
    if found is None:
        raise InvalidTypeError(
            f"{value!r} is not a dtype"[:200],
            expected="one of " + ", ".join(_BY_NAME),
            fix="pass a name such as 'float32' or proa.float32",
        )
    return found


def set_default_dtype(d: Any) -> None:
    """Sets the dtype of new floating tensors (`float16`, `bfloat16`, `float32`, `float64`).

    Raises:
        InvalidArgumentError: `d` is not a floating dtype.
    """
    dtype = as_dtype(d)
    if not dtype.is_floating or dtype.name.startswith("float8"):
        raise InvalidArgumentError(
            f"`d` is {dtype.name}",
            expected="float16, bfloat16, float32 or float64",
            fix="choose a floating dtype as default",
        )
    global _default
    _default = dtype


def default_dtype() -> DType:
    """Returns the default floating dtype as a DType."""
    return _default


def get_default_dtype() -> str:
    """Returns the name of the default floating dtype."""
    return _default.name
