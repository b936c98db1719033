from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from tests.sparse.samples import COO, CSR, close, coo, csr

S = proa.sparse


@pytest.mark.parametrize(("make", "array"), [(coo, COO), (csr, CSR)])
def test_transpose_and_reshape(make, array):
    form = make()._form
    for made, want in (
        (S.transpose(make(), [1, 0]), array.T),
        (S.reshape(make(), [-1, array.size // 3]), array.reshape(3, -1)),
        (S.reshape(make(), [1, array.size]), array.reshape(1, -1)),
        (S.reshape(make(), [0, -1]), array),
    ):
        assert made._form == form
        close(made, want)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 1]])
@pytest.mark.parametrize("keepdim", [False, True])
def test_sums_of_coordinates(axis, keepdim):
    made = S.sum(coo(), axis, keepdim=keepdim)
    want = COO.sum(tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdim)
    close(made, np.reshape(want, made.shape))
    assert made.shape == (list(np.shape(want)) or [1])


@pytest.mark.parametrize(("axis", "shape"), [(None, [1, 1]), (-1, [3, 1]), (0, [1, 4])])
def test_sums_of_rows_keep_their_axes(axis, shape):
    made = S.sum(csr(), axis)
    assert made.is_sparse_csr()
    close(made, CSR.sum(axis).reshape(shape))


def test_sums_over_dense_axes():
    x = S.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], [3, 2])
    close(S.sum(x, 1), [3, 0, 7])
    assert S.sum(x, 0, dtype="float64").dtype.name == "float64"
    assert S.sum(S.cast(x, value_dtype="int32")).dtype.name == "int64"


def test_slices():
    close(S.slice(coo(), [0, 1], [0, 1], [2, 3]), COO[0:2, 1:3])
    close(S.slice(csr(), [0, 1], [1, -4], [3, 2]), CSR[1:3, 0:2])


def test_casts():
    made = S.cast(csr(), "int32", "float64")
    assert (made.dtype.name, made.crows().dtype.name) == ("float64", "int32")
    close(S.sin(made).values(), np.sin([1.0, 2, 3, 4, 5]))


def test_masks():
    full = proa.arange(12, dtype="float32").reshape([3, 4])
    close(S.mask_as(full, csr()), np.where(CSR != 0, full.numpy(), 0))


def test_coalesce_keeps_gradients():
    x = S.sparse_coo_tensor([[1, 0, 1]], [1.0, 2.0, 3.0], [2], stop_gradient=False)
    made = S.coalesce(x)
    assert made.indices().tolist() == [[0, 1]]
    (made.values() * proa.to_tensor([5.0, 7.0])).sum().backward()
    assert x.grad.values().tolist() == [7.0, 5.0, 7.0]
    assert S.coalesce(csr()).is_sparse_csr()


def test_same_shapes():
    assert S.is_same_shape(coo(), proa.ones([3, 3]))
    assert not coo().is_same_shape(csr())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: S.transpose(coo(), [0, 0]), InvalidArgumentError, r"`perm` is \[0, 0\]"),
        (lambda: S.reshape(coo(), [2, 2]), InvalidArgumentError, r"`shape` is \[2, 2\]"),
        (lambda: S.sum(coo(), 5), OutOfRangeError, "`axis` 5"),
        (lambda: S.slice(coo(), [0], [0], []), InvalidArgumentError, "0 ends"),
        (lambda: S.mask_as(proa.ones([2]), coo()), InvalidArgumentError, "`mask` of shape"),
        (lambda: S.coalesce(proa.ones([2])), InvalidTypeError, "`sparse.coalesce`"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
