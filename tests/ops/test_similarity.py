from __future__ import annotations

import math

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, distinct, randn, same


def norm(x, p, axis):
    return np.linalg.norm(x, p, axis)


def cosine(a, b):
    return (a * b).sum(1) / (norm(a, 2, 1) * norm(b, 2, 1))


CASES = [
    Case(F.normalize, (randn(4, 3),), ref=lambda x: x / norm(x, 2, 1)[:, None]),
    Case(F.normalize, (randn(4, 3), 3.0, 0), ref=lambda x, p, a: x / norm(x, p, a)),
    Case(F.cosine_similarity, (randn(4, 3), randn(4, 3)), ref=cosine),
    Case(
        F.pairwise_distance,
        (randn(4, 3), randn(3)),
        ref=lambda a, b: norm(a - b + 1e-6, 2, 1),
    ),
    Case(
        F.pairwise_distance,
        (distinct(4, 3), randn(4, 3) / 100, math.inf, 0.0, True),
        ref=lambda a, b, *_: np.abs(a - b).max(1, keepdims=True),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_zero_vectors_have_finite_values_and_gradients(p):
    x = proa.zeros([2, 3])
    x.stop_gradient = False
    y = F.normalize(x, p)
    same(y, np.zeros((2, 3)))
    F.pairwise_distance(x, proa.zeros([2, 3]), p, 0.0).sum().backward()
    same(x.grad, np.zeros((2, 3)))


def test_orders_of_the_norm():
    a, b = proa.to_tensor([3.0, -4.0, 0.0]), proa.zeros([3])
    for p, wanted in ((0, 2), (1, 7), (2, 5), (math.inf, 4), (-math.inf, 0)):
        same(F.pairwise_distance(a, b, p, 0.0), wanted)


def test_opposite_and_empty_vectors():
    a = proa.to_tensor([[3.0, 4.0], [0.0, 0.0]])
    same(F.cosine_similarity(a, -a), [-1, 0])


def test_normalize_a_vector_into_another():
    out = proa.zeros([2])
    assert F.normalize(proa.to_tensor([3.0, 4.0]), out=out) is out
    same(out, [0.6, 0.8])


def test_errors():
    with pytest.raises(proa.core.OutOfRangeError, match="`axis` of `normalize` is 2"):
        F.normalize(proa.zeros([2, 2]), axis=2)
    with pytest.raises(proa.core.OutOfRangeError, match="`axis` of `cosine_similarity`"):
        F.cosine_similarity(proa.zeros([2]), proa.zeros([2]))
    with pytest.raises(proa.core.InvalidArgumentError, match="0-d tensors"):
        F.pairwise_distance(proa.zeros([]), proa.zeros([]))
