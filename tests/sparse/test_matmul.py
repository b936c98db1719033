from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import randn
from tests.sparse.samples import COO, CSR, close, coo, csr

S = proa.sparse


def dense(*shape):
    return proa.to_tensor(randn(*shape).astype("float32"))


@pytest.mark.parametrize(("make", "array"), [(coo, COO), (csr, CSR)])
def test_with_a_dense_matrix(make, array):
    y = dense(array.shape[1], 2)
    close(S.matmul(make(), y), array.astype("float32") @ y.numpy())
    close(make() @ y, array.astype("float32") @ y.numpy())
    close(S.mv(make(), y[:, 0]), array.astype("float32") @ y.numpy()[:, 0])
    start = dense(3, 2)
    want = 2 * start.numpy() + 3 * (array.astype("float32") @ y.numpy())
    np.testing.assert_allclose(S.addmm(start, make(), y, 2.0, 3.0).numpy(), want, 1e-5)


def test_with_a_sparse_matrix():
    close(S.matmul(coo(), coo()), COO @ COO)
    right = S.transpose(csr(), [1, 0])
    made = S.matmul(csr(), right)
    assert made.is_sparse_csr()
    close(made, CSR @ CSR.T)


def test_batches():
    array = np.array([[[1.0, 0], [0, 2]], [[0, 0], [3, 4]]], "float32")
    x, y = proa.to_tensor(array).to_sparse_csr(), dense(2, 2, 3)
    close(S.matmul(x, y), array @ y.numpy())
    close(S.masked_matmul(y, dense(2, 3, 2), x).values()[:0], np.zeros(0))


def test_elements_at_a_mask():
    x, y = dense(3, 2), dense(2, 4)
    close(S.masked_matmul(x, y, csr()), np.where(CSR != 0, x.numpy() @ y.numpy(), 0))


def test_gradients():
    x, y = csr(stop=False), dense(4, 2)
    y.stop_gradient = False
    weight = dense(3, 2)
    (S.matmul(x, y) * weight).sum().backward()
    rows, columns = np.nonzero(CSR)
    full = weight.numpy() @ y.numpy().T
    close(x.grad.values(), full[rows, columns])
    np.testing.assert_allclose(y.grad.numpy(), CSR.T @ weight.numpy(), 1e-5)


def test_gradients_through_a_mask():
    x, y = dense(3, 2), dense(2, 4)
    x.stop_gradient = False
    S.masked_matmul(x, y, csr()).to_dense().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (CSR != 0) @ y.numpy().T, 1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: S.matmul(coo(), proa.ones([4, 2])),
        lambda: S.matmul(coo(), proa.ones([3])),
        lambda: S.mv(coo(), proa.ones([4])),
        lambda: S.masked_matmul(proa.ones([3, 2]), proa.ones([2, 3]), csr()),
        lambda: S.addmm(proa.ones([2, 2]), coo(), proa.ones([3, 2])),
    ],
)
def test_wrong_shapes(call):
    with pytest.raises(InvalidArgumentError, match=r"shapes \[.*\] and \[.*\] in `sparse"):
        call()


def test_forms_are_not_mixed():
    with pytest.raises(InvalidArgumentError, match="COO and CSR"):
        S.matmul(coo(), coo().to_sparse_csr())
