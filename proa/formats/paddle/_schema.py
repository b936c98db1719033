"""ProgramDesc, the form of a Paddle Program in `.pdmodel` and `__model__` files.

Field numbers and enumerations are those of the schema that Paddle 3.3.1 carries
(`framework.proto`); they are facts of the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from proa.core import as_dtype

from ._wire import Message, many, one


class AttributeType(IntEnum):
    """Which field of an attribute holds its value."""

    INT = 0
    FLOAT = 1
    STRING = 2
    INTS = 3
    FLOATS = 4
    STRINGS = 5
    BOOLEAN = 6
    BOOLEANS = 7
    BLOCK = 8
    LONG = 9
    BLOCKS = 10
    LONGS = 11
    FLOAT64S = 12
    VAR = 13
    VARS = 14
    FLOAT64 = 15
    SCALAR = 16
    SCALARS = 17


class VariableKind(IntEnum):
    """What a variable is; dtypes have numbers of the same enumeration (`DTYPES`)."""

    DENSE_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    DENSE_TENSOR_ARRAY = 13
    READER = 15
    RAW = 17


#: Names of dtypes by number.
DTYPES = {
    0: "bool",
    1: "int16",
    2: "int32",
    3: "int64",
    4: "float16",
    5: "float32",
    6: "float64",
    20: "uint8",
    21: "int8",
    22: "bfloat16",
    23: "complex64",
    24: "complex128",
    32: "float8_e4m3fn",
    33: "float8_e5m2",
    36: "uint16",
    37: "uint32",
    38: "uint64",
}
_DTYPE_NUMBERS = {name: number for number, name in DTYPES.items()}


def dtype_of(number: int) -> np.dtype[Any]:
    """Returns the NumPy dtype of a number of the file.

    Raises:
        ValueError: no dtype has this number.
    """
    name = DTYPES.get(number)
    if name is None:
        raise ValueError(f"dtype number {number}")
    return as_dtype(name).numpy


def number_of(dtype: Any) -> int:
    """Returns the number that a dtype has in the file."""
    return _DTYPE_NUMBERS[as_dtype(dtype).name]


@dataclass
class Version(Message):
    """Version of the Program's form: 1000000 * major + 1000 * minor + patch of its writer."""

    version: int = one(1, "int", 0)


@dataclass
class Complex(Message):
    """A complex number."""

    real: float = one(1, "double", 0.0)
    imaginary: float = one(2, "double", 0.0)


@dataclass
class Scalar(Message):
    """A number of any kind; `type` is 1 for `b`, 2 for `i`, 3 for `r`, 4 for `c`."""

    type: int = one(1, "int", 1)
    b: bool | None = one(2, "bool")
    i: int | None = one(3, "int")
    r: float | None = one(4, "double")
    c: Complex | None = one(5, Complex)

    def value(self) -> Any:
        """The number."""
        if self.type == 4 and self.c is not None:
            return complex(self.c.real, self.c.imaginary)
        return {1: self.b, 2: self.i, 3: self.r}.get(self.type) or 0


@dataclass
class TensorDesc(Message):
    """Dtype and sizes of a tensor; -1 is an unknown size."""

    data_type: int = one(1, "int", 0)
    dims: list[int] = many(2, "int")


@dataclass
class DenseTensorDesc(Message):
    """A tensor, or an array of tensors."""

    tensor: TensorDesc | None = one(1, TensorDesc)
    lod_level: int | None = one(2, "int")


@dataclass
class VariableType(Message):
    """Type of a variable: `VariableKind`, and sizes where it is a tensor."""

    type: int = one(1, "int", 0)
    selected_rows: TensorDesc | None = one(2, TensorDesc)
    dense_tensor: DenseTensorDesc | None = one(3, DenseTensorDesc)
    tensor_array: DenseTensorDesc | None = one(4, DenseTensorDesc)


@dataclass
class VariableDesc(Message):
    """A variable of a block."""

    name: str = one(1, "string", "")
    type: VariableType | None = one(2, VariableType)
    persistable: bool | None = one(3, "bool")
    need_check_feed: bool | None = one(4, "bool")
    is_parameter: bool | None = one(5, "bool")
    stop_gradient: bool | None = one(6, "bool")


