from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from proa.formats.paddle._schema import (
    Attribute,
    AttributeType,
    BlockDesc,
    Complex,
    OpDesc,
    OpSlot,
    ProgramDesc,
    Scalar,
    Version,
    dtype_of,
    number_of,
)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (AttributeType.INT, -3),
        (AttributeType.FLOAT, 0.5),
        (AttributeType.STRING, "NCHW"),
        (AttributeType.INTS, [1, -1]),
        (AttributeType.FLOATS, [0.5, -2.0]),
        (AttributeType.STRINGS, ["a", "b"]),
        (AttributeType.BOOLEAN, True),
        (AttributeType.BOOLEANS, [True, False]),
        (AttributeType.BLOCK, 1),
        (AttributeType.LONG, -(2**40)),
        (AttributeType.LONGS, [2**40, 0]),
        (AttributeType.FLOAT64, 0.1),
        (AttributeType.FLOAT64S, [0.1]),
        (AttributeType.VARS, ["x"]),
        (AttributeType.INTS, []),
    ],
)
def test_an_attribute_holds_a_value_of_each_type(kind, value):
    made = Attribute.make("a", kind, value)
    assert Attribute.parse(made.serialise()).value() == value


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (Scalar(type=1, b=True), True),
        (Scalar(type=2, i=-7), -7),
        (Scalar(type=3, r=0.25), 0.25),
        (Scalar(type=4, c=Complex(1.0, -2.0)), 1 - 2j),
        (Scalar(type=2), 0),
    ],
)
def test_scalars(scalar, value):
    many = Attribute.make("values", AttributeType.SCALARS, [scalar, scalar])
    assert Attribute.parse(many.serialise()).value() == [value, value]
    single = Attribute.make("value", AttributeType.SCALAR, scalar)
    assert Attribute.parse(single.serialise()).value() == value


def test_an_attribute_of_another_type_is_refused():
    with pytest.raises(ValueError, match="attribute 'a' of type 99"):
        Attribute("a", 99).value()


def test_a_program_survives_a_round_trip():
    op = OpDesc([OpSlot("X", ["x", "y"])], [OpSlot("Out", ["z"])], "sum")
    made = ProgramDesc([BlockDesc(0, -1, [], [op])], Version(3_003_001))
    assert ProgramDesc.parse(made.serialise()) == made


def test_dtypes():
    assert dtype_of(5) == np.float32
    assert number_of(ml_dtypes.bfloat16) == 22
    assert all(number_of(dtype_of(n)) == n for n in (0, 1, 2, 3, 4, 6, 20, 21, 23, 24, 37))
    with pytest.raises(ValueError, match="dtype number 7"):
        dtype_of(7)
