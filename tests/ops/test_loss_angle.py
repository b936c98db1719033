from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, same, uniform

LABEL = np.array([1, 0, 2, 2])


def margins(x):
    moved = x.copy()
    rows = np.arange(4)
    moved[rows, LABEL] = np.cos(1.2 * np.arccos(x[rows, LABEL]) + 0.3) - 0.1
    log_p = log_softmax(moved * 4, -1)
    return -log_p[rows, LABEL][:, None], np.exp(log_p)


CASES = [
    Case(
        lambda x: F.margin_cross_entropy(
            x, proa.to_tensor(LABEL), 1.2, 0.3, 0.1, 4.0, return_softmax=True, reduction=None
        ),
        (uniform(-0.9, 0.9, 4, 3),),
        ref=margins,
        id="margin_cross_entropy",
        tolerance={"bfloat16": (5e-2, 5e-2)},
        reason="four times a cosine that was rounded",
    )
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_reductions_and_a_gradient_at_an_angle_of_zero():
    x = proa.to_tensor([[1.0, -1.0], [1.0, 0.0]], stop_gradient=False)
    label = proa.to_tensor([0, 0])
    whole = F.margin_cross_entropy(x, label, reduction=None)
    same(F.margin_cross_entropy(x, label), whole.numpy().mean())
    total = F.margin_cross_entropy(x, label, reduction="sum")
    same(total, whole.numpy().sum())
    total.backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_sampled_classes():
    proa.seed(3)
    label = proa.to_tensor([3, 5, 3])
    places, classes = F.class_center_sample(label, 10, 4)
    assert places.tolist() == [0, 1, 0]
    drawn = classes.tolist()
    assert drawn[:2] == [3, 5]
    assert len(set(drawn)) == 4
    assert drawn[2] < drawn[3] < 10
    assert F.class_center_sample(label, 10, 1)[1].tolist() == [3, 5]


def test_beams_are_followed_back():
    ids = [[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]]
    parents = [[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]]
    found = F.gather_tree(proa.to_tensor(ids), proa.to_tensor(parents))
    # What paddle 3.3.1 gives.
    assert found.tolist() == [[[2, 2], [1, 6]], [[3, 3], [6, 1]], [[0, 1], [9, 0]]]


X = proa.zeros([2, 3])
L = proa.to_tensor([0, 1])
ERRORS = [
    (lambda: F.margin_cross_entropy(X, L, reduction="avg"), "`reduction`"),
    (lambda: F.margin_cross_entropy(X, L + 2), "`label` of `margin_cross_entropy` holds 3"),
    (lambda: F.margin_cross_entropy(X, proa.to_tensor([0])), "one label per row"),
    (lambda: F.class_center_sample(L, 10, 11), "num_samples=11"),
    (lambda: F.class_center_sample(L, 1, 1), "`label` of `class_center_sample` holds 1"),
    (lambda: F.gather_tree(L, L), "\\[time, batch, beam\\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
