from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from tests.sparse.samples import COO, CSR, close, coo, csr, other

S = proa.sparse
OTHER = other().numpy()
NAMES = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}


@pytest.mark.parametrize("name", list(NAMES))
def test_same_places(name):
    made = getattr(S, name)(csr(), csr())
    assert made.is_sparse_csr()
    close(made, NAMES[name](CSR, CSR))
    assert made.nnz() == 5


@pytest.mark.parametrize("name", list(NAMES))
def test_other_places(name):
    made = getattr(S, name)(coo(), other())
    close(made, NAMES[name](COO, OTHER))
    assert made.indices().tolist() == [[0, 0, 1, 2], [0, 1, 2, 0]]


def test_quotients():
    with np.errstate(all="ignore"):
        close(S.divide(csr(), csr()), CSR / CSR)
        close(S.divide(coo(), other()), COO / OTHER)


def test_dense_partners():
    full = proa.full([3, 3], 2.0)
    close(S.add(coo(), full), COO + 2)
    close(S.multiply(coo(), full), COO * 2)
    close(S.divide(coo(), full), COO / 2)


def test_operators():
    close(coo() + other(), COO + OTHER)
    close(coo() - other(), COO - OTHER)
    close(coo() * 2, COO * 2)
    close(2 * coo(), COO * 2)
    close(coo() / 2, COO / 2)
    close(coo() * proa.to_tensor(3.0), COO * 3)


def test_gradients():
    x, y = coo(stop=False), other()
    y.stop_gradient = False
    S.multiply(x, y).to_dense().sum().backward()
    assert x.grad.values().tolist() == [0.0, 20.0, 0.0]
    assert y.grad.values().tolist() == [0.0, 2.0]


def test_places_named_twice():
    x = S.sparse_coo_tensor([[0, 0]], [1.0, 2.0], [2])
    assert S.multiply(x, x).tolist() == [9.0, 0.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: S.add(proa.ones([3, 3]), coo()), InvalidTypeError, "`x` of `sparse.add`"),
        (lambda: S.add(coo(), 1.0), InvalidTypeError, "is a number"),
        (lambda: S.add(coo(), csr()), InvalidArgumentError, r"shapes \[3, 3\] and \[3, 4\]"),
        (lambda: S.multiply(coo(), coo().to_sparse_csr()), InvalidArgumentError, "COO and CSR"),
    ],
)
def test_wrong_partners(call, error, message):
    with pytest.raises(error, match=message):
        call()
