from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, distinct, randn, same

NAN = float("nan")
HOLES = distinct(4, 3)
HOLES[1, 2] = HOLES[3, 0] = HOLES[3, 1] = NAN
# Quantiles of half precision come back in float32.
WIDE = {"low": ()}


def variance(x, axis=None, ddof=1):
    return np.var(x, axis=axis, ddof=ddof)


CASES = [
    Case(proa.var, (randn(4, 3),), ref=variance),
    Case(proa.var, (randn(4, 3), 1, False), ref=lambda x, a, _: variance(x, a, 0)),
    Case(proa.var, (randn(4, 3), 0), {"correction": 2}, ref=lambda x, a: variance(x, a, 2)),
    Case(proa.std, (randn(4, 3), 1), ref=lambda x, a: np.sqrt(variance(x, a))),
    Case(proa.std, (randn(4, 3), [0, 1], False, True), ref=lambda x, *_: np.std(x, keepdims=True)),
    Case(proa.median, (distinct(4, 3),), ref=np.median, **WIDE),
    Case(proa.median, (distinct(4, 3), 0), ref=np.median, **WIDE),
    Case(
        proa.median,
        (distinct(4, 5), 1, True),
        ref=lambda x, *_: np.median(x, 1, keepdims=True),
        **WIDE,
    ),
    Case(proa.nanmedian, (HOLES, 1), ref=np.nanmedian, grad=False, **WIDE),
    Case(proa.nanmedian, (HOLES, [0, 1]), ref=lambda x, _: np.nanmedian(x), grad=False, **WIDE),
    Case(proa.quantile, (distinct(4, 3), 0.3), ref=np.quantile, **WIDE),
    Case(proa.quantile, (distinct(4, 3), [0.3, 0.9], 1), ref=np.quantile, **WIDE),
    Case(
        proa.quantile,
        (distinct(4, 3, 2), [0.2, 0.5], [0, 2], True),
        ref=lambda x, q, *_: np.quantile(x, q, (0, 2), keepdims=True),
        **WIDE,
    ),
    Case(proa.nanquantile, (HOLES, 0.4, 0), ref=np.nanquantile, grad=False, **WIDE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_statistics(case):
    check_case(case)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_interpolations(method):
    x, q = np.arange(1.0, 7.0), [0.1, 0.5, 0.3, 0.7]
    got = proa.quantile(proa.to_tensor(x, dtype="float64"), q, interpolation=method)
    same(got, np.quantile(x, q, method=method), "float64")


def test_one_quantile_in_a_list_adds_no_axis():
    x = proa.to_tensor([0.0, 1.0])
    assert proa.quantile(x, [0.3]).shape == []
    assert proa.quantile(x, proa.to_tensor(0.3)).shape == []


def test_spread_of_one_element_and_of_nothing():
    same(proa.std(proa.to_tensor([3.0])), NAN)
    same(proa.var(proa.to_tensor([])), NAN)


def test_gradient_of_std_without_spread_is_zero():
    x = proa.to_tensor([1.0, 1.0], stop_gradient=False)
    proa.std(x).backward()
    same(x.grad, [0.0, 0.0])


def test_integers_give_float32():
    x = proa.to_tensor([3, 4])
    for value, want in ((proa.var(x), 0.5), (proa.std(x), 0.5**0.5), (proa.median(x), 3.5)):
        same(value, want, "float32")
    same(proa.quantile(x, 0.5), 3.5, "float32")


def test_median_of_half_precision_is_float32():
    same(proa.median(proa.to_tensor([1, 2], dtype="float16")), 1.5, "float32")


def test_median_of_mode_min_gives_the_position():
    rows = proa.to_tensor([[4.0, 1.0, 2.0, 3.0], [NAN, 2.0, 1.0, NAN]])
    values, positions = proa.median(rows, axis=1, mode="min")
    same(values, [2.0, NAN])
    same(positions, [2, 0], "int64")
    values, positions = proa.nanmedian(rows, axis=1, mode="min")
    same(values, [2.0, 1.0])
    same(positions, [2, 2], "int64")
    same(proa.median(rows[0], mode="min"), 2.0)
    values, positions = proa.median(proa.to_tensor([[1, 2]]), 1, True, "min")
    same(values, [[1]], "int64")
    same(positions, [[0]])


def test_nan_wins_in_median_and_not_in_nanmedian():
    x = proa.to_tensor([1.0, 2.0, NAN, 4.0])
    same(proa.median(x), NAN)
    same(proa.nanmedian(x), 2.0)
    same(proa.nanmedian(proa.to_tensor([NAN, NAN])), NAN)
    same(proa.nanmedian(proa.to_tensor([[NAN, NAN]]), 1, mode="min")[1], [-1])
    same(proa.quantile(x, 0.5), NAN)
    same(proa.median(proa.to_tensor([])), NAN)
    same(proa.quantile(proa.to_tensor([]), 0.5), NAN)


def test_gradient_of_an_even_median_is_shared_by_the_middle_two():
    x = proa.to_tensor([4.0, 1.0, 2.0, 3.0], stop_gradient=False)
    proa.median(x).backward()
    same(x.grad, [0.0, 0.0, 0.5, 0.5])


def test_methods_and_out():
    x, out = proa.to_tensor([1.0, 2.0, 3.0]), proa.zeros([])
    same(x.var(), 1.0)
    same(x.std(), 1.0)
    same(x.median(), 2.0)
    same(x.quantile(0.5), 2.0)
    assert proa.var(x, out=out) is out
    same(out, 1.0)


ERRORS = [
    (lambda: proa.quantile(proa.ones([2]), 1.3), ValueError, r"`q` of `quantile` is 1\.3"),
    (lambda: proa.nanquantile(proa.ones([2]), -0.1), ValueError, "`q` of `nanquantile` is -0.1"),
    (lambda: proa.quantile(proa.ones([2]), [[0.1]]), ValueError, r"has shape \[1, 1\]"),
    (lambda: proa.quantile(proa.ones([2]), 0.1, interpolation="x"), ValueError, "`interpolation`"),
    (lambda: proa.median(proa.ones([2]), mode="max"), ValueError, "`mode` of `median` is 'max'"),
    (lambda: proa.nanmedian(proa.ones([2]), mode="max"), ValueError, "`mode` of `nanmedian`"),
    (lambda: proa.median(proa.ones([2]), axis=[0]), ValueError, "`axis` of `median`"),
    (lambda: proa.var(proa.to_tensor([1j])), TypeError, "`var` of a complex64"),
    (lambda: proa.median(proa.to_tensor([1j])), TypeError, "`median` of a complex64"),
    (lambda: proa.quantile(proa.to_tensor([1j]), 0.1), TypeError, "`quantile` of a complex64"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
