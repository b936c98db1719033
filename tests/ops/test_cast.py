from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same

# Finite differences do not work through a rounding to float32.
LOSSY = {"grad": False, "low": ()}

CASES = [
    Case(proa.cast, (randn(4), "complex64"), ref=lambda x, _: x + 0j, dtype="complex64", **LOSSY),
    Case(proa.cast, (randn(4) * 9, "int32"), ref=lambda x, _: x.astype("int32")),
    Case(proa.cast, (ints(-9, 9, 4), "float64"), ref=lambda x, _: x * 1.0, dtype="float64"),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_cast(case):
    check_case(case)


VALUES = [
    ([1.7, -1.7, 300.0], "int8", [1, -1, 44]),
    ([1.7, -1.7], "int64", [1, -1]),
    ([1.5, 0.0, float("nan")], "bool", [True, False, True]),
    ([-1.0, 3.7], "uint8", [255, 3]),
    ([0, 2, -3], "bool", [False, True, True]),
    ([True, False], "float32", [1.0, 0.0]),
    ([1 + 2j, 0.5j], "float32", [1.0, 0.0]),
    ([1j, 0j], "bool", [True, False]),
    ([1.5], "complex64", [1.5 + 0j]),
]


@pytest.mark.parametrize(("given", "dtype", "want"), VALUES)
def test_values(given, dtype, want):
    same(proa.cast(proa.to_tensor(given), dtype), want, dtype)


def test_gradient_comes_back_in_the_dtype_of_the_input():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    (x.astype("float16") * 2).sum().backward()
    same(x.grad, [2.0, 2.0], "float32")


SHORTCUTS = {
    "bool": "bool",
    "byte": "uint8",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "uint8": "uint8",
    "int8": "int8",
    "float64": "float64",
}


@pytest.mark.parametrize(("name", "dtype"), SHORTCUTS.items())
def test_shortcuts(name, dtype):
    assert getattr(proa.ones([2], "int64"), name)().dtype == dtype


def test_every_name_of_a_dtype_is_understood():
    x = proa.ones([1])
    for dtype in ("int32", proa.int32, np.int32, np.dtype("int32"), "paddle.int32"):
        assert x.astype(dtype).dtype == "int32"
    assert x.astype(int).dtype == "int64"
    assert x.type_as(proa.to_tensor([1])).dtype == "int64"


def test_cast_in_place_changes_the_tensor_itself():
    x = proa.to_tensor([1.7])
    assert x.cast_("int64") is x
    same(x, [1], "int64")


def test_unknown_dtype():
    with pytest.raises(TypeError, match="'float99' is not a dtype"):
        proa.cast(proa.ones([1]), "float99")
