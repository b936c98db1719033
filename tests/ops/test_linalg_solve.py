from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnsupportedError
from tests.ops.harness import Case, case_ids, check_case, randn, same

linalg = proa.linalg
# LAPACK has no half precision.
PLAIN = {"low": ()}


def regular(*shape):
    return randn(*shape) + 3.0 * np.eye(shape[-1])


def definite(n):
    root = randn(n, n)
    return root @ root.T + n * np.eye(n)


def symmetric_cholesky(x):
    return linalg.cholesky((x + x.t()) / 2)


def triangular(x, y, *options):
    upper, transpose, unit = options
    a = np.triu(x) if upper else np.tril(x)
    if unit:
        np.fill_diagonal(a, 1.0)
    return np.linalg.solve(a.T if transpose else a, y)


CASES = [
    Case(linalg.inv, (regular(4, 4),), ref=np.linalg.inv, **PLAIN),
    Case(linalg.det, (randn(4, 3, 3),), ref=np.linalg.det, **PLAIN),
    Case(linalg.slogdet, (randn(3, 3),), ref=lambda x: np.stack(np.linalg.slogdet(x)), **PLAIN),
    Case(symmetric_cholesky, (definite(4),), ref=np.linalg.cholesky, **PLAIN),
    Case(linalg.solve, (regular(4, 4), randn(4, 2)), ref=np.linalg.solve, **PLAIN),
    Case(linalg.solve, (regular(4, 4), randn(4)), ref=np.linalg.solve, **PLAIN),
    Case(
        linalg.solve,
        (regular(4, 4), randn(2, 4), False),
        ref=lambda x, y, _: np.linalg.solve(x.T, y.T).T,
        **PLAIN,
    ),
    Case(
        linalg.solve,
        (regular(2, 3, 3), randn(2, 3)),
        ref=lambda x, y: np.linalg.solve(x, y[..., None])[..., 0],
        **PLAIN,
    ),
    Case(
        linalg.triangular_solve,
        (regular(4, 4), randn(4, 2), True, False, False),
        ref=triangular,
        **PLAIN,
    ),
    Case(
        linalg.triangular_solve,
        (regular(4, 4), randn(4, 2), False, True, True),
        ref=triangular,
        **PLAIN,
    ),
    Case(
        linalg.cholesky_solve,
        (randn(4, 2), np.linalg.cholesky(definite(4))),
        ref=lambda x, y: np.linalg.solve(y @ y.T, x),
        **PLAIN,
    ),
    Case(
        linalg.cholesky_solve,
        (randn(4, 2), np.linalg.cholesky(definite(4)).T.copy(), True),
        ref=lambda x, y, _: np.linalg.solve(y.T @ y, x),
        **PLAIN,
    ),
    Case(
        linalg.cholesky_inverse,
        (np.linalg.cholesky(definite(4)),),
        ref=lambda x: np.linalg.inv(x @ x.T),
        **PLAIN,
    ),
    Case(linalg.pinv, (randn(4, 3),), ref=np.linalg.pinv, **PLAIN),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_solve(case):
    check_case(case)


def test_upper_cholesky_and_its_inverse():
    a = definite(3)
    upper = linalg.cholesky(proa.to_tensor(a), upper=True)
    same(upper, np.linalg.cholesky(a).T, "float64")
    same(linalg.cholesky_inverse(upper, upper=True), np.linalg.inv(a), "float64")


def test_integers_become_floats():
    same(proa.inverse(proa.to_tensor([[2, 0], [0, 4]])), [[0.5, 0.0], [0.0, 0.25]], "float32")


def test_least_squares():
    a, b = randn(4, 2), randn(4, 1)
    want, residuals, rank, values = np.linalg.lstsq(a, b)
    x, y = proa.to_tensor(a), proa.to_tensor(b)
    for driver, has_residuals, has_values in (
        (None, False, False),
        ("gels", True, False),
        ("gelsd", True, True),
    ):
        found = linalg.lstsq(x, y, driver=driver)
        same(found[0], want, "float64")
        same(found[1], residuals if has_residuals else np.zeros(0), "float64")
        same(found[2], rank, "int32")
        same(found[3], values if has_values else np.zeros(0), "float64")
    lacking = linalg.lstsq(proa.to_tensor([[1.0, 1.0], [1.0, 1.0]]), proa.ones([2, 1]))
    same(lacking[0], [[0.5], [0.5]], "float32")
    assert lacking[2].item() == 1


def test_lu_and_its_parts():
    a = randn(4, 3)
    x = proa.to_tensor(a)
    packed, pivots, codes = linalg.lu(x, get_infos=True)
    assert (packed.shape, pivots.dtype, codes.item()) == ([4, 3], "int32", 0)
    assert pivots[0].item() == np.abs(a[:, 0]).argmax() + 1
    p, lower, upper = linalg.lu_unpack(packed, pivots)
    same(p @ lower @ upper, a, "float64")
    assert linalg.lu_unpack(packed, pivots, unpack_ludata=False)[1] is None
    assert linalg.lu_unpack(packed, pivots, unpack_pivots=False)[0] is None


@pytest.mark.parametrize("trans", ["N", "T", "C"])
def test_lu_solve(trans):
    a, b = regular(4, 4), randn(4, 2)
    found = linalg.lu_solve(proa.to_tensor(b), *linalg.lu(proa.to_tensor(a)), trans)
    same(found, np.linalg.solve(a if trans == "N" else a.T, b), "float64")


SINGULAR = proa.to_tensor([[1.0, 2.0], [2.0, 4.0]])
WIDE = proa.ones([2, 3])
ERRORS = [
    (lambda: linalg.lu_solve(SINGULAR, *linalg.lu(SINGULAR), "X"), "`trans` is 'X'"),
    (lambda: linalg.lu_solve(proa.ones([3, 1]), *linalg.lu(SINGULAR)), "as many rows"),
    (lambda: proa.inverse(SINGULAR), "`inverse` has no finite result"),
    (lambda: linalg.solve(SINGULAR, proa.ones([2])), "`solve` has no finite result"),
    (lambda: linalg.cholesky(-SINGULAR), "positive definite matrices"),
    (lambda: proa.inverse(WIDE), "`inverse` of a tensor of shape .2, 3."),
    (lambda: linalg.det(proa.ones([2])), "square matrices"),
    (lambda: linalg.solve(SINGULAR, proa.ones([3])), "a right side that fits"),
    (lambda: linalg.triangular_solve(SINGULAR, proa.ones([3, 1])), "as many rows as the matrix"),
    (lambda: linalg.cholesky_solve(proa.ones([3, 1]), SINGULAR), "as many rows as the factor"),
    (lambda: linalg.lstsq(SINGULAR, proa.ones([3, 1])), "as many rows as the matrix"),
    (lambda: linalg.lstsq(SINGULAR, SINGULAR, driver="qr"), "`driver` is 'qr'"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call()


def test_lu_without_pivots_is_not_there():
    with pytest.raises(UnsupportedError, match="pivot=False"):
        linalg.lu(SINGULAR, pivot=False)
