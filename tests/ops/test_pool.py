from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, distinct, randn, same


def pooled(x, kernel, stride, padding, reduce, last=False):
    """The definition: `reduce` of the input elements in each window."""
    rank = x.ndim - 2
    kernel, stride, padding = (np.broadcast_to(v, rank) for v in (kernel, stride, padding))
    x = np.moveaxis(x, -1, 1) if last else x
    sizes = x.shape[2:]
    counts = [
        (s + 2 * p - k) // t + 1 for s, p, k, t in zip(sizes, padding, kernel, stride, strict=True)
    ]
    y = np.zeros((*x.shape[:2], *counts))
    for place in itertools.product(*map(range, counts)):
        starts = [i * t - p for i, t, p in zip(place, stride, padding, strict=True)]
        window = tuple(
            slice(max(a, 0), min(a + k, s)) for a, k, s in zip(starts, kernel, sizes, strict=True)
        )
        part = x[(slice(None), slice(None), *window)]
        y[(slice(None), slice(None), *place)] = reduce(part.reshape(*x.shape[:2], -1))
    return np.moveaxis(y, 1, -1) if last else y


def largest(part):
    return part.max(-1)


def mean(part):
    return part.mean(-1)


CASES = [
    Case(F.max_pool1d, (distinct(4, 2, 6), 2), ref=lambda x, k: pooled(x, k, k, 0, largest)),
    Case(F.max_pool2d, (distinct(4, 2, 5, 6), 3, 2, 1), ref=lambda x, *a: pooled(x, *a, largest)),
    Case(
        lambda x: F.max_pool2d(x, [2, 3], [1, 2], data_format="NHWC"),
        (distinct(4, 4, 5, 2),),
        ref=lambda x: pooled(x, [2, 3], [1, 2], 0, largest, last=True),
        id="max_pool2d_nhwc",
    ),
    Case(
        F.max_pool3d,
        (distinct(4, 1, 4, 4, 2), 2, 2),
        ref=lambda x, *a: pooled(x, *a, 0, largest),
        low=(),
    ),
    Case(F.avg_pool1d, (randn(4, 2, 6), 2, 2), ref=lambda x, *a: pooled(x, *a, 0, mean)),
    Case(F.avg_pool2d, (randn(4, 2, 5, 6), 3, 2, 1), ref=lambda x, *a: pooled(x, *a, mean)),
    Case(
        lambda x: F.avg_pool2d(x, 4, 1, 1, data_format="NHWC"),
        (randn(4, 5, 4, 2),),
        ref=lambda x: pooled(x, 4, 1, 1, mean, last=True),
        id="avg_pool2d_nhwc",
    ),
    Case(
        F.avg_pool3d,
        (randn(4, 1, 4, 4, 2), 2, 2),
        ref=lambda x, *a: pooled(x, *a, 0, mean),
        low=(),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_mask_names_the_winners():
    x = distinct(2, 2, 5, 6)
    values, mask = F.max_pool2d(proa.to_tensor(x), 3, 2, 1, return_mask=True)
    assert mask.dtype.name == "int32"
    flat = x.reshape(2, 2, 30)
    picked = np.take_along_axis(flat, mask.numpy().reshape(2, 2, -1), axis=2)
    same(values, picked.reshape(values.shape))
    same(values, pooled(x, 3, 2, 1, largest))


def test_first_of_equal_maxima_gets_the_gradient():
    x = proa.ones([1, 1, 2, 3])
    x.stop_gradient = False
    values, mask = F.max_pool2d(x, 2, 1, return_mask=True)
    (values * proa.to_tensor([[[[1.0, 10.0]]]])).sum().backward()
    same(x.grad, [[[[1, 10, 0], [0, 0, 0]]]])
    same(mask, [[[[0, 1]]]])


def test_nan_wins_and_integers_pool():
    same(F.max_pool1d(proa.to_tensor([[[1.0, math.nan, 2.0, 3.0]]]), 2), [[[math.nan, 3.0]]])
    got = F.max_pool1d(proa.to_tensor([[[-5, -7, -9]]], dtype="int32"), 2, 1, 1)
    same(got, [[[-5, -5, -7, -9]]], "int32")


def test_divisor_and_padding_that_counts():
    x = proa.ones([1, 1, 2, 2])
    same(F.avg_pool2d(x, 2, 1, 1, exclusive=False)[0, 0, 0], [0.25, 0.5, 0.25])
    same(F.avg_pool2d(x, 2, 1, 1, divisor_override=2)[0, 0, 0], [0.5, 1, 0.5])


def test_same_padding():
    # Values of Paddle 3.3.1.
    x = proa.arange(1, 17, dtype="float32").reshape([1, 1, 4, 4])
    same(F.avg_pool2d(x, 3, 2, "SAME")[0, 0], [[6, 7.5], [12, 13.5]])
    same(F.max_pool2d(x, 3, 2, "SAME")[0, 0], [[11, 12], [15, 16]])


def test_windows_of_an_unknown_size_that_others_came_before():
    # Whether `(w - 1) // 2 - 1` is at least 0 has no answer for an unknown `w`.
    width = (proa.program.make_dimension("w") - 1) // 2
    with proa.program.recording() as recorder:
        x = recorder.add_input((1, 1, 4, width), np.float32, "x")
        assert F.avg_pool2d(x, 2, 2).shape == [1, 1, 2, (width - 2) // 2 + 1]


X = proa.zeros([1, 1, 4, 4])
ERRORS = [
    (lambda: F.max_pool2d(X, 2, 2, 2), "padding below the kernel"),
    (lambda: F.max_pool2d(X, 5), "windows no larger than the padded input"),
    (lambda: F.max_pool2d(X, 0), "`kernel_size` of `max_pool2d` is 0"),
    (lambda: F.max_pool2d(X, [1, 2], data_format="NHWC", return_mask=True), "channels first"),
    (lambda: F.avg_pool2d(X, 2, divisor_override=0), "`divisor_override` of `avg_pool2d`"),
    (lambda: F.avg_pool1d(X, 2), "3 axes"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
