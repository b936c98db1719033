from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import (
    Case,
    case_ids,
    check_case,
    complexes,
    distinct,
    ints,
    positive,
    randn,
    same,
)

NAN, INF = float("nan"), float("inf")


def running(x, axis, best):
    """Running extremum and position, element by element."""
    x = np.moveaxis(x, axis, 0)
    values, positions = x.copy(), np.zeros(x.shape, "int64")
    for i in range(1, len(x)):
        take = best(x[i], values[i - 1])
        values[i] = np.where(take, x[i], values[i - 1])
        positions[i] = np.where(take, i, positions[i - 1])
    return np.moveaxis(values, 0, axis), np.moveaxis(positions, 0, axis)


CASES = [
    Case(proa.cumsum, (randn(4, 3), 0), ref=np.cumsum),
    Case(proa.cumsum, (randn(4, 3),), ref=np.cumsum, id="cumsum flattened"),
    Case(proa.cumsum, (ints(-9, 9, 4, dtype="int32"), -1), ref=np.cumsum, dtype="int64"),
    Case(proa.cumsum, (complexes(4), 0), ref=np.cumsum, id="cumsum of complex numbers"),
    Case(proa.cumprod, (positive(4, 3), 1), ref=np.cumprod),
    Case(proa.cumprod, (positive(4),), ref=np.cumprod),
    Case(proa.cummax, (distinct(4, 3), 0), ref=lambda x, a: running(x, a, np.greater_equal)),
    Case(proa.cummin, (distinct(4, 3), 1), ref=lambda x, a: running(x, a, np.less_equal)),
    Case(proa.logcumsumexp, (randn(4, 3), 1), ref=np.logaddexp.accumulate),
    Case(proa.logcumsumexp, (randn(4),), ref=np.logaddexp.accumulate),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_scan(case):
    check_case(case)


def test_the_last_of_equal_elements_counts_and_nan_wins():
    values, positions = proa.cummax(proa.to_tensor([[1.0, 3.0, 3.0], [2.0, 1.0, 2.0]]), 1, "int32")
    same(values, [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    same(positions, [[0, 1, 2], [0, 0, 2]], "int32")
    values, positions = proa.cummax(proa.to_tensor([3.0, NAN, 2.0, NAN, 5.0]))
    same(values, [3.0, NAN, NAN, NAN, NAN])
    same(positions, [0, 1, 1, 3, 3])
    values, positions = proa.cummin(proa.to_tensor([3, 1, 1, 2]))
    same(values, [3, 1, 1, 1], "int64")
    same(positions, [0, 1, 2, 2])
    values, positions = proa.cummax(proa.to_tensor([True, False]))
    same(values, [True, True], "bool")
    same(positions, [0, 0])


def test_narrow_integers_widen():
    for dtype in ("int8", "uint8", "int32", "bool"):
        assert proa.cumsum(proa.ones([2]).astype(dtype)).dtype == "int64"
    assert proa.cumprod(proa.ones([2], "int8")).dtype == "int64"


def test_dtype_argument_converts_first():
    same(proa.cumsum(proa.to_tensor([1.5, 2.5]), dtype="int32"), [1, 3], "int32")
    same(proa.cumprod(proa.to_tensor([2, 3]), 0, "float64"), [2.0, 6.0], "float64")
    assert proa.logcumsumexp(proa.to_tensor([1, 2]), dtype="float64").dtype == "float64"


def test_gradient_of_cumprod_with_zeros():
    x = proa.to_tensor([2.0, 0.0, 3.0, 0.0], stop_gradient=False)
    proa.cumprod(x, 0).sum().backward()
    same(x.grad, [1.0, 8.0, 0.0, 0.0])


def test_empty_and_zero_dimensional():
    empty = proa.zeros([0])
    for fn in (proa.cumsum, proa.cumprod, proa.logcumsumexp):
        assert fn(empty, 0).shape == [0]
        assert fn(proa.to_tensor(2.0), 0).shape == []
    values, positions = proa.cummin(empty)
    assert (values.shape, positions.shape) == ([0], [0])
    same(proa.cummax(proa.to_tensor(2.0), 0)[1], 0)


def test_logcumsumexp_of_infinities():
    same(proa.logcumsumexp(proa.to_tensor([-INF, 1.0, INF])), [-INF, 1.0, INF])


def test_in_place_forms():
    x = proa.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.cumsum_(0) is x
    same(x, [[1.0, 2.0], [4.0, 6.0]])
    same(x.cumsum_(), [[1.0, 3.0], [7.0, 13.0]])
    same(proa.to_tensor([2.0, 3.0]).cumprod_(0), [2.0, 6.0])


ERRORS = [
    (lambda: proa.cumsum(proa.ones([2]), 1), IndexError, "`axis` is 1"),
    (lambda: proa.cumprod(proa.ones([2]), -2), IndexError, "`axis` is -2"),
    (lambda: proa.cummax(proa.ones([2]), 0, "float32"), ValueError, "`dtype` of `cummax`"),
    (lambda: proa.cummin(proa.to_tensor([1j])), TypeError, "`cummin` of a complex64"),
    (lambda: proa.logcumsumexp(proa.to_tensor([1j])), TypeError, "`logcumsumexp` of a complex64"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
