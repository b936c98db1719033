from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.formats.onnx.rows import Row, check, floats

x23, y23 = floats(2, 3), floats(2, 3)
positive = np.abs(floats(2, 3)) + 0.1
odd = np.array([0.5, -1.5, 2.5, np.nan, np.inf, -np.inf, 0.0, 30.0], np.float32)
whole = np.array([[7, -7, 3], [-3, 8, 5]], np.int64)
divisors = np.array([[2, 2, -2], [-2, 3, 5]], np.int64)

_BINARY = {
    "add": (x23, y23),
    "add, mixed dtypes": (whole, x23),
    "subtract": (x23, y23[:1]),
    "multiply": (x23, y23),
    "divide": (whole, divisors),
    "floor_divide": (whole, divisors),
    "remainder": (whole, divisors),
    "remainder, floats": (x23, y23),
    "floor_divide, floats": (x23, y23),
    "maximum": (x23, y23),
    "minimum": (whole, divisors),
    "pow": (positive, y23),
    "equal": (whole, divisors),
    "not_equal": (whole, whole),
    "less_than": (x23, y23),
    "less_equal": (whole, x23),
    "greater_than": (x23, y23),
    "greater_equal": (x23 > 0, y23 > 0),
    "logical_and": (x23 > 0, y23 > 0),
    "logical_or": (x23 > 0, y23 > 0),
    "logical_xor": (x23 > 0, y23 > 0),
    "bitwise_and": (whole, divisors),
    "bitwise_or": (x23 > 0, y23 > 0),
    "fmax": (odd, odd[::-1].copy()),
    "isclose": (odd, odd + np.float32(1e-9)),
    "equal_all": (whole, whole),
    "allclose": (x23, x23),
    "heaviside": (odd, np.float32(0.25) * np.ones(8, np.float32)),
    "outer": (x23[0], y23[1]),
    "dot": (x23, y23),
    "inner": (x23, y23),
}

_UNARY = {
    "exp log1p sqrt rsqrt log log2 log10 reciprocal": positive,
    "sin cos tan tanh sinh cosh atan asinh erf sigmoid expm1 abs neg square sign": x23,
    "asin acos atanh": x23 / 5,
    "acosh": positive + 1,
    "floor ceil trunc frac round isnan isinf isfinite isposinf nan_to_num": odd,
    "logical_not numel rank": x23,
    "isfinite": whole,
    "all any": x23 > 0,
}


def _each(names: str) -> Any:
    functions = [getattr(proa, name, None) or getattr(F, name) for name in names.split()]
    return lambda x: [function(x) for function in functions]


_ROWS = [
    *[Row(label, getattr(proa, label.split(",")[0]), given) for label, given in _BINARY.items()],
    # One model for all of a line: fewer sessions.
    *[Row(names, _each(names), (x,)) for names, x in _UNARY.items()],
    Row(
        "expm1 and log1p near 0",
        lambda x: (proa.expm1(x), proa.log1p(x)),
        (np.array([1e-7, -1e-6, 3.0], np.float32),),
    ),
    Row("clip", lambda x: (proa.clip(x, -0.5, 0.5), proa.clip(x, min=0.1)), (x23,)),
    Row("scale", lambda x: (proa.scale(x, 2.0, 1.0), proa.scale(x, 2.0, 1.0, False)), (x23,)),
    Row("pow by a number", lambda x: (x**2, x**3, x**0.5, x**-1), (positive,)),
    Row("where", lambda c, x, y: proa.where(c, x, y), (x23 > 0, x23, y23)),
    Row("masked_fill", lambda x, m: proa.masked_fill(x, m, 7.0), (x23, y23 > 0)),
    Row("lerp", lambda x, y: proa.lerp(x, y, 0.3), (x23, y23)),
    Row("add_n", lambda x, y: proa.add_n([x, y, x]), (x23, y23)),
    Row(
        "cast",
        lambda x: [x.astype(t) for t in ("int32", "bool", "float64", "uint8", "int8")],
        (np.array([0.0, 1.7, 3.2], np.float32),),
    ),
]


@pytest.mark.parametrize("row", _ROWS, ids=[row.name for row in _ROWS])
def test_a_model_in_onnx_gives_what_the_ops_give(row: Row) -> None:
    check(row)
