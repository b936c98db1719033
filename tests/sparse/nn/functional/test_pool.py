from __future__ import annotations

import numpy as np
import pytest

import proa

F = proa.sparse.nn.functional


def sample(dtype="float32"):
    # From Paddle 3.3.1, as are the expected values below.
    rows = [[[0, 1], [2, 0], [2, 0]], [[1, 1], [0, 0], [2, 2]], [[0, 1], [0, 0], [0, 3]]]
    return proa.to_tensor(np.array(rows, dtype).reshape(1, 1, 3, 3, 2), stop_gradient=False)


def test_equal_largest_values_all_get_the_gradient():
    x = sample()
    made = F.max_pool3d(x.to_sparse_coo(4), [1, 2, 2], 1)
    assert made.shape == [1, 1, 2, 2, 2]
    assert made.values().tolist() == [[2, 1], [2, 2], [1, 1], [2, 3]]
    made.values().sum().backward()
    assert x.grad.reshape([3, 3, 2]).tolist() == [
        [[0, 1], [2, 0], [1, 0]],
        [[1, 2], [0, 0], [2, 1]],
        [[0, 1], [0, 0], [0, 1]],
    ]


def test_what_is_not_stored_has_no_part():
    x = proa.sparse.sparse_coo_tensor([[0], [0], [1], [1]], [[-3.0]], [1, 1, 4, 4, 1])
    made = F.max_pool3d(x, [1, 2, 2])
    assert made.values().tolist() == [[-3.0]]
    assert made.indices().tolist() == [[0], [0], [0], [0]]


@pytest.mark.parametrize(("ceil", "extent"), [(False, 1), (True, 2)])
def test_incomplete_windows(ceil, extent):
    x = sample().detach().to_sparse_coo(4)
    assert F.max_pool3d(x, [1, 2, 2], 2, 0, ceil).shape == [1, 1, extent, extent, 2]


def test_integers():
    x = sample("int32").detach().to_sparse_coo(4)
    assert F.max_pool3d(x, [1, 3, 3]).values().tolist() == [[2, 3]]
