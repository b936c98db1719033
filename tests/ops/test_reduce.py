from __future__ import annotations

import numpy as np
import pytest
import scipy.special as reference

import proa
from tests.ops.harness import (
    Case,
    bools,
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
HOLES = randn(4, 3)
HOLES[1, 2] = HOLES[3, 0] = NAN


def total(x):
    return np.sum(x, axis=(0, 2), keepdims=True)


CASES = [
    Case(proa.sum, (randn(4, 3),), ref=np.sum),
    Case(proa.sum, (randn(4, 3), -1), ref=np.sum, id="sum over the last axis"),
    Case(proa.sum, (randn(4, 3, 2), [0, 2]), {"keepdim": True}, ref=lambda x, _: total(x)),
    Case(proa.sum, (ints(-9, 9, 4, 3, dtype="int32"),), ref=np.sum, id="sum of int32"),
    Case(proa.sum, (bools(4, 3), 0), ref=lambda x, a: x.sum(a), id="sum of booleans"),
    Case(proa.sum, (complexes(4),), ref=np.sum, id="sum of complex numbers"),
    Case(
        proa.sum,
        (randn(4), None, "float64"),
        ref=lambda x, *_: x.sum(),
        dtype="float64",
        low=(),
        tolerance={"float64": (1e-6, 1e-6)},
        reason="the float32 run has inputs in float32",
    ),
    Case(proa.mean, (randn(4, 3), 1), ref=np.mean),
    Case(proa.mean, (randn(4, 3), [0, 1], True), ref=lambda x, *_: x.mean(keepdims=True)),
    Case(proa.nansum, (HOLES, 0), ref=np.nansum, grad=False),
    Case(proa.nanmean, (HOLES, 1), ref=np.nanmean, grad=False),
    Case(proa.prod, (positive(4, 3), 1), ref=np.prod),
    Case(proa.prod, (ints(1, 4, 4, dtype="int32"),), ref=np.prod, dtype="int32"),
    Case(proa.max, (distinct(4, 3), 1), ref=np.max),
    Case(proa.max, (distinct(4, 3),), ref=np.max),
    Case(proa.min, (distinct(4, 3), 0, True), ref=lambda x, *_: x.min(0, keepdims=True)),
    Case(proa.amax, (distinct(4, 3, 2), [0, 1]), ref=lambda x, _: x.max((0, 1))),
    Case(proa.amin, (distinct(4, 3),), ref=np.min),
    Case(proa.argmax, (distinct(4, 3), 1), ref=np.argmax),
    Case(proa.argmax, (distinct(4, 3),), ref=np.argmax),
    Case(proa.argmin, (distinct(4, 3), 0, True), ref=lambda x, *_: x.argmin(0, keepdims=True)),
    Case(proa.argmin, (distinct(4),), {"dtype": "int32"}, ref=lambda x: x.argmin().astype("int32")),
    Case(proa.all, (bools(4, 3), 1), ref=np.all),
    Case(proa.any, (bools(4, 3), 1), ref=np.any),
    Case(proa.any, (ints(0, 2, 4, 3),), ref=np.any),
    Case(proa.count_nonzero, (ints(0, 3, 4, 3), 1), ref=np.count_nonzero),
    Case(proa.logsumexp, (randn(4, 3), 1), ref=reference.logsumexp),
    Case(proa.logsumexp, (randn(4, 3) * 300,), ref=reference.logsumexp, low=(), id="no overflow"),
    Case(proa.numel, (randn(4, 3),), ref=lambda x: np.int64(12)),
    Case(proa.is_empty, (randn(4, 3),), ref=lambda x: np.bool_(False)),
    Case(proa.reduce_as, (randn(4, 3, 2), randn(3, 1)), ref=lambda x, y: x.sum((0, 2))[:, None]),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_reduce(case):
    check_case(case)


def test_integers_of_every_width():
    for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64"):
        x = proa.ones([3]).astype(dtype)
        assert proa.sum(x).dtype == "int64"
        assert proa.mean(x).dtype == "float32"
        assert proa.logsumexp(x).dtype == "float32"
    assert float(proa.mean(proa.to_tensor([1, 2]))) == 1.5


def test_axis_as_empty_list_reduces_all():
    same(proa.sum(proa.ones([2, 3]), axis=[]), 6.0)
    same(proa.max(proa.ones([2, 3]), axis=[]), 1.0)


def test_zero_dimensional_tensors():
    x = proa.to_tensor(3.0)
    for fn in (proa.sum, proa.mean, proa.max, proa.prod, proa.logsumexp):
        same(fn(x), 3.0)
        same(fn(x, axis=-1), 3.0)
    same(proa.argmax(x), 0, "int64")
    same(proa.all(x), True, "bool")


def test_argmax_keeps_all_axes_when_asked():
    same(proa.argmax(proa.ones([2, 3]), keepdim=True), [[0]])


def test_count_nonzero_counts_nan():
    same(proa.count_nonzero(proa.to_tensor([0.0, NAN])), 1, "int64")


def test_gradients_of_sums_with_holes_are_zero_in_the_holes():
    for fn, share in ((proa.nansum, 1.0), (proa.nanmean, 0.5)):
        x = proa.to_tensor([1.0, NAN, 3.0], stop_gradient=False)
        fn(x).backward()
        same(x.grad, [share, 0.0, share])


@pytest.mark.parametrize("fn", [proa.max, proa.amax])
def test_equal_maxima_share_the_gradient(fn):
    x = proa.to_tensor([2.0, 2.0, 1.0], stop_gradient=False)
    fn(x).backward()
    same(x.grad, [0.5, 0.5, 0.0])


def test_different_values_need_one_kernel():
    before = len(proa.sum.op.kernels)
    for value in (1.0, 2.0):
        proa.sum(proa.full([2, 2], value), axis=1)
    assert len(proa.sum.op.kernels) <= before + 1


def test_out_and_dtype_arguments():
    out = proa.zeros([])
    assert proa.mean(proa.to_tensor([1.0, 3.0]), out=out) is out
    same(out, 2.0)
    same(proa.mean(proa.to_tensor([1, 2]), dtype="float64"), 1.5, "float64")
    same(proa.prod(proa.to_tensor([2, 3]), dtype="float32"), 6.0, "float32")


ERRORS = [
    (lambda: proa.sum(proa.ones([2]), axis=1), IndexError, "`axis` is 1 for a tensor with 1 axes"),
    (lambda: proa.mean(proa.ones([2]), axis=-2), IndexError, "`axis` is -2"),
    (lambda: proa.sum(proa.ones([2, 2]), axis=[0, -2]), ValueError, "names an axis twice"),
    (lambda: proa.max(proa.ones([0])), ValueError, "`max` over nothing"),
    (lambda: proa.min(proa.ones([2, 0]), axis=1), ValueError, "`min` over nothing"),
    (lambda: proa.amax(proa.ones([0])), ValueError, "`amax` over nothing"),
    (lambda: proa.amin(proa.ones([0])), ValueError, "`amin` over nothing"),
    (lambda: proa.argmax(proa.ones([0])), ValueError, "`argmax` over nothing"),
    (lambda: proa.argmin(proa.ones([0])), ValueError, "`argmin` over nothing"),
    (lambda: proa.argmax(proa.ones([1]), dtype="float32"), ValueError, "`dtype` of `argmax`"),
    (lambda: proa.max(proa.to_tensor([1j])), TypeError, "`max` of a complex64"),
    (lambda: proa.logsumexp(proa.to_tensor([1j])), TypeError, "`logsumexp` of a complex64"),
    (lambda: proa.reduce_as(proa.ones([2]), proa.ones([1, 2])), ValueError, "no more axes"),
    (lambda: proa.reduce_as(proa.ones([4]), proa.ones([2])), ValueError, "broadcasts to that"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
