from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same


def spread(x, weight, bias=None, stride=1, padding=0, extra=0, dilation=1, groups=1, last=False):
    """The definition: each input element adds its scaled kernel to the output."""
    rank = weight.ndim - 2
    stride, padding, extra, dilation = (
        np.broadcast_to(v, rank) for v in (stride, padding, extra, dilation)
    )
    x = np.moveaxis(x, -1, 1) if last else x
    reach = [(k - 1) * d + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
    sizes = [(s - 1) * t + r for s, t, r in zip(x.shape[2:], stride, reach, strict=True)]
    outputs = weight.shape[1]
    y = np.zeros(
        (x.shape[0], outputs * groups, *(s + e for s, e in zip(sizes, extra, strict=True)))
    )
    for c, o in itertools.product(range(x.shape[1]), range(outputs)):
        target = c // (x.shape[1] // groups) * outputs + o
        for place in itertools.product(*map(range, x.shape[2:])):
            window = tuple(
                slice(p * s, p * s + r, d)
                for p, s, r, d in zip(place, stride, reach, dilation, strict=True)
            )
            scale = x[(slice(None), c, *place)].reshape(-1, *[1] * rank)
            y[(slice(None), target, *window)] += scale * weight[c, o]
    cut = tuple(slice(p, p + s + e - 2 * p) for p, s, e in zip(padding, sizes, extra, strict=True))
    y = y[(slice(None), slice(None), *cut)]
    if bias is not None:
        y = y + bias.reshape(-1, *[1] * rank)
    return np.moveaxis(y, 1, -1) if last else y


LOOSE = {
    "tolerance": {"float32": (1e-5, 5e-6), "compiled": (1e-5, 5e-6), "sharded": (1e-5, 5e-6)},
    "reason": "sums of dozens of products near zero, in another order",
}
CASES = [
    Case(F.conv1d_transpose, (randn(4, 2, 4), randn(2, 3, 3), randn(3)), ref=spread, **LOOSE),
    Case(
        lambda x, w, b: F.conv2d_transpose(x, w, b, [2, 3], [1, 0], [1, 2], 1, 2),
        (randn(4, 4, 3, 2), randn(4, 2, 3, 3), randn(4)),
        ref=lambda x, w, b: spread(x, w, b, [2, 3], [1, 0], [1, 2], 1, 2),
        id="conv2d_transpose",
        **LOOSE,
    ),
    Case(
        lambda x, w: F.conv2d_transpose(x, w, stride=2, data_format="NHWC"),
        (randn(4, 3, 2, 4), randn(4, 3, 2, 2)),
        ref=lambda x, w: spread(x, w, stride=2, last=True),
        id="conv2d_transpose_tiles",
        **LOOSE,
    ),
    Case(
        lambda x, w: F.conv3d_transpose(x, w, stride=2, padding=1),
        (randn(4, 2, 2, 2, 2), randn(2, 2, 3, 3, 3)),
        ref=lambda x, w: spread(x, w, stride=2, padding=1),
        id="conv3d_transpose",
        low=(),
        **LOOSE,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_output_size_and_dilation():
    x, w = randn(1, 2, 4, 4), randn(2, 3, 3, 3)
    tensors = proa.to_tensor(x), proa.to_tensor(w)
    wanted = spread(x, w, stride=2, padding=1, extra=1)
    same(F.conv2d_transpose(*tensors, stride=2, padding=1, output_size=[8, 8]), wanted)
    same(F.conv2d_transpose(*tensors, dilation=2), spread(x, w, dilation=2))


def test_same_padding():
    # Value of Paddle 3.3.1.
    x = proa.arange(1, 17, dtype="float32").reshape([1, 1, 4, 4])
    kernel = proa.arange(9, dtype="float32").reshape([1, 1, 3, 3])
    got = F.conv2d_transpose(x, kernel, stride=2, padding="SAME")
    same(got[0, 0, 0], [0, 1, 2, 2, 4, 3, 6, 4])
    assert got.shape == [1, 1, 8, 8]


X, W = proa.zeros([1, 2, 4, 4]), proa.zeros([2, 3, 3, 3])
ERRORS = [
    (lambda: F.conv2d_transpose(X, W, stride=2, output_size=[12, 9]), "sizes from"),
    (lambda: F.conv2d_transpose(X, W, stride=2, output_padding=1, output_size=9), "one of the two"),
    (lambda: F.conv2d_transpose(X, proa.zeros([3, 3, 3, 3])), "in channels a multiple of groups"),
    (lambda: F.conv2d_transpose(X, W, proa.zeros([2])), "`bias` of `conv2d_transpose`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
