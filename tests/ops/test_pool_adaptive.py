from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, distinct, positive, randn, same


def adaptive(x, targets, reduce):
    rank = x.ndim - 2
    targets = np.broadcast_to(targets, rank)
    y = np.zeros((*x.shape[:2], *targets))
    for place in itertools.product(*map(range, targets)):
        window = tuple(
            slice(i * s // n, -(-(i + 1) * s // n))
            for i, s, n in zip(place, x.shape[2:], targets, strict=True)
        )
        part = x[(slice(None), slice(None), *window)]
        y[(slice(None), slice(None), *place)] = reduce(part.reshape(*x.shape[:2], -1), -1)
    return y


def average(x, targets):
    return adaptive(x, targets, np.mean)


def largest(x, targets):
    return adaptive(x, targets, np.max)


def power_windows(x, p):
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    return (pairs**p).sum(-1) ** (1 / p)


CASES = [
    Case(F.adaptive_avg_pool1d, (randn(4, 2, 7), 3), ref=average),
    Case(F.adaptive_avg_pool2d, (randn(4, 2, 4, 5), [2, 3]), ref=average),
    Case(F.adaptive_avg_pool2d, (randn(4, 2, 4, 5), 1), ref=average),
    Case(F.adaptive_avg_pool3d, (randn(4, 1, 4, 3, 2), 2), ref=average, low=()),
    Case(F.adaptive_max_pool1d, (distinct(4, 2, 7), 3), ref=largest),
    Case(F.adaptive_max_pool2d, (distinct(4, 2, 4, 6), 2), ref=largest),
    Case(F.adaptive_max_pool3d, (distinct(4, 1, 4, 3, 2), 1), ref=largest, low=()),
    Case(F.adaptive_max_pool3d, (distinct(4, 1, 4, 3, 2), 2), ref=largest, low=()),
    Case(F.lp_pool1d, (positive(4, 2, 6), 3.0, 2), ref=lambda x, p, k: power_windows(x, p)),
    Case(
        F.lp_pool2d,
        (randn(4, 2, 1, 4), 2.0, [1, 2]),
        ref=lambda x, p, k: power_windows(x, p),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("targets", [[2, 3], [3, 4]])
def test_mask_names_the_winners(targets):
    x = distinct(2, 2, 4, 6)
    values, mask = F.adaptive_max_pool2d(proa.to_tensor(x), targets, return_mask=True)
    picked = np.take_along_axis(x.reshape(2, 2, -1), mask.numpy().reshape(2, 2, -1), 2)
    same(values, picked.reshape(values.shape))
    same(values, largest(x, targets))
    assert mask.dtype.name == "int32"


def test_none_keeps_an_extent_and_channels_may_be_last():
    x = randn(1, 2, 4, 6)
    same(F.adaptive_avg_pool2d(proa.to_tensor(x), [None, 2]), average(x, [4, 2]))
    last = proa.to_tensor(np.moveaxis(x, 1, -1))
    got = F.adaptive_avg_pool2d(last, [2, 3], data_format="NHWC").numpy()
    same(np.moveaxis(got, -1, 1), average(x, [2, 3]))


def test_power_pool_at_its_edges():
    x = proa.to_tensor([[[3.0, -4.0, 0.0, 0.0]]], stop_gradient=False)
    y = F.lp_pool1d(x, 2.0, 2)
    same(y, [[[5.0, 0.0]]])
    y.sum().backward()
    same(x.grad, [[[0.6, -0.8, 0.0, 0.0]]])
    same(F.lp_pool1d(x, math.inf, 2), [[[3.0, 0.0]]])
    same(F.lp_pool1d(x, 1.0, 2), [[[-1.0, 0.0]]])


ERRORS = [
    (lambda: F.adaptive_avg_pool2d(proa.zeros([1, 1, 4, 4]), 0), "`output_size`"),
    (lambda: F.adaptive_max_pool2d(proa.zeros([1, 1, 4, 4]), [1, 2, 3]), "`output_size`"),
    (lambda: F.lp_pool1d(proa.zeros([1, 1, 4]), 0.0, 2), "`norm_type` of `lp_pool1d` is 0"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
