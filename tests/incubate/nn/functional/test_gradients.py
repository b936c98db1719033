from __future__ import annotations

import numpy as np

import proa
from proa.incubate.nn import functional as F

T = proa.to_tensor


def test_cross_entropy():
    prob = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]], "float32")
    out = F.cross_entropy_with_softmax_bwd_w_downcast(T([[1], [0]]), T(prob), T([[2.0], [1.0]]))
    assert out.dtype == "bfloat16"
    expected = (prob - [[0, 1, 0], [1, 0, 0]]) * [[2], [1]]
    np.testing.assert_array_equal(out.astype("float32"), expected)


def test_embedding():
    table = proa.ones([3, 2])
    same = F.embedding_grad_add_to_(T([[2, 0], [2, 2]]), table, proa.full([2, 2, 2], 0.5))
    assert same is table
    np.testing.assert_array_equal(table, [[1.5, 1.5], [1, 1], [2.5, 2.5]])
