from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, complexes, randn, same

linalg = proa.linalg
# LAPACK has no half precision.
PLAIN = {"low": ()}


def rebuilt_by_qr(x):
    q, r = linalg.qr(x)
    return q @ r, proa.abs(r)


def rebuilt_by_svd(x):
    u, s, vh = linalg.svd(x)
    return (u * s.unsqueeze(-2)) @ vh, s


def rebuilt_by_eigh(x):
    values, vectors = linalg.eigh(x + x.t())
    return (vectors * values.unsqueeze(-2)) @ vectors.t(), values


# Signs of vectors are arbitrary, so what is compared is the product.
CASES = [
    Case(rebuilt_by_qr, (randn(4, 3),), ref=lambda x: [x, abs(np.linalg.qr(x)[1])], **PLAIN),
    Case(rebuilt_by_svd, (randn(4, 3),), ref=lambda x: [x, np.linalg.svd(x)[1]], **PLAIN),
    Case(linalg.svdvals, (randn(2, 4, 3),), ref=lambda x: np.linalg.svd(x)[1], **PLAIN),
    Case(
        rebuilt_by_eigh,
        (randn(4, 4),),
        ref=lambda x: [x + x.T, np.linalg.eigvalsh(x + x.T)],
        **PLAIN,
    ),
    Case(linalg.eigvalsh, (randn(4, 4), "U"), ref=lambda x, u: np.linalg.eigvalsh(x, "U"), **PLAIN),
    Case(linalg.matrix_exp, (randn(3, 3) * 0.3,), ref=lambda x: series(x), orders=4, **PLAIN),
    Case(linalg.matrix_exp, (complexes(2, 2, 2),), ref=lambda x: np.stack([*map(series, x)])),
]


def series(x):
    total, term = np.eye(len(x)), np.eye(len(x))
    for k in range(1, 40):
        term = term @ x / k
        total = total + term
    return total


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_spectral(case):
    check_case(case)


def test_gradients_of_matrix_exp_take_large_ones_from_above():
    x = proa.to_tensor(np.diag([1.0, 2.0]), stop_gradient=False)
    (linalg.matrix_exp(x).sum() * 1e20).backward()
    e = np.exp([1.0, 2.0])
    same(x.grad * 1e-20, [[e[0], e[1] - e[0]], [e[1] - e[0], e[1]]], "float64")
    empty = proa.zeros([0, 0], requires_grad=True)
    linalg.matrix_exp(empty).sum().backward()
    assert empty.grad.shape == [0, 0]


def test_forms_of_qr_and_svd():
    a = randn(4, 2)
    x = proa.to_tensor(a)
    q, r = linalg.qr(x, "complete")
    assert (q.shape, r.shape) == ([4, 4], [4, 2])
    same(q @ r, a, "float64")
    same(proa.abs(linalg.qr(x, "r")), abs(np.linalg.qr(a)[1]), "float64")
    u, s, vh = linalg.svd(x, full_matrices=True)
    assert (u.shape, s.shape, vh.shape) == ([4, 4], [2], [2, 2])
    out = tuple(proa.zeros_like(t) for t in linalg.svd(x))
    assert linalg.svd(x, out=out)[1] is out[1]
    same(out[1], np.linalg.svd(a)[1], "float64")


def test_eigenvalues_of_any_square_matrix():
    a = np.array([[0.0, 1.0], [-2.0, 0.0]])
    values, vectors = linalg.eig(proa.to_tensor(a))
    same(proa.to_tensor(a).astype("complex128") @ vectors, (vectors * values).numpy(), "complex128")
    assert sorted(linalg.eigvals(proa.to_tensor(a)).numpy().imag) == pytest.approx(
        [-(2**0.5), 2**0.5]
    )
    x = proa.to_tensor([[2.0, 1.0], [0.0, 3.0]], stop_gradient=False)
    proa.real(linalg.eigvals(x)).sum().backward()
    same(x.grad, np.eye(2), "float32")


def test_eigh_reads_one_triangle():
    x = proa.to_tensor([[1.0, 9.0], [2.0, 1.0]])
    same(linalg.eigh(x)[0], [-1.0, 3.0], "float32")
    same(linalg.eigh(x, "U")[0], [-8.0, 10.0], "float32")


RANKS = [
    ({}, 3),
    ({"tol": 2.0}, 2),
    ({"tol": proa.to_tensor(4.5)}, 1),
    ({"hermitian": True}, 3),
    ({"atol": 2.0}, 2),
    ({"rtol": 0.5}, 2),
    ({"atol": 0.1, "rtol": 0.99}, 1),
]


@pytest.mark.parametrize(("options", "want"), RANKS)
def test_matrix_rank(options, want):
    x = proa.to_tensor([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
    same(linalg.matrix_rank(x, **options), want, "int64")


def test_rank_of_matrices_that_lack_it():
    same(linalg.matrix_rank(proa.ones([2, 3, 3])), [1, 1], "int64")


def test_householder_product_gives_orthogonal_columns():
    a = randn(4, 2)
    tau = 2.0 / (1.0 + (np.tril(a, -1) ** 2).sum(0))
    q = linalg.householder_product(proa.to_tensor(a), proa.to_tensor(tau))
    same(q.t() @ q, np.eye(2), "float64")


ERRORS = [
    (lambda x: linalg.qr(x, "full"), "`mode` is 'full'"),
    (lambda x: linalg.svd(x[0]), "matrices: shape"),
    (lambda x: linalg.eigh(x), "square matrices"),
    (lambda x: linalg.eigh(x[:, :2], "X"), "`UPLO` is 'X'"),
    (lambda x: linalg.eig(x), "`eig` of a tensor of shape"),
    (lambda x: linalg.matrix_rank(x, 1.0, rtol=1.0), "got `tol` and one of `atol`, `rtol`"),
    (lambda x: linalg.matrix_exp(x), "`matrix_exp` of a tensor"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 3]))
