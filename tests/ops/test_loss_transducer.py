from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same

LABEL = np.array([[1, 2], [3, 1], [2, 0], [0, 0]])
LENGTHS = np.array([3, 2, 3, 1]), np.array([2, 1, 1, 0])


def enumerated(log_p, label, times, lengths, blank=0):
    """Sums the probability of every order of steps in time and labels."""
    losses = []
    for b, (time, length) in enumerate(zip(times, lengths, strict=True)):
        total = 0.0
        for order in itertools.combinations(range(time - 1 + length), length):
            t = u = 0
            value = 0.0
            for place in range(time - 1 + length):
                emits = place in order
                value += log_p[b, t, u, label[b, u] if emits else blank]
                t, u = (t, u + 1) if emits else (t + 1, u)
            total += np.exp(value + log_p[b, t, u, blank])
        losses.append(-np.log(total))
    return np.array(losses)


CASES = [
    Case(
        lambda x, *given: F.rnnt_loss(x, *given, fastemit_lambda=0.0, reduction="none"),
        (randn(4, 3, 3, 4), LABEL, *LENGTHS),
        ref=enumerated,
        id="rnnt_loss",
        tolerance={"float32": (1e-5, 4e-6)},
        reason="a chain of logarithms of sums",
    )
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def given():
    x = proa.to_tensor(np.sin(np.arange(72)).reshape(2, 3, 3, 4), "float32", stop_gradient=False)
    return x, *(proa.to_tensor(a) for a in ([[1, 2], [3, 1]], [3, 2], [2, 1]))


def test_values_of_paddle():
    same(F.rnnt_loss(*given(), reduction="none"), np.float32([-3.30794930, -2.81888175]))
    same(F.rnnt_loss(*given(), reduction="sum"), np.float32(-6.12683105))
    same(F.rnnt_loss(*given()), np.float32(-3.06341553))


def test_labels_have_larger_gradients_with_fast_emission():
    found = []
    for share in (0.0, 0.5):
        x, *rest = given()
        F.rnnt_loss(x, *rest, fastemit_lambda=share).backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(found[1][..., 0], found[0][..., 0], rtol=1e-5)
    np.testing.assert_allclose(found[1][..., 1:], found[0][..., 1:] * 1.5, rtol=1e-5)
    np.testing.assert_allclose(found[0][0, 0, 0], [-0.0763898, -0.4236102, 0, 0], rtol=1e-5)


X = proa.zeros([1, 3, 3, 4])


def call(x=X, label=((1, 2),), times=(3,), lengths=(2,), **settings):
    return F.rnnt_loss(x, *(proa.to_tensor(a) for a in (label, times, lengths)), **settings)


ERRORS = [
    (lambda: call(label=((1, 4),)), "`label` of `rnnt_loss` holds 4"),
    (lambda: call(times=(4,)), "`input_lengths` of `rnnt_loss`"),
    (lambda: call(lengths=(3,)), "`label_lengths` of `rnnt_loss`"),
    (lambda: call(blank=4), "`blank` of `rnnt_loss` is 4"),
    (lambda: call(label=((1, 2, 3),)), "labels \\+ 1"),
    (lambda: call(reduction="avg"), "`reduction`"),
]


@pytest.mark.parametrize(("function", "match"), ERRORS)
def test_errors(function, match):
    with pytest.raises(proa.core.ProaError, match=match):
        function()
