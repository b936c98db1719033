from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import log_softmax

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same


def spelled(path, blank):
    kept = [c for c, before in zip(path, (None, *path[:-1]), strict=True) if c != before]
    return [c for c in kept if c != blank]


def enumerated(x, labels, input_lengths, label_lengths, blank=0):
    """Sums the probability of every path that spells the label."""
    log_p = log_softmax(x, -1)
    losses = []
    for b in range(x.shape[1]):
        wanted = list(labels[b, : label_lengths[b]])
        time = input_lengths[b]
        total = sum(
            np.exp(log_p[np.arange(time), b, list(path)].sum())
            for path in itertools.product(range(x.shape[2]), repeat=int(time))
            if spelled(path, blank) == wanted
        )
        losses.append(-np.log(total))
    return np.array(losses)


LABELS = np.array([[1, 2], [2, 2], [1, 0], [0, 0]])
LENGTHS = np.array([4, 4, 3, 2]), np.array([2, 2, 1, 0])
CASES = [
    Case(
        lambda x, *given: F.ctc_loss(x, *given, reduction="none"),
        (randn(4, 4, 3), LABELS, *LENGTHS),
        ref=enumerated,
        id="ctc_loss",
        tolerance={"float32": (1e-5, 2e-6), "second": (1e-4, 1e-6)},
        reason="a chain of logarithms of sums",
    )
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def tensors(*values):
    return tuple(proa.to_tensor(v) for v in values)


def test_impossible_alignment():
    # PT#14401, PT#14335, captcha_break#29: a repeated class needs a blank between.
    for zero, wanted in ((False, np.inf), (True, 0.0)):
        x = proa.zeros([2, 1, 3])
        x.stop_gradient = False
        given = tensors([[1, 1]], [2], [2])
        loss = F.ctc_loss(x, *given, reduction="none", zero_infinity=zero)
        same(loss, [wanted])
        loss.sum().backward()
        same(x.grad, np.zeros((2, 1, 3)))


def test_mean_divides_by_the_label_length():
    x, given = proa.zeros([4, 1, 3]), tensors([[1, 2]], [4], [2])
    same(F.ctc_loss(x, *given, reduction="none"), [1.6863989535702288])
    same(F.ctc_loss(x, *given), 1.6863989535702288 / 2)
    same(F.ctc_loss(x, *given, reduction="sum"), 1.6863989535702288)


def test_another_blank():
    x = randn(4, 4, 3)
    labels = np.array([[0, 1], [1, 1], [0, 9], [0, 0]])
    got = F.ctc_loss(*tensors(x, labels, *LENGTHS), blank=2, reduction="none")
    same(got, enumerated(x, labels, *LENGTHS, blank=2))


def test_gradients_divided_by_time():
    x = randn(4, 1, 3)
    gradients = []
    for divided in (False, True):
        logits = proa.to_tensor(x, stop_gradient=False)
        given = tensors([[1, 2]], [4], [2])
        F.ctc_loss(logits, *given, reduction="sum", norm_by_times=divided).backward()
        gradients.append(logits.grad.numpy())
    same(gradients[1], gradients[0] / 4)


X = proa.zeros([4, 1, 3])
ERRORS = [
    (lambda: F.ctc_loss(X, *tensors([[1, 3]], [4], [2])), "`labels` of `ctc_loss` holds 3"),
    (lambda: F.ctc_loss(X, *tensors([[1, 2]], [5], [2])), "`input_lengths` of `ctc_loss`"),
    (lambda: F.ctc_loss(X, *tensors([[1, 2]], [4], [3])), "`label_lengths` of `ctc_loss`"),
    (lambda: F.ctc_loss(X, *tensors([[1, 2]], [4], [2]), blank=3), "`blank` of `ctc_loss` is 3"),
    (lambda: F.ctc_loss(X, *tensors([1, 2], [4], [2])), "labels \\[batch, longest\\]"),
    (lambda: F.ctc_loss(X, *tensors([[1]], [4], [1]), reduction="avg"), "`reduction`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
