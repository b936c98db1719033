from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, ints, positive, randn, same


def hinge(x):
    return np.maximum(x, 0)


def distance(a, b, p=2):
    return (np.abs(a - b + 1e-6) ** p).sum(-1) ** (1 / p)


def cosine(a, b, y, margin):
    c = (a * b).sum(-1) / np.sqrt(((a**2).sum(-1) + 1e-12) * ((b**2).sum(-1) + 1e-12))
    return np.where(y == 1, 1 - c, hinge(c - margin)).mean()


def triplet(a, p, n, swap=True):
    far = distance(a, n)
    far = np.minimum(far, distance(p, n)) if swap else far
    return hinge(distance(a, p) - far + 3).mean()


def multi_margin(x, y, p, margin, weight):
    rows = np.arange(len(y))
    loss = hinge(margin - x[rows, y][:, None] + x) ** p
    loss[rows, y] = 0
    return (loss * weight[y][:, None]).mean()


def multi_label(x, y):
    total = 0.0
    for scores, labels in zip(x, y, strict=True):
        listed = []
        for label in labels:
            if label < 0:
                break
            listed.append(label)
        others = [j for j in range(len(scores)) if j not in listed]
        total += sum(hinge(1 - scores[i] + scores[j]) for i in listed for j in others)
    return total / x.size


def npair(a, p, labels):
    same_class = (labels[:, None] == labels[None, :]).astype(float)
    target = same_class / same_class.sum(1, keepdims=True)
    norms = (a**2).sum(1).mean() + (p**2).sum(1).mean()
    return -(target * log_softmax(a @ p.T, 1)).sum(1).mean() + norms * 0.25 * 0.002


SIGNS = np.array([1, -1, 1, -1])
LISTS = np.array([[1, -1, 0, 0], [0, 2, -1, -1], [3, 1, 2, 0], [-1, 0, 1, 2]])
CASES = [
    Case(
        F.margin_ranking_loss,
        (randn(4), randn(4), SIGNS, 0.3),
        ref=lambda a, b, y, m: hinge(m - y * (a - b)).mean(),
    ),
    Case(
        F.hinge_embedding_loss,
        (randn(4), SIGNS, 0.7),
        ref=lambda x, y, m: np.where(y == 1, x, hinge(m - x)).mean(),
    ),
    Case(F.cosine_embedding_loss, (randn(4, 3), randn(4, 3), SIGNS, -0.5), ref=cosine),
    Case(
        lambda a, p, n: F.triplet_margin_loss(a, p, n, 3.0, swap=True),
        (randn(4, 3), randn(4, 3), randn(4, 3)),
        ref=triplet,
        id="triplet_margin_loss",
    ),
    Case(
        lambda a, p, n: F.triplet_margin_with_distance_loss(
            a, p, n, lambda x, y: (x - y + 1e-6).square().sum(-1).sqrt(), 3.0, True
        ),
        (randn(4, 3), randn(4, 3), randn(4, 3)),
        ref=triplet,
        id="triplet_margin_with_distance_loss",
    ),
    Case(F.multi_margin_loss, (randn(4, 3), ints(0, 3, 4), 2, 0.8, positive(3)), ref=multi_margin),
    Case(F.multi_label_margin_loss, (randn(4, 4), LISTS), ref=multi_label),
    Case(F.npair_loss, (randn(4, 3), randn(4, 3), ints(0, 2, 4)), ref=npair),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_default_distance_is_the_two_norm():
    a, p, n = (proa.to_tensor(randn(3, 2)) for _ in range(3))
    got = F.triplet_margin_with_distance_loss(a, p, n, reduction="none")
    same(got, F.triplet_margin_loss(a, p, n, reduction="none").numpy())


def test_equal_points_have_finite_gradients():
    a = proa.zeros([1, 2])
    a.stop_gradient = False
    F.triplet_margin_loss(a, a, a, epsilon=0.0).backward()
    same(a.grad, [[0, 0]])


X, Y = proa.zeros([2, 3]), proa.to_tensor([0, 1])
ERRORS = [
    (lambda: F.cosine_embedding_loss(X, X[:, :2], Y), "two inputs \\[N, D\\]"),
    (lambda: F.cosine_embedding_loss(X, X, Y, margin=2.0), "a cosine in \\[-1, 1\\]"),
    (lambda: F.triplet_margin_loss(X, X, X, margin=0.0), "`margin` of `triplet_margin_loss`"),
    (
        lambda: F.triplet_margin_with_distance_loss(X, X, X, F.pairwise_distance, 0.0),
        "`margin` of `triplet_margin_with_distance_loss`",
    ),
    (lambda: F.multi_margin_loss(X, Y[:1]), "label \\[N\\]"),
    (lambda: F.multi_margin_loss(Y, Y), "label \\[N\\]"),
    (lambda: F.multi_margin_loss(X, X), "is a float32 tensor"),
    (lambda: F.multi_margin_loss(X, Y + 2), "`label` of `multi_margin_loss` holds 3"),
    (lambda: F.multi_label_margin_loss(X, Y), "with -1"),
    (lambda: F.npair_loss(X, X, proa.zeros([3])), "labels \\[N\\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
