from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, OutOfRangeError
from tests.ops.harness import same

NAN = float("nan")


def test_distinct_values_with_all_that_can_be_asked_for():
    x = proa.to_tensor([2, 3, 3, 1, 5, 3])
    found = proa.unique(x, return_index=True, return_inverse=True, return_counts=True)
    wanted = ([1, 2, 3, 5], [3, 0, 1, 4], [1, 2, 2, 0, 3, 2], [1, 1, 3, 1])
    for got, want in zip(found, wanted, strict=True):
        same(got, want, "int64")
    assert proa.unique(x, return_counts=True, dtype="int32")[1].dtype == "int32"


def test_distinct_slices():
    x = proa.to_tensor([[2, 1, 3], [3, 0, 1], [2, 1, 3]])
    values, inverse, counts = proa.unique(x, axis=0, return_inverse=True, return_counts=True)
    same(values, [[2, 1, 3], [3, 0, 1]], "int64")
    same(inverse, [0, 1, 0], "int64")
    same(counts, [2, 1], "int64")


EDGES = [
    (proa.to_tensor([NAN, 1.0, NAN]), [1.0, NAN, NAN]),
    (proa.to_tensor(2.0), [2.0]),
    (proa.zeros([0]), np.zeros(0)),
    (proa.to_tensor([[2.0, 1.0], [2.0, 3.0]]), [1.0, 2.0, 3.0]),
]


@pytest.mark.parametrize(("x", "want"), EDGES)
def test_edges_of_unique(x, want):
    same(proa.unique(x), want, "float32")


def test_runs():
    x = proa.to_tensor([1, 1, 2, 2, 3, 1, 1, 2])
    values, inverse, counts = proa.unique_consecutive(x, True, True)
    same(values, [1, 2, 3, 1, 2], "int64")
    same(inverse, [0, 0, 1, 1, 2, 3, 3, 4], "int64")
    same(counts, [2, 2, 1, 2, 1], "int64")
    rows = proa.to_tensor([[2, 1], [2, 1], [3, 0]])
    same(proa.unique_consecutive(rows, axis=0), [[2, 1], [3, 0]], "int64")
    same(proa.unique_consecutive(rows, axis=1), rows.numpy(), "int64")
    assert proa.unique_consecutive(proa.zeros([0])).shape == [0]


def test_counts_of_integers():
    same(proa.bincount(proa.to_tensor([1, 2, 1, 4])), [0, 2, 1, 0, 1], "int64")
    same(proa.bincount(proa.to_tensor([1], "int32"), minlength=3), [0, 1, 0], "int64")
    same(proa.bincount(proa.zeros([0], "int64"), minlength=2), [0, 0], "int64")
    weights = proa.to_tensor([0.5, 1.0, 0.25])
    same(proa.bincount(proa.to_tensor([1, 0, 1]), weights), [1.0, 0.75], "float32")
    assert proa.bincount(proa.to_tensor([1]), proa.to_tensor([2])).dtype == "float64"


HISTOGRAMS = [
    ([1, 2, 1], {"bins": 4, "min": 0, "max": 3}, [0, 2, 1, 0], "int64"),
    ([1.0, 2.0, 1.5, 5.0], {"bins": 3}, [3, 0, 1], "int64"),
    ([2.0, 2.0], {"bins": 2}, [0, 2], "int64"),
    ([-1.0, 0.0, 3.0, 9.0], {"bins": 3, "min": 0, "max": 3}, [1, 0, 1], "int64"),
    ([], {"bins": 2}, [0, 0], "int64"),
    ([1.0, 2.0, 1.0], {"bins": 4, "max": 3, "weight": [1.0, 2.0, 3.0]}, [0, 4, 2, 0], "float32"),
    ([1.0, 2.0, 1.0], {"bins": 4, "max": 3, "density": True}, [0, 8 / 9, 4 / 9, 0], "float32"),
]


@pytest.mark.parametrize(("values", "options", "want", "dtype"), HISTOGRAMS)
def test_histogram(values, options, want, dtype):
    if "weight" in options:
        options = {**options, "weight": proa.to_tensor(options["weight"])}
    same(proa.histogram(proa.to_tensor(values), **options), want, dtype)


def test_bounds_of_a_histogram():
    x = proa.to_tensor([1.0, 2.0, 1.0])
    same(proa.histogram_bin_edges(x, 4), [1.0, 1.25, 1.5, 1.75, 2.0], "float32")
    same(proa.histogram_bin_edges(x, 2, 0, 1), [0.0, 0.5, 1.0], "float32")


ERRORS = [
    (lambda x: proa.unique(x, dtype="float32"), InvalidArgumentError, "`dtype` is float32"),
    (lambda x: proa.unique(x, axis=1), OutOfRangeError, "`axis` is 1"),
    (lambda x: proa.bincount(x - 3), OutOfRangeError, "`bincount` holds -2"),
    (lambda x: proa.bincount(x * 0.5), InvalidArgumentError, "an integer vector"),
    (lambda x: proa.bincount(x, proa.ones([3])), InvalidArgumentError, "one weight per entry"),
    (lambda x: proa.histogram(x, min=3, max=1), InvalidArgumentError, "min <= max"),
    (lambda x: proa.histogram(x, bins=0), InvalidArgumentError, "`bins` is 0"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(proa.to_tensor([1, 2]))
