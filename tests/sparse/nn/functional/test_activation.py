from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.sparse.samples import CSR, close, coo, csr

F = proa.sparse.nn.functional


def softmax(array, axis):
    powers = np.where(array != 0, np.exp(array), 0)
    return powers / powers.sum(axis, keepdims=True)


@pytest.mark.parametrize("axis", [-1, 0])
def test_softmax(axis):
    close(F.softmax(csr(), axis), softmax(CSR, axis))
    close(F.softmax(csr().to_sparse_coo(2), axis), softmax(CSR, axis))


def test_softmax_of_large_values_and_its_gradient():
    x = proa.sparse.sparse_csr_tensor([0, 2], [0, 1], [1000.0, 1000.0], stop_gradient=False)
    F.softmax(x).backward(proa.sparse.sparse_csr_tensor([0, 2], [0, 1], [1.0, 0.0]))
    assert x.grad.values().tolist() == [0.25, -0.25]


def test_softmax_of_nothing_seen():
    x = proa.sparse.sparse_csr_tensor([0, 1], [0], [-np.inf])
    assert F.softmax(x).values().tolist() == [0.0]


def test_rectifiers():
    x = proa.sparse.sparse_coo_tensor([[0, 1, 2]], [-2.0, 3.0, 8.0], [3])
    assert F.relu(x).values().tolist() == [0.0, 3.0, 8.0]
    assert F.relu6(x).values().tolist() == [0.0, 3.0, 6.0]
    close(F.leaky_relu(x).values(), [-0.02, 3.0, 8.0])


def test_no_such_axis():
    with pytest.raises(InvalidArgumentError, match="`axis` 2"):
        F.softmax(coo(), 2)
