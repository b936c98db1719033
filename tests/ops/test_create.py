from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import compiled, same

FILLED = [
    (lambda: proa.zeros([2, 2]), [[0.0, 0.0], [0.0, 0.0]], "float32"),
    (lambda: proa.ones([2], "int8"), [1, 1], "int8"),
    (lambda: proa.ones(2, "bool"), [True, True], "bool"),
    (lambda: proa.empty([1]), [0.0], "float32"),
    (lambda: proa.full([2], 3), [3.0, 3.0], "float32"),
    (lambda: proa.full([2], True), [True, True], "bool"),
    (lambda: proa.full([1], 1j), [1j], "complex128"),
    (lambda: proa.full([2], proa.to_tensor(3)), [3.0, 3.0], "float32"),
    (lambda: proa.full([2], 7, "int64"), [7, 7], "int64"),
    (lambda: proa.full([1], 0.5, "bfloat16"), [0.5], "bfloat16"),
    (lambda: proa.full(proa.to_tensor([2, 1]), 3), [[3.0], [3.0]], "float32"),
    (lambda: proa.full([proa.to_tensor(2), 1], 3), [[3.0], [3.0]], "float32"),
    (lambda: proa.full(np.array([2]), 3), [3.0, 3.0], "float32"),
    (lambda: proa.zeros([]), 0.0, "float32"),
    (lambda: proa.zeros(1, 2), [[0.0, 0.0]], "float32"),
    (lambda: proa.ones(1, 2, dtype="int64"), [[1, 1]], "int64"),
    (lambda: proa.empty(1, 1), [[0.0]], "float32"),
    (lambda: proa.full_like(proa.to_tensor([1, 2]), 2.5), [2, 2], "int64"),
    (lambda: proa.full_like(proa.to_tensor([1, 2]), 2.5, "float32"), [2.5, 2.5], "float32"),
    (lambda: proa.zeros_like(proa.to_tensor([1.5])), [0.0], "float32"),
    (lambda: proa.ones_like(proa.to_tensor([1.5]), "int32"), [1], "int32"),
    (lambda: proa.empty_like(proa.to_tensor([1])), [0], "int64"),
    (lambda: proa.eye(2, 3), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "float32"),
    (lambda: proa.eye(2, dtype="int64"), [[1, 0], [0, 1]], "int64"),
    (lambda: proa.to_tensor([1]).new_zeros([2]), [0, 0], "int64"),
    (lambda: proa.to_tensor([1]).new_ones(1, dtype="float32"), [1.0], "float32"),
    (lambda: proa.to_tensor([1]).new_full([1], 5), [5], "int64"),
    (lambda: proa.to_tensor([1.0]).new_empty([1]), [0.0], "float32"),
]


@pytest.mark.parametrize(("call", "want", "dtype"), FILLED)
def test_filled(call, want, dtype):
    same(call(), want, dtype)


