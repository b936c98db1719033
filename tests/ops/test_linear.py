from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same


def padded_rows(ids, weight, padding):
    return np.where((ids == padding % len(weight))[..., None], 0, weight[ids])


CASES = [
    Case(F.linear, (randn(4, 2, 3), randn(3, 5), randn(5)), ref=lambda x, w, b: x @ w + b),
    Case(
        F.bilinear,
        (randn(4, 3), randn(4, 2), randn(5, 3, 2), randn(1, 5)),
        ref=lambda a, b, w, c: np.einsum("ni,oij,nj->no", a, w, b) + c,
        tolerance={"float32": (1e-5, 5e-6), "compiled": (1e-5, 5e-6), "sharded": (1e-5, 5e-6)},
        reason="sums of products near zero",
    ),
    Case(F.embedding, (ints(0, 5, 4, 2), randn(5, 3)), ref=lambda i, w: w[i]),
    Case(F.embedding, (ints(0, 5, 4, 2), randn(5, 3), -2), ref=padded_rows),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_linear_of_a_vector_and_of_nothing():
    same(F.linear(proa.ones([3]), proa.ones([3, 2])), [3, 3])
    assert F.linear(proa.ones([0, 3]), proa.ones([3, 2])).shape == [0, 2]
    same(F.linear(proa.ones([2, 0]), proa.ones([0, 2])), np.zeros((2, 2)))


def test_embedding_out_of_range_raises():
    # P PR#79560, torchax PR#11, PT#26302, PT#28716.
    weight = proa.to_tensor(np.arange(12.0).reshape(4, 3))
    for ids, bad in (([-1], -1), ([0, 4], 4)):
        for padding in (None, 1):
            with pytest.raises(proa.core.OutOfRangeError, match=f"`x` of `embedding` holds {bad}"):
                F.embedding(proa.to_tensor(ids), weight, padding_idx=padding)


def test_embedding_padding_row_has_no_gradient():
    # P PR#79560: only the padding row's gradient is zero.
    weight = proa.ones([4, 3])
    weight.stop_gradient = False
    out = F.embedding(proa.to_tensor([1, 1, 2]), weight, padding_idx=1)
    same(out, [[0] * 3, [0] * 3, [1] * 3])
    out.sum().backward()
    same(weight.grad, [[0] * 3, [0] * 3, [1] * 3, [0] * 3])


def test_embedding_scales_rows_in_place():
    weight = proa.to_tensor([[3.0, 4.0], [6.0, 8.0], [0.1, 0.0]], stop_gradient=False)
    out = F.embedding(proa.to_tensor([1, 2]), weight, max_norm=1.0)
    same(out, [[0.6, 0.8], [0.1, 0.0]])
    same(weight, [[3.0, 4.0], [0.6, 0.8], [0.1, 0.0]])


def test_embedding_gradient_by_frequency():
    weight = proa.ones([3, 2])
    weight.stop_gradient = False
    F.embedding(proa.to_tensor([1, 1, 2]), weight, scale_grad_by_freq=True).sum().backward()
    same(weight.grad, [[0, 0], [1, 1], [1, 1]])


ROWS = proa.zeros([4, 3])
ERRORS = [
    (lambda: F.linear(proa.zeros([2, 4]), proa.zeros([3, 2])), "weight \\[I, O\\]"),
    (lambda: F.linear(proa.zeros([2, 3]), proa.zeros([3, 2]), ROWS), "`bias` of `linear`"),
    (lambda: F.bilinear(ROWS, ROWS, proa.zeros([2, 3, 4])), "x1 \\[N, I\\]"),
    (lambda: F.embedding(proa.to_tensor([0.5]), ROWS), "an integer tensor of ids"),
    (lambda: F.embedding(proa.to_tensor([0]), ROWS, 4), "`padding_idx` of `embedding` is 4"),
    (lambda: F.embedding(proa.to_tensor([0]), proa.zeros([3])), "a Tensor of shape \\[V, D\\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
