from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, positive, randn, same, uniform


def huber(x, y, delta):
    z = np.abs(x - y)
    return np.where(z < delta, z**2 / 2, delta * (z - delta / 2)).mean()


def stirling(y):
    return np.where(y > 1, y * np.log(y) - y + np.log(2 * np.pi * y) / 2, 0)


CASES = [
    Case(F.mse_loss, (randn(4, 3), randn(4, 3)), ref=lambda x, y: ((x - y) ** 2).mean()),
    Case(F.square_error_cost, (randn(4, 3), randn(4, 3)), ref=lambda x, y: (x - y) ** 2),
    Case(
        lambda x, y: F.l1_loss(x, y, "sum"),
        (randn(4, 3), randn(4, 3)),
        ref=lambda x, y: np.abs(x - y).sum(),
        id="l1_loss",
    ),
    Case(
        lambda x, y: F.smooth_l1_loss(x, y, delta=0.5),
        (randn(4, 3), randn(4, 3)),
        ref=lambda x, y: huber(x, y, 0.5),
        id="smooth_l1_loss",
    ),
    Case(
        lambda x, y: F.smooth_l1_loss(x, y, delta=0.5, is_huber=False),
        (randn(4, 3), randn(4, 3)),
        ref=lambda x, y: huber(x, y, 0.5) / 0.5,
        id="smooth_l1_loss",
    ),
    Case(
        F.log_loss,
        (uniform(0.1, 0.9, 4, 1), uniform(0.1, 0.9, 4, 1)),
        ref=lambda x, y: -y * np.log(x + 1e-4) - (1 - y) * np.log(1 - x + 1e-4),
    ),
    Case(
        F.kl_div,
        (randn(4, 3), uniform(0.1, 0.9, 4, 3)),
        ref=lambda x, y: (y * (np.log(y) - x)).mean(),
    ),
    Case(
        F.kl_div,
        (randn(4, 3), randn(4, 3), "batchmean", True),
        ref=lambda x, y, *_: (np.exp(y) * (y - x)).sum() / 4,
    ),
    Case(
        F.poisson_nll_loss,
        (randn(4, 3), positive(4, 3) * 2, True, True),
        ref=lambda x, y, *_: (np.exp(x) - y * x + stirling(y)).mean(),
    ),
    Case(
        F.poisson_nll_loss,
        (positive(4, 3), positive(4, 3), False),
        ref=lambda x, y, _: (x - y * np.log(x + 1e-8)).mean(),
    ),
    Case(
        F.gaussian_nll_loss,
        (randn(4, 3), randn(4, 3), positive(4, 1), True),
        ref=lambda x, y, v, _: ((np.log(v * 2 * np.pi) + (x - y) ** 2 / v) / 2).mean(),
        low=("bfloat16",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_kl_div_of_zero_probability():
    label = proa.to_tensor([0.0, 1.0], stop_gradient=False)
    x = proa.to_tensor([-1.0, -2.0], stop_gradient=False)
    loss = F.kl_div(x, label, "sum")
    same(loss, 2.0)
    loss.backward()
    same(x.grad, [0, -1])


def test_l1_gradient_at_equality_is_zero():
    x = proa.to_tensor([1.0], stop_gradient=False)
    F.l1_loss(x, proa.to_tensor([1.0])).backward()
    same(x.grad, [0.0])


def test_variance_below_epsilon_keeps_a_gradient():
    variance = proa.zeros([1])
    variance.stop_gradient = False
    loss = F.gaussian_nll_loss(proa.ones([1]), proa.ones([1]), variance, epsilon=0.5)
    same(loss, np.log(0.5) / 2)
    loss.backward()
    same(variance.grad, [1.0])


X = proa.ones([2])
ERRORS = [
    (lambda: F.mse_loss(X, X, "avg"), "`reduction` of `mse_loss` is 'avg'"),
    (lambda: F.smooth_l1_loss(X, X, delta=0.0), "`delta` of `smooth_l1_loss`"),
    (lambda: F.poisson_nll_loss(X, X, epsilon=0.0), "`epsilon` of `poisson_nll_loss`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