@dataclass
class OpSlot(Message):
    """The variables of one input or output slot of an op."""

    parameter: str = one(1, "string", "")
    arguments: list[str] = many(2, "string")


@dataclass
class Attribute(Message):
    """An attribute of an op: `type` says which field holds it."""

    name: str = one(1, "string", "")
    type: int = one(2, "int", 0)
    i: int | None = one(3, "int")
    f: float | None = one(4, "float")
    s: str | None = one(5, "string")
    ints: list[int] = many(6, "int")
    floats: list[float] = many(7, "float")
    strings: list[str] = many(8, "string")
    b: bool | None = one(10, "bool")
    bools: list[bool] = many(11, "bool")
    block_idx: int | None = one(12, "int")
    l: int | None = one(13, "int")  # noqa: E741 - the name of the field in the schema
    blocks_idx: list[int] = many(14, "int")
    longs: list[int] = many(15, "int")
    float64s: list[float] = many(16, "double")
    var_name: str | None = one(17, "string")
    vars_name: list[str] = many(18, "string")
    float64: float | None = one(19, "double")
    scalar: Scalar | None = one(20, Scalar)
    scalars: list[Scalar] = many(21, Scalar)

    def value(self) -> Any:
        """The value: a number, a string, a list, or the index of a block.

        Raises:
            ValueError: an unknown type.
        """
        name = _ATTRIBUTE_FIELDS.get(self.type)
        if name is None:
            raise ValueError(f"attribute {self.name!r} of type {self.type}")
        held = getattr(self, name)
        if isinstance(held, list):
            return [item.value() for item in held] if name == "scalars" else held
        return held.value() if isinstance(held, Scalar) else held

    @classmethod
    def make(cls, name: str, kind: AttributeType, value: Any) -> Attribute:
        """Returns an attribute that holds a value."""
        made = cls(name=name, type=int(kind))
        setattr(made, _ATTRIBUTE_FIELDS[kind], value)
        return made


_ATTRIBUTE_FIELDS: dict[int, str] = {
    AttributeType.INT: "i",
    AttributeType.FLOAT: "f",
    AttributeType.STRING: "s",
    AttributeType.INTS: "ints",
    AttributeType.FLOATS: "floats",
    AttributeType.STRINGS: "strings",
    AttributeType.BOOLEAN: "b",
    AttributeType.BOOLEANS: "bools",
    AttributeType.BLOCK: "block_idx",
    AttributeType.LONG: "l",
    AttributeType.BLOCKS: "blocks_idx",
    AttributeType.LONGS: "longs",
    AttributeType.FLOAT64S: "float64s",
    AttributeType.VAR: "var_name",
    AttributeType.VARS: "vars_name",
    AttributeType.FLOAT64: "float64",
    AttributeType.SCALAR: "scalar",
    AttributeType.SCALARS: "scalars",
}


@dataclass
class OpDesc(Message):
    """A call of an op."""

    inputs: list[OpSlot] = many(1, OpSlot)
    outputs: list[OpSlot] = many(2, OpSlot)
    type: str = one(3, "string", "")
    attrs: list[Attribute] = many(4, Attribute)
    is_target: bool | None = one(5, "bool")


@dataclass
class BlockDesc(Message):
    """A block: its variables, and calls in order; branches and loops have blocks of their own."""

    idx: int = one(1, "int", 0)
    parent_idx: int = one(2, "int", 0)
    variables: list[VariableDesc] = many(3, VariableDesc)
    ops: list[OpDesc] = many(4, OpDesc)
    forward_block_idx: int | None = one(5, "int")


@dataclass
class OpVersion(Message):
    """Version of one op."""

    version: int = one(1, "int", 0)


@dataclass
class OpVersionPair(Message):
    """An op's name and its version."""

    op_name: str = one(1, "string", "")
    op_version: OpVersion | None = one(2, OpVersion)


@dataclass
class OpVersionMap(Message):
    """Versions of the ops of a Program."""

    pair: list[OpVersionPair] = many(1, OpVersionPair)


@dataclass
class ProgramDesc(Message):
    """A Program: block 0 is what runs."""

    blocks: list[BlockDesc] = many(1, BlockDesc)
    version: Version | None = one(4, Version)
    op_version_map: OpVersionMap | None = one(5, OpVersionMap)
