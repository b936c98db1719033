from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.vision import ops
from tests.ops.harness import Case, check_case, randn, same, uniform

STEPS, PADS, GAPS, PARTS, GROUPS = (1, 2), (1, 0), (1, 2), 2, 2


def read(plane, y, x):
    """Linear between pixels, zero outside."""
    rows = np.maximum(1 - np.abs(y - np.arange(plane.shape[0])), 0)
    columns = np.maximum(1 - np.abs(x - np.arange(plane.shape[1])), 0)
    return rows @ plane @ columns


def deformed(x, offset, weight, bias, mask):
    batch, channels = x.shape[:2]
    count, inner, height, width = weight.shape
    taps = height * width
    y = np.zeros((batch, count, *offset.shape[2:]))
    for n, o, i, j in np.ndindex(*y.shape):
        total = bias[o]
        for c, a, b in np.ndindex(inner, height, width):
            channel = o // (count // GROUPS) * inner + c
            part, tap = channel // (channels // PARTS), a * width + b
            down, right = offset[n, 2 * (part * taps + tap) + np.arange(2), i, j]
            at = (
                i * STEPS[0] - PADS[0] + a * GAPS[0] + down,
                j * STEPS[1] - PADS[1] + b * GAPS[1] + right,
            )
            factor = mask[n, part * taps + tap, i, j]
            total += weight[o, c, a, b] * factor * read(x[n, channel], *at)
        y[n, o, i, j] = total
    return y


def call(x, offset, weight, bias, mask):
    return ops.deform_conv2d(x, offset, weight, bias, STEPS, PADS, GAPS, PARTS, GROUPS, mask)


ROWS = (
    randn(4, 4, 3, 4),
    # Away from whole pixels, where the derivative jumps.
    uniform(0.1, 0.9, 4, 16, 4, 1) + np.array([-1, 0, 1, 0] * 4)[:, None, None],
    randn(4, 2, 2, 2),
    randn(4),
    uniform(0, 1, 4, 8, 4, 1),
)


def test_op():
    check_case(Case(call, ROWS, ref=deformed, low=(), sharded=False))


def test_no_offsets_are_a_convolution():
    x, weight = proa.to_tensor(randn(2, 3, 5, 5)), proa.to_tensor(randn(2, 3, 3, 3))
    y = ops.deform_conv2d(x, proa.zeros([2, 18, 5, 5], "float64"), weight, padding=1)
    same(y, F.conv2d(x, weight, padding=1).numpy())


def test_layer():
    proa.seed(3)
    layer = ops.DeformConv2D(3, 2, 3, padding=1, bias_attr=False)
    assert layer.bias is None
    assert [name for name, _ in layer.named_parameters()] == ["weight"]
    # Normal with variance 2 / (3 * 3 * 3).
    wide = ops.DeformConv2D(3, 400, 3)
    assert abs(float(wide.weight.std()) - (2 / 27) ** 0.5) < 0.01
    assert wide.bias.tolist() == [0.0] * 400
    x, offset = proa.ones([1, 3, 4, 4]), proa.full([1, 18, 4, 4], 0.5)
    mask = proa.full([1, 9, 4, 4], 0.5)
    got = layer(x, offset, mask)
    same(got, ops.deform_conv2d(x, offset, layer.weight, padding=1, mask=mask).numpy())


def test_no_images():
    y = ops.deform_conv2d(
        proa.zeros([0, 1, 4, 4]), proa.zeros([0, 18, 2, 2]), proa.ones([2, 1, 3, 3])
    )
    assert y.shape == [0, 2, 2, 2]


X, O, W = proa.ones([1, 2, 4, 4]), proa.zeros([1, 18, 2, 2]), proa.ones([2, 2, 3, 3])
ERRORS = [
    (lambda: ops.deform_conv2d(X[0], O, W), "`x` of `deform_conv2d`"),
    (lambda: ops.deform_conv2d(X, O, W, groups=2), r"weight \[O, C / groups, KH, KW\]"),
    (lambda: ops.deform_conv2d(X, O, W, deformable_groups=3), "divides the channels"),
    (lambda: ops.deform_conv2d(X, O, W, padding=1), r"`offset` .*\n.*shape \[1, 18, 4, 4\]"),
    (lambda: ops.deform_conv2d(X, O, W, mask=O), r"`mask` .*\n.*shape \[1, 9, 2, 2\]"),
    (lambda: ops.deform_conv2d(X, O, W, proa.ones([3])), "one value per output channel"),
    (lambda: ops.deform_conv2d(X, O, W, stride=0), "`stride` of `deform_conv2d` is 0"),
    (lambda: ops.DeformConv2D(3, 4, 3, groups=2), "`groups` is 2 with 3 input and 4 output"),
    (lambda: ops.DeformConv2D(2, 4, [1, 2, 3]), "`kernel_size` of `DeformConv2D`"),
    (
        lambda: ops.DeformConv2D(2, 4, 3, weight_attr=False),
        "`weight_attr` of DeformConv2D is False",
    ),
]


@pytest.mark.parametrize(("make", "match"), ERRORS)
def test_errors(make, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        make()