SEQUENCES = [
    (lambda: proa.arange(3), [0, 1, 2], "int64"),
    (lambda: proa.arange(3.0), [0.0, 1.0, 2.0], "float32"),
    (lambda: proa.arange(5, 0, -2), [5, 3, 1], "int64"),
    (lambda: proa.arange(0, 3, 1.0), [0.0, 1.0, 2.0], "float32"),
    (lambda: proa.arange(2, dtype="int32"), [0, 1], "int32"),
    (lambda: proa.arange(3, 1), [], "int64"),
    (lambda: proa.arange(proa.to_tensor(3)), [0, 1, 2], "int64"),
    (lambda: proa.arange(proa.to_tensor(2.0)), [0.0, 1.0], "float32"),
    (lambda: proa.arange(2**40, 2**40 + 2), [2**40, 2**40 + 1], "int64"),
    (lambda: proa.range(0, 3), [0.0, 1.0, 2.0, 3.0], "float32"),
    (lambda: proa.range(0.0, 1.0, 0.4, "float64"), [0.0, 0.4, 0.8], "float64"),
    (lambda: proa.range(2, 0, -1, "int64"), [2, 1, 0], "int64"),
    (lambda: proa.range(2), [0.0, 1.0, 2.0], "float32"),
    (lambda: proa.linspace(0, 10, 5), [0.0, 2.5, 5.0, 7.5, 10.0], "float32"),
    (lambda: proa.linspace(0, 10, 5, "int32"), [0, 2, 5, 7, 10], "int32"),
    (lambda: proa.linspace(4, 1, 1), [4.0], "float32"),
    (
        lambda: proa.linspace(proa.to_tensor(0.0), 1.0, proa.to_tensor(3)),
        [0.0, 0.5, 1.0],
        "float32",
    ),
    (lambda: proa.logspace(0, 2, 3), [1.0, 10.0, 100.0], "float32"),
    (lambda: proa.logspace(0, 3, 4, 2, "float64"), [1.0, 2.0, 4.0, 8.0], "float64"),
    (lambda: proa.tril_indices(3, 3, 0), np.tril_indices(3), "int64"),
    (lambda: proa.triu_indices(3, 4, 1, "int32"), np.triu_indices(3, 1, 4), "int32"),
]


@pytest.mark.parametrize(("call", "want", "dtype"), SEQUENCES)
def test_sequences(call, want, dtype):
    same(call(), want, dtype)


def test_the_default_dtype_counts():
    proa.set_default_dtype("float64")
    try:
        assert proa.zeros([1]).dtype == "float64"
        assert proa.arange(2.0).dtype == "float64"
        assert proa.full([1], 1j).dtype == "complex128"
    finally:
        proa.set_default_dtype("float32")


def test_eager_creation_compiles_nothing():
    before = len(proa.ops._create._full.op.kernels)
    for extent in (3, 4, 5):
        proa.zeros([extent])
        proa.ones_like(proa.zeros([extent]))
    assert len(proa.ops._create._full.op.kernels) == before


def test_shared_keyword_arguments():
    out = proa.ones([2])
    assert proa.zeros([2], out=out) is out
    same(out, [0.0, 0.0])
    assert not proa.ones([1], requires_grad=True).stop_gradient
    assert proa.ones([1], device="cpu").place == proa.CPUPlace()


def test_recorded_functions_create_the_same():
    def make(x):
        return [
            proa.zeros([2]) + x,
            proa.full([2], 3, "int64") + 0,
            proa.eye(2) * x,
            proa.arange(2) * x,
            proa.linspace(0, 1, 2) + x,
            proa.logspace(0, 1, 2) + x,
            proa.full_like(x, 2) + x,
        ]

    static = compiled(make)
    x = proa.to_tensor([1.0, 2.0])
    for got, want in zip(static(x), make(x), strict=True):
        same(got, want.numpy(), want.dtype.name)


ERRORS = [
    (lambda: proa.zeros([-1]), ValueError, r"`shape` of `zeros` is \[-1\]"),
    (lambda: proa.ones([1.5]), TypeError, r"`shape` of `ones` is \[1.5\]"),
    (lambda: proa.full([1], "x"), TypeError, "`fill_value` of `full` is 'x'"),
    (lambda: proa.full([1], [1, 2]), TypeError, "`fill_value` of `full`"),
    (lambda: proa.eye(-1), ValueError, "`shape` of `eye`"),
    (lambda: proa.arange(0, 1, 0), ValueError, "a step of 0"),
    (lambda: proa.range(0, 1, 0), ValueError, "a step of 0"),
    (lambda: proa.arange("3"), TypeError, "an argument of `arange` is '3'"),
    (lambda: proa.linspace(0, 1, 0), ValueError, "`num` of `linspace` is 0"),
    (lambda: proa.logspace(0, 1, 0), ValueError, "`num` of `logspace` is 0"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
