from __future__ import annotations

import numpy as np
import pytest
import scipy.special as reference

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, distinct, randn, same


def silu(v):
    return v * reference.expit(v)


def gated(v, axis=-1):
    first, second = np.split(v, 2, axis)
    return first * reference.expit(second)


CASES = [
    Case(F.softmax, (randn(4, 3),), ref=lambda v: reference.softmax(v, -1)),
    Case(F.softmax, (randn(4, 3), 0), ref=reference.softmax),
    Case(F.log_softmax, (randn(4, 3),), ref=lambda v: reference.log_softmax(v, -1)),
    Case(F.glu, (randn(4, 6),), ref=gated),
    Case(F.swiglu, (randn(4, 3), randn(4, 3)), ref=lambda a, b: silu(a) * b),
    Case(F.swiglu, (randn(4, 6),), ref=lambda v: silu(v[:, :3]) * v[:, 3:]),
    Case(
        F.maxout,
        (distinct(4, 6, 2), 3),
        ref=lambda v, g: v.reshape(4, 2, 3, 2).max(2),
    ),
    Case(
        F.prelu,
        (randn(4, 3, 2), randn(3)),
        ref=lambda v, w: np.where(v > 0, v, w[:, None] * v),
    ),
    Case(F.prelu, (randn(4, 3), randn(1)), ref=lambda v, w: np.where(v > 0, v, w * v)),
    Case(
        lambda v: F.rrelu(v, 0.1, 0.3, training=False),
        (randn(4, 3),),
        ref=lambda v: np.where(v > 0, v, 0.2 * v),
        id="rrelu_inference",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_large_logits_and_dtype():
    same(F.softmax(proa.to_tensor([1000.0, 1000.0])), [0.5, 0.5])
    same(F.log_softmax(proa.to_tensor([-1e4, 0.0])), [-1e4, 0.0])
    same(F.softmax(proa.to_tensor([1, 1]), dtype="float64"), [0.5, 0.5], "float64")
    same(F.softmax(proa.to_tensor(3.0)), 1.0)


def test_softmax_in_place_method_and_out():
    v = proa.to_tensor([1.0, 1.0])
    same(v.softmax(), [0.5, 0.5])
    # Without a named axis as paddle 3.3.1: axis 0 of 0, 1 or 3 axes, else axis 1.
    for shape, axis in (([2, 4], 1), ([2, 1, 1], 0), ([1, 2, 4, 1], 1)):
        same(proa.softmax(proa.ones(shape)), np.full(shape, 1 / shape[axis]))
    out = proa.zeros([2])
    assert F.softmax(v, out=out) is out
    same(out, [0.5, 0.5])
    assert F.softmax_(v) is v
    same(v, [0.5, 0.5])


def test_rrelu_draws_slopes_in_range():
    proa.seed(3)
    v = -proa.ones([4000])
    slopes = -F.rrelu(v, 0.1, 0.3).numpy()
    assert slopes.min() >= 0.1
    assert slopes.max() < 0.3
    assert abs(slopes.mean() - 0.2) < 0.005


def test_gumbel_softmax_samples_the_distribution():
    proa.seed(5)
    logits = proa.to_tensor(np.log(np.tile([0.1, 0.2, 0.7], (4000, 1))))
    logits.stop_gradient = False
    hard = F.gumbel_softmax(logits, hard=True)
    assert sorted(np.unique(hard.numpy())) == [0.0, 1.0]
    np.testing.assert_allclose(hard.numpy().mean(0), [0.1, 0.2, 0.7], atol=0.03)
    (hard * proa.to_tensor([1.0, 2.0, 3.0])).sum().backward()
    assert np.abs(logits.grad.numpy()).max() > 0
    soft = F.gumbel_softmax(logits, temperature=0.5)
    np.testing.assert_allclose(soft.numpy().sum(1), np.ones(4000), rtol=1e-5)


V = proa.zeros([2, 3])
ERRORS = [
    (lambda: F.softmax(V, 2), "`axis` of `softmax` is 2"),
    (lambda: F.glu(V), "an even extent"),
    (lambda: F.maxout(V, 2), "groups=2"),
    (lambda: F.prelu(V, proa.zeros([2])), "one slope, or one per channel"),
    (lambda: F.rrelu(V, 0.5, 0.1), "lower=0.5 and upper=0.1"),
    (lambda: F.gumbel_softmax(V, 0.0), "`temperature` of `gumbel_softmax`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
