"""Python's operators on Tensors.

As in Paddle there are no in-place operators: `x += 1` binds the name to a new tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from proa.core import Tensor, attach_method

from ._arithmetic import (
    floor_divide,
    multiply,
    plain_add,
    plain_divide,
    plain_subtract,
    power,
    remainder,
)
from ._compare import equal, greater_equal, greater_than, less_equal, less_than, not_equal
from ._elementwise import abs as absolute
from ._elementwise import neg
from ._linalg import matmul
from ._logic import (
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
)

_OPERANDS = (Tensor, bool, int, float, complex, np.generic, np.ndarray, list, tuple)


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    def reflected(self: Tensor, other: Any) -> Any:
        return function(other, self)

    return reflected


def _tolerant(function: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison that leaves foreign types to Python: `x == None` is false."""

    def compare(self: Tensor, other: Any) -> Any:
        return function(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    return compare


_BINARY = {
    "add": plain_add,
    "sub": plain_subtract,
    "mul": multiply,
    "matmul": matmul,
    "truediv": plain_divide,
    "floordiv": floor_divide,
    "mod": remainder,
    "pow": power,
    "and": bitwise_and,
    "or": bitwise_or,
    "xor": bitwise_xor,
    "lshift": bitwise_left_shift,
    "rshift": bitwise_right_shift,
}

for _name, _function in _BINARY.items():
    attach_method(f"__{_name}__", _function)
    attach_method(f"__r{_name}__", _reflected(_function))

attach_method("__lt__", less_than)
attach_method("__le__", less_equal)
attach_method("__gt__", greater_than)
attach_method("__ge__", greater_equal)
attach_method("__eq__", _tolerant(equal))
attach_method("__ne__", _tolerant(not_equal))
attach_method("__neg__", neg)
attach_method("__abs__", absolute)
attach_method("__invert__", bitwise_not)
attach_method("__pos__", lambda self: self)


def _contains(self: Tensor, value: Any) -> bool:
    return bool(equal(self, value).any())


attach_method("__contains__", _contains)
