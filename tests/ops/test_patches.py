from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same


def columns(x, kernel, stride, pads, dilation):
    """Patches of [N, C, H, W] as [N, C * KH * KW, patches]."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    found = []
    for i in range(0, x.shape[2] - reach[0] + 1, stride[0]):
        for j in range(0, x.shape[3] - reach[1] + 1, stride[1]):
            rows = slice(i, i + reach[0], dilation[0])
            part = x[:, :, rows, slice(j, j + reach[1], dilation[1])]
            found.append(part.reshape(x.shape[0], -1))
    return np.stack(found, -1)


def summed(x, sizes, kernel):
    """The adjoint of non-overlapping patches with one border of padding."""
    channels = x.shape[1] // 4
    y = np.zeros((x.shape[0], channels, sizes[0] + 2, sizes[1] + 2))
    place = 0
    for i in range(0, sizes[0] + 1, 2):
        for j in range(0, sizes[1] + 1, 2):
            y[:, :, i : i + 2, j : j + 2] += x[..., place].reshape(-1, channels, 2, 2)
            place += 1
    return y[:, :, 1:-1, 1:-1]


def shuffled(x, r):
    n, c, h, w = x.shape
    y = x.reshape(n, c // r**2, r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, c // r**2, h * r, w * r)


def unshuffled(x, r):
    n, c, h, w = x.shape
    y = x.reshape(n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
    return y.reshape(n, c * r**2, h // r, w // r)


def interleaved(x, groups):
    n, c = x.shape[:2]
    return x.reshape(n, groups, c // groups, -1).swapaxes(1, 2).reshape(x.shape)


CASES = [
    Case(
        lambda x: F.unfold(x, [2, 3], [2, 1], [1, 0, 2, 1], [1, 2]),
        (randn(4, 2, 4, 5),),
        ref=lambda x: columns(x, (2, 3), (2, 1), ((1, 2), (0, 1)), (1, 2)),
        id="unfold",
    ),
    Case(
        lambda x: F.fold(x, [2, 4], 2, 2, 1),
        (randn(4, 8, 6),),
        ref=lambda x: summed(x, (2, 4), 2),
        id="fold",
    ),
    Case(F.pixel_shuffle, (randn(4, 8, 2, 1), 2), ref=shuffled),
    Case(F.pixel_unshuffle, (randn(4, 2, 4, 2), 2), ref=unshuffled),
    Case(F.channel_shuffle, (randn(4, 6, 2, 1), 3), ref=interleaved),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


LAST = [
    (F.pixel_shuffle, (2, 8, 2, 3), 2),
    (F.pixel_unshuffle, (2, 2, 4, 6), 2),
    (F.channel_shuffle, (2, 6, 2, 3), 2),
]


@pytest.mark.parametrize(("function", "shape", "factor"), LAST)
def test_channels_last(function, shape, factor):
    x = randn(*shape)
    first = function(proa.to_tensor(x), factor).numpy()
    last = function(proa.to_tensor(np.moveaxis(x, 1, -1)), factor, data_format="NHWC").numpy()
    same(np.moveaxis(last, -1, 1), first)


def test_fold_counts_overlaps():
    x = proa.ones([1, 1, 3, 3])
    same(F.fold(F.unfold(x, 2), 3, 2), [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]])


X = proa.zeros([1, 3, 4, 5])
ERRORS = [
    (lambda: F.unfold(X, 6), "a padded image at least as large"),
    (lambda: F.unfold(X, 2, paddings=[1, 1, 1]), "`paddings` of `unfold`"),
    (lambda: F.unfold(proa.zeros([3, 4, 5]), 2), "4 axes"),
    (lambda: F.fold(proa.zeros([1, 12, 5]), [4, 5], 2), "shape \\[N, channels \\* 4, 12\\]"),
    (lambda: F.fold(proa.zeros([1, 7, 12]), [4, 5], 2), "`fold` got"),
    (lambda: F.pixel_shuffle(X, 2), "a multiple of its square"),
    (lambda: F.pixel_unshuffle(X, 2), "height and width that are multiples"),
    (lambda: F.channel_shuffle(X, 2), "`channel_shuffle` got"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
