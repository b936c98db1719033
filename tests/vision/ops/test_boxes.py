from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.vision import ops
from proa.vision.ops._boxes import area, overlaps
from tests.ops.harness import Case, case_ids, check_case, positive, uniform


def boxes(count, extent=10.0):
    low = uniform(0, extent, count, 2)
    return np.concatenate([low, low + uniform(0.5, extent / 2, count, 2)], 1)


def encoded(prior, variance, target, extra=0.0):
    y = np.zeros((len(target), len(prior), 4))
    for i, t in enumerate(target):
        for j, p in enumerate(prior):
            pw, ph = p[2] - p[0] + extra, p[3] - p[1] + extra
            tw, th = t[2] - t[0] + extra, t[3] - t[1] + extra
            dx = ((t[0] + t[2]) / 2 - p[0] - pw / 2) / pw
            dy = ((t[1] + t[3]) / 2 - p[1] - ph / 2) / ph
            v = np.broadcast_to(variance, (len(prior), 4))[j]
            y[i, j] = np.array([dx, dy, np.log(tw / pw), np.log(th / ph)]) / v
    return y


# Exact in float32, which numbers in a list become.
VARIANCE = np.array([0.125, 0.125, 0.25, 0.25])
CASES = [
    Case(ops.box_coder, (boxes(4), positive(4, 4), boxes(3)), ref=encoded, grad=False, low=()),
    Case(
        lambda p, t: ops.box_coder(p, VARIANCE.tolist(), t, box_normalized=False),
        (boxes(4), boxes(3)),
        ref=lambda p, t: encoded(p, VARIANCE, t, 1.0),
        grad=False,
        low=(),
        id="box_coder",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_decoding_inverts_encoding(axis, normalized):
    prior, target, variance = (a.astype("float32") for a in (boxes(4), boxes(3), positive(4, 4)))
    given = [proa.to_tensor(a) for a in (prior, variance)]
    coded = ops.box_coder(*given, target, "encode_center_size", normalized)
    if axis == 1:
        coded = coded.transpose([1, 0, 2])
    back = ops.box_coder(*given, coded, "decode_center_size", normalized, axis).numpy()
    # The centre of a target of pixels is that of its corners, so it comes back half a pixel lower.
    shift = np.array([-0.5] * 4) * (not normalized) if not normalized else 0
    want = np.broadcast_to(target[:, None] + shift, (3, 4, 4))
    want = want.swapaxes(0, 1) if axis else want
    np.testing.assert_allclose(back, want, rtol=1e-5, atol=1e-4)


def test_coding_of_no_boxes():
    prior = proa.to_tensor(boxes(2).astype("float32"))
    assert ops.box_coder(prior, None, proa.zeros([0, 4])).shape == [0, 2, 4]
    assert ops.box_coder(proa.zeros([0, 4]), None, prior).shape == [2, 0, 4]


PRIORS = [
    # Side 4 of a map of one cell over an image of 8: ratio 1 first, then 4 and 1/4, the large last.
    ({}, [(4, 4)]),
    ({"max_sizes": [9.0]}, [(4, 4), (6, 6)]),
    ({"aspect_ratios": [4.0, 1.0, 4.0], "flip": True}, [(4, 4), (8, 2), (2, 8)]),
    ({"aspect_ratios": [4.0], "max_sizes": [9.0]}, [(4, 4), (8, 2), (6, 6)]),
    (
        {"aspect_ratios": 4.0, "max_sizes": 9.0, "min_max_aspect_ratios_order": True},
        [(4, 4), (6, 6), (8, 2)],
    ),
]


@pytest.mark.parametrize(("options", "sizes"), PRIORS)
def test_prior_boxes(options, sizes):
    feature, image = proa.zeros([1, 2, 1, 1]), proa.zeros([1, 3, 8, 8])
    found, variances = ops.prior_box(feature, image, 4.0, **options)
    want = [[(4 - w / 2) / 8, (4 - h / 2) / 8, (4 + w / 2) / 8, (4 + h / 2) / 8] for w, h in sizes]
    assert found.dtype == proa.float32
    np.testing.assert_allclose(found.numpy()[0, 0], want, atol=1e-6)
    assert variances.shape == [1, 1, len(sizes), 4]
    np.testing.assert_allclose(variances.numpy()[0, 0, -1], [0.1, 0.1, 0.2, 0.2], atol=1e-7)


def test_prior_places():
    feature, image = proa.zeros([1, 2, 2, 4]), proa.zeros([1, 3, 20, 80])
    found, _ = ops.prior_box(feature, image, [2.0], offset=0.25, steps=[0.0, 8.0], clip=True)
    middles = found.numpy().reshape(2, 4, 2, 2).mean(2) * [80, 20]
    np.testing.assert_allclose(middles[:, :, 0], [[5, 25, 45, 65]] * 2, rtol=1e-6)
    np.testing.assert_allclose(middles[:, :, 1], [[2] * 4, [10] * 4], rtol=1e-6)
    # The side of 40 would reach beyond the image.
    wide, _ = ops.prior_box(feature, image, [40.0], clip=True)
    assert (wide.numpy().min(), wide.numpy().max()) == (0.0, 1.0)


def test_overlaps():
    box = np.array([0.0, 0.0, 2.0, 2.0])
    others = np.array(
        [[0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 3, 2], [2.5, 0, 3, 2], [1, 1, 1, 1]], float
    )
    np.testing.assert_allclose(overlaps(box, others), [1, 1 / 7, 0, 0, 0])
    # Pixels: boxes of 3 x 3; those that only a pixel's extent would join stay apart.
    np.testing.assert_allclose(overlaps(box, others, 1.0)[:4], [1, 4 / 14, 3 / 12, 0])
    assert overlaps(box[:2].repeat(2) * 0, np.zeros([1, 4])).tolist() == [0]
    assert area(np.array([[0, 0, 2, 3], [2, 0, 0, 3.0]])).tolist() == [6, 0]


P, T = proa.ones([2, 4]), proa.ones([3, 4])
X = proa.zeros([1, 1, 1, 1])
ERRORS = [
    (lambda: ops.box_coder(P, None, T, "encode"), "'encode_center_size' or 'decode_center_size'"),
    (lambda: ops.box_coder(P, [1.0, 2.0], T), "four numbers, or one row of four per prior"),
    (lambda: ops.box_coder(proa.ones([4]), None, T), r"`prior_box` of `box_coder` is float32\[4\]"),
    (lambda: ops.box_coder(P, None, proa.ones([3, 4], "int64")), "floating tensor of shape"),
    (lambda: ops.box_coder(P, None, T, "decode_center_size"), r"target_box \[N, M, 4\] for M"),
    (lambda: ops.prior_box(X, proa.zeros([2]), 4.0), r"both of shape \[N, C, height, width\]"),
    (lambda: ops.prior_box(X, X, "big"), "`min_sizes` of `prior_box` is 'big'"),
    (lambda: ops.prior_box(X, X, [4.0], [5.0, 6.0]), "as many larger ones or none"),
    (lambda: ops.prior_box(X, X, [4.0], [3.0]), "each larger than its `min_sizes`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
