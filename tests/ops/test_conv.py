from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same

LAST = {"NLC", "NHWC", "NDHWC"}


def convolve(x, weight, bias=None, stride=1, pads=0, dilation=1, groups=1, last=False):
    """The definition, one output element at a time."""
    rank = weight.ndim - 2
    stride, dilation = (np.broadcast_to(v, rank) for v in (stride, dilation))
    pads = (
        np.broadcast_to(np.asarray(pads).reshape(-1, 1), (rank, 2)) if np.ndim(pads) < 2 else pads
    )
    x = np.moveaxis(x, -1, 1) if last else x
    x = np.pad(x, [(0, 0), (0, 0), *(tuple(p) for p in pads)])
    kernel = weight.shape[2:]
    counts = [
        (x.shape[2 + i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(rank)
    ]
    per_group = weight.shape[1]
    outputs = weight.shape[0] // groups
    y = np.zeros((x.shape[0], weight.shape[0], *counts))
    for o in range(weight.shape[0]):
        channels = slice(o // outputs * per_group, (o // outputs + 1) * per_group)
        for place in itertools.product(*map(range, counts)):
            window = tuple(
                slice(p * s, p * s + (k - 1) * d + 1, d)
                for p, s, k, d in zip(place, stride, kernel, dilation, strict=True)
            )
            part = x[(slice(None), channels, *window)] * weight[o]
            y[(slice(None), o, *place)] = part.reshape(x.shape[0], -1).sum(1)
    if bias is not None:
        y += bias.reshape(-1, *[1] * rank)
    return np.moveaxis(y, 1, -1) if last else y


SUMS = {"float32": (1e-5, 5e-6), "compiled": (1e-5, 5e-6), "sharded": (1e-5, 5e-6)}
REASON = "sums of dozens of products near zero, in another order"
LOOSE = {"tolerance": SUMS, "reason": REASON}

CASES = [
    Case(F.conv1d, (randn(4, 4, 6), randn(3, 4, 3), randn(3)), ref=convolve, **LOOSE),
    Case(F.conv2d, (randn(4, 4, 5, 4), randn(4, 4, 3, 2), randn(4)), ref=convolve, **LOOSE),
    Case(
        lambda x, w: F.conv2d(x, w, stride=2, padding=[1, 2], dilation=[1, 2], groups=2),
        (randn(4, 4, 6, 5), randn(4, 2, 3, 2)),
        ref=lambda x, w: convolve(x, w, None, 2, [1, 2], [1, 2], 2),
        id="conv2d_strided",
        **LOOSE,
    ),
    Case(
        lambda x, w, b: F.conv2d(x, w, b, data_format="NHWC"),
        (randn(4, 3, 3, 4), randn(5, 4, 1, 1), randn(5)),
        ref=lambda x, w, b: convolve(x, w, b, last=True),
        id="conv2d_1x1_nhwc",
        **LOOSE,
    ),
    Case(
        lambda x, w: F.conv2d(x, w, stride=2),
        (randn(4, 4, 5, 5), randn(5, 4, 1, 1)),
        ref=lambda x, w: convolve(x, w, stride=2),
        id="conv2d_1x1",
        **LOOSE,
    ),
    Case(
        lambda x, w: F.conv2d(x, w, padding=1, stride=2, groups=4),
        (randn(4, 4, 5, 4), randn(8, 1, 3, 3)),
        ref=lambda x, w: convolve(x, w, None, 2, 1, groups=4),
        id="conv2d_depthwise",
        **LOOSE,
    ),
    Case(F.conv3d, (randn(4, 2, 3, 3, 3), randn(2, 2, 2, 2, 2)), ref=convolve, low=(), **LOOSE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


PADDINGS = [
    ([1, 2], [[1, 1], [2, 2]], "NCHW"),
    ([0, 1, 2, 3], [[0, 1], [2, 3]], "NCHW"),
    ([[0, 0], [0, 0], [1, 2], [0, 1]], [[1, 2], [0, 1]], "NCHW"),
    ([[0, 0], [1, 2], [0, 1], [0, 0]], [[1, 2], [0, 1]], "NHWC"),
    ("VALID", 0, "NCHW"),
    ("same", [[1, 1], [0, 1]], "NCHW"),
]


@pytest.mark.parametrize(("padding", "pads", "form"), PADDINGS)
def test_every_way_to_write_padding(padding, pads, form):
    x = randn(2, 4, 4, 2) if form == "NHWC" else randn(2, 2, 4, 4)
    w = randn(3, 2, 3, 2)
    got = F.conv2d(proa.to_tensor(x), proa.to_tensor(w), padding=padding, data_format=form)
    same(got, convolve(x, w, pads=pads, last=form == "NHWC"))


def test_same_padding_with_stride_and_without_dilation():
    # Values of Paddle 3.3.1: 'SAME' drops the dilation.
    x = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    ones = proa.ones([1, 1, 3, 3])
    same(F.conv2d(x, ones, padding="SAME", stride=2)[0, 0], [[45, 39], [66, 50]])
    dilated = F.conv2d(x, ones, padding="SAME", dilation=2)[0, 0, 0]
    same(dilated, [10, 18, 24, 18])


def test_empty_batch():
    assert F.conv2d(proa.zeros([0, 2, 4, 4]), proa.zeros([3, 2, 3, 3])).shape == [0, 3, 2, 2]


IMAGE, KERNEL = proa.zeros([1, 2, 4, 4]), proa.zeros([4, 2, 3, 3])
ERRORS = [
    (lambda: F.conv2d(IMAGE, proa.zeros([4, 3, 3, 3])), "x channels = weight.shape"),
    (lambda: F.conv2d(IMAGE, KERNEL, groups=2), "groups=2"),
    (lambda: F.conv2d(IMAGE, proa.zeros([4, 2, 3])), "`weight` of `conv2d`"),
    (lambda: F.conv2d(IMAGE, KERNEL, proa.zeros([3])), "`bias` of `conv2d`"),
    (lambda: F.conv2d(proa.zeros([2, 4, 4]), KERNEL), "4 axes: batch, channel and 2 spatial"),
    (lambda: F.conv2d(IMAGE, KERNEL, data_format="NCWH"), "`data_format` of `conv2d`"),
    (lambda: F.conv2d(IMAGE, KERNEL, stride=0), "`stride` of `conv2d` is 0"),
    (lambda: F.conv2d(IMAGE, KERNEL, dilation=[1, 1, 1]), "`dilation` of `conv2d`"),
    (lambda: F.conv2d(IMAGE, KERNEL, padding=-1), "`padding` of `conv2d` is -1"),
    (lambda: F.conv2d(IMAGE, KERNEL, padding=[1, 1, 1]), "`padding` of `conv2d`"),
    (lambda: F.conv2d(IMAGE, KERNEL, dilation=3), "a padded input at least as large"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
