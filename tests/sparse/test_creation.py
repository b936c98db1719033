from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from tests.sparse.samples import close

coo, csr = proa.sparse.sparse_coo_tensor, proa.sparse.sparse_csr_tensor


def test_shape_is_inferred():
    x = coo([[0, 0, 1], [1, 1, 2]], [[1.0, 2], [2.0, 3], [3.0, 4]])
    assert (x.shape, x.dense_dim()) == ([2, 3, 2], 1)
    close(x, [[[0, 0], [3, 5], [0, 0]], [[0, 0], [0, 0], [3, 4]]])
    assert csr([0, 1, 2], [3, 0], [1.0, 2.0]).shape == [2, 4]


def test_dtypes():
    x = coo(proa.to_tensor([[0], [1]], dtype="int32"), [1], [3, 3])
    assert (x.dtype.name, x.indices().dtype.name) == ("int64", "int64")
    assert coo([[0]], [1], [3], dtype="float64").dtype.name == "float64"


def test_gradient_reaches_the_values_given():
    values = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    x = coo([[0, 1], [1, 0]], values, [2, 2], stop_gradient=False)
    (x.to_dense() * proa.to_tensor([[0.0, 3.0], [5.0, 0.0]])).sum().backward()
    assert values.grad.tolist() == [3.0, 5.0]
    assert coo([[0, 1]], values, [2]).stop_gradient


def test_gradient_reaches_the_dense_tensor():
    x = proa.to_tensor([[1.0, 0.0], [0.0, 2.0]], stop_gradient=False)
    proa.sparse.square(x.to_sparse_coo(2)).to_dense().sum().backward()
    assert x.grad.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_dense_axes_of_a_dense_tensor():
    x = proa.to_tensor([[1.0, 0.0], [0.0, 0.0]]).to_sparse_coo(1)
    assert (x.indices().tolist(), x.values().tolist()) == ([[0]], [[1.0, 0.0]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: coo([0, 1], [1.0, 2.0]), InvalidArgumentError, r"shape \[2\]"),
        (lambda: coo([[0.5]], [1.0]), InvalidTypeError, "float64"),
        (lambda: coo([[0, 1]], [1.0]), InvalidArgumentError, "2 places"),
        (lambda: coo([[0, 5]], [1.0, 2.0], [3]), OutOfRangeError, "holds 5 for axis 0"),
        (lambda: coo([[0, -1]], [1.0, 2.0], [3]), OutOfRangeError, "holds -1"),
        (lambda: coo([[0]], [1.0], [3, 3]), InvalidArgumentError, "1 sparse axes"),
        (lambda: coo(np.zeros((1, 0)), []), InvalidArgumentError, "no `shape`"),
        (lambda: csr([0, 2], [1, 0], [1.0, 2.0], [3, 4]), InvalidArgumentError, "has 2 entries"),
        (lambda: csr([0, 1], [1, 0], [1.0, 2.0]), InvalidArgumentError, "ends at 1"),
        (lambda: csr([0, 2, 1], [1], [1.0]), InvalidArgumentError, "`crows` is"),
        (lambda: csr([0, 1], [7], [1.0], [1, 3]), OutOfRangeError, "`cols` holds 7"),
        (lambda: csr([0, 1], [0], [1.0], [1]), InvalidArgumentError, r"`shape` is \[1\]"),
        (lambda: csr([[0, 1]], [0], [1.0]), InvalidArgumentError, "have 2, 1, 1 axes"),
        (lambda: proa.ones([2]).to_sparse_coo(2), InvalidArgumentError, "`sparse_dim` is 2"),
    ],
)
def test_wrong_parts(call, error, message):
    with pytest.raises(error, match=message):
        call()
