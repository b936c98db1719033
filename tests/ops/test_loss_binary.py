from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, ints, positive, randn, same, uniform


def entropy(p, y):
    return -(y * np.log(p) + (1 - y) * np.log(1 - p))


def focal(x, y, normalizer, alpha, gamma):
    p = expit(x)
    missed = p * (1 - y) + (1 - p) * y
    return (entropy(p, y) * missed**gamma * (alpha * y + (1 - alpha) * (1 - y)) / normalizer).sum()


def dice(p, y):
    hot = np.eye(3)[y[..., 0]]
    overlap, total = (p * hot).sum((1, 2)), (p + hot).sum((1, 2))
    return (1 - 2 * overlap / (total + 1e-5)).mean()


P, Y = uniform(0.1, 0.9, 4, 3), uniform(0.1, 0.9, 4, 3)
SIGNS = np.where(randn(4, 3) > 0, 1.0, -1.0)
CASES = [
    Case(
        F.binary_cross_entropy,
        (P, Y, positive(4, 3)),
        ref=lambda p, y, w: (entropy(p, y) * w).mean(),
    ),
    Case(
        lambda x, y, w, v: F.binary_cross_entropy_with_logits(x, y, w, "sum", v),
        (randn(4, 3), Y, positive(4, 3), positive(3)),
        ref=lambda x, y, w, v: (
            -w * (v * y * np.log(expit(x)) + (1 - y) * np.log(expit(-x)))
        ).sum(),
        id="binary_cross_entropy_with_logits",
        # The factor of the positive side is 1 + (pos_weight - 1) * label, as in Paddle.
        no_grad=(1, 3),
    ),
    Case(F.sigmoid_focal_loss, (randn(4, 3), Y, np.array([2.0]), 0.3, 2.0), ref=focal),
    Case(
        F.soft_margin_loss,
        (randn(4, 3), SIGNS),
        ref=lambda x, y: np.log1p(np.exp(-y * x)).mean(),
        no_grad=(1,),
    ),
    Case(
        F.multi_label_soft_margin_loss,
        (randn(4, 3), (SIGNS > 0).astype(float), positive(3)),
        ref=lambda x, y, w: (entropy(expit(x), y) * w).mean(),
        no_grad=(1,),
    ),
    Case(F.dice_loss, (uniform(0.1, 0.9, 4, 2, 3), ints(0, 3, 4, 2, 1)), ref=dice),
]
# With soft labels the weighted side is (1 + (v - 1) y) log(1 + exp(-x)); take hard ones.
CASES[1].args = (CASES[1].args[0], (SIGNS > 0).astype(float), *CASES[1].args[2:])


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_soft_labels_with_weight_of_positives():
    # Value of Paddle 3.3.1.
    x, y, v = (proa.to_tensor([value]) for value in (1.3, 0.4, 2.5))
    same(F.binary_cross_entropy_with_logits(x, y, pos_weight=v), 1.1656135261327876)


def test_certain_probabilities_stay_finite():
    p = proa.to_tensor([0.0, 1.0, 0.0, 1.0], stop_gradient=False)
    loss = F.binary_cross_entropy(p, proa.to_tensor([0.0, 1.0, 1.0, 0.0]), reduction="none")
    same(loss, [0, 0, 100, 100])
    loss.sum().backward()
    assert np.isfinite(p.grad.numpy()).all()


def test_large_logits_stay_finite():
    x = proa.to_tensor([-1e4, 1e4], stop_gradient=False)
    loss = F.binary_cross_entropy_with_logits(x, proa.to_tensor([1.0, 1.0]), reduction="none")
    same(loss, [1e4, 0])
    loss.sum().backward()
    same(x.grad, [-1, 0])


def test_focal_loss_without_alpha():
    x, y = proa.to_tensor(randn(3)), proa.to_tensor([1.0, 0.0, 1.0], dtype="float64")
    plain = F.sigmoid_focal_loss(x, y, alpha=-1.0, gamma=0.0)
    same(plain, F.binary_cross_entropy_with_logits(x, y, reduction="sum").numpy())


A, B = proa.zeros([2, 3]), proa.zeros([3, 2])
ERRORS = [
    (lambda: F.binary_cross_entropy(A, B), "a silent broadcast would change the loss"),
    (lambda: F.binary_cross_entropy_with_logits(A, B), "equal shapes"),
    (lambda: F.sigmoid_focal_loss(A, A, gamma=-1.0), "`gamma` of `sigmoid_focal_loss`"),
    (lambda: F.dice_loss(A, proa.zeros([2], "int64")), "label \\[N, ..., 1\\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
