"""Sparse tensors that several test modules use."""

from __future__ import annotations

import numpy as np

import proa

COO = np.array([[0.0, 1, 0], [0, 0, 2], [3, 0, 0]])
CSR = np.array([[0.0, 1, 0, 2], [0, 0, 3, 0], [4, 5, 0, 0]])


def coo(stop=True):
    return proa.sparse.sparse_coo_tensor(
        [[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], [3, 3], stop_gradient=stop
    )


def csr(stop=True):
    return proa.sparse.sparse_csr_tensor(
        [0, 2, 3, 5], [1, 3, 2, 0, 1], [1.0, 2, 3, 4, 5], [3, 4], stop_gradient=stop
    )


def other():
    return proa.sparse.sparse_coo_tensor([[0, 1], [0, 2]], [10.0, 20.0], [3, 3])


def close(got, want):
    array = got.numpy()
    assert array.shape == np.shape(want)
    np.testing.assert_allclose(array, want, 1e-6, 1e-7)
