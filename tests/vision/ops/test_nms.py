from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.vision import ops
from proa.vision.ops._nms import descending
from tests.ops.harness import uniform

BOXES = np.array(
    [[0, 0, 10, 10], [1, 1, 11, 11], [0, 0, 10, 10], [20, 20, 30, 30], [0, 0, 5, 10]], "float32"
)
SCORES = np.array([0.5, 0.9, 0.8, 0.1, 0.7], "float32")
LABELS = np.array([0, 1, 1, 0, 0])

# Overlaps: 0-1 and 1-2 0.68, 0-2 1, 0-4 0.5, 1-4 0.32.
KEPT = [
    ({}, [0, 3]),
    ({"iou_threshold": 0.5}, [0, 3, 4]),
    ({"iou_threshold": 0.5, "top_k": 2}, [0, 3]),
    ({"iou_threshold": 0.5, "scores": SCORES}, [1, 4, 3]),
    ({"iou_threshold": 0.5, "scores": SCORES, "top_k": 2}, [1, 4]),
    ({"iou_threshold": 0.5, "scores": SCORES, "top_k": 99}, [1, 4, 3]),
    (
        {"iou_threshold": 0.5, "scores": SCORES, "category_idxs": LABELS, "categories": [0, 1]},
        [1, 4, 0, 3],
    ),
    (
        {
            "iou_threshold": 0.5,
            "scores": SCORES,
            "category_idxs": LABELS,
            "categories": [0],
            "top_k": 1,
        },
        [4],
    ),
]


@pytest.mark.parametrize(("options", "want"), KEPT)
def test_nms(options, want):
    given = {k: proa.to_tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    kept = ops.nms(proa.to_tensor(BOXES), **given)
    assert kept.dtype == proa.int64
    assert kept.tolist() == want


def greedy(boxes, scores, threshold):
    """By the definition: the best of what is left, without what it overlaps."""
    left = list(np.argsort(-scores, kind="stable"))
    kept = []
    while left:
        best = left.pop(0)
        kept.append(int(best))
        for other in list(left):
            low = np.maximum(boxes[best, :2], boxes[other, :2])
            high = np.minimum(boxes[best, 2:], boxes[other, 2:])
            common = np.prod(np.maximum(high - low, 0))
            areas = [np.prod(boxes[i, 2:] - boxes[i, :2]) for i in (best, other)]
            if common / (sum(areas) - common) > threshold:
                left.remove(other)
    return kept


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.6, 1.0])
def test_nms_by_definition(threshold):
    low = uniform(0, 10, 40, 2)
    boxes = np.concatenate([low, low + uniform(1, 6, 40, 2)], 1)
    scores = uniform(0, 1, 40).round(1)
    kept = ops.nms(proa.to_tensor(boxes), threshold, proa.to_tensor(scores))
    assert kept.tolist() == greedy(boxes, scores, threshold)


def test_equal_scores_keep_their_order():
    assert descending(np.array([1.0, 3.0, 1.0, np.nan, 3.0])).tolist() == [3, 1, 4, 0, 2]


NONE = proa.zeros([0, 4])


def test_no_boxes():
    empty = proa.zeros([0])
    assert ops.nms(NONE).shape == [0]
    assert ops.nms(NONE, 0.3, empty).shape == [0]
    kept = ops.nms(NONE, 0.3, empty, proa.zeros([0], "int64"), [0, 1])
    assert (kept.shape, kept.dtype) == ([0], proa.int64)


MATRIX_BOXES = np.array([[[0, 0, 10, 10], [1, 1, 11, 11], [0, 0, 10, 9], [20, 20, 30, 30]]], "f4")
MATRIX_SCORES = np.array([[[0.9, 0.8, 0.7, 0.6], [0.2, 0.9, 0.3, 0.8]]], "float32")
U01, U02, U12 = 81 / 119, 0.9, 72 / 118


def matrix(**options):
    boxes, scores = proa.to_tensor(MATRIX_BOXES), proa.to_tensor(MATRIX_SCORES)
    return ops.matrix_nms(boxes, scores, 0.1, 0.05, 3, 4, return_index=True, **options)


def test_matrix_nms():
    # Class 1, by score: boxes 1, 3, 2. Box 2 overlaps box 1 (72 of 118), box 3 overlaps none.
    rows, counts, index = matrix()
    want = [
        [1, 0.9, *MATRIX_BOXES[0, 1]],
        [1, 0.8, *MATRIX_BOXES[0, 3]],
        [1, 0.3 * (1 - U12), *MATRIX_BOXES[0, 2]],
    ]
    np.testing.assert_allclose(rows.numpy(), want, rtol=1e-5)
    assert counts.tolist() == [3]
    assert index.tolist() == [[1], [3], [2]]
    assert {rows.dtype.name, counts.dtype.name, index.dtype.name} == {"float32", "int32"}


def test_matrix_nms_decay_counts_what_decays_the_other():
    # Class 0: boxes 0, 1, 2; box 2 overlaps box 0 by 0.9, and box 1 is itself near box 0.
    rows, _, index = matrix(background_label=1)
    best = min((1 - U02) / 1, (1 - U12) / (1 - U01))
    np.testing.assert_allclose(rows.numpy()[:, 1], [0.9, 0.8 * (1 - U01), 0.7 * best], rtol=1e-5)
    assert index.tolist() == [[0], [1], [2]]


def test_matrix_nms_gaussian():
    rows, _, _ = matrix(use_gaussian=True, gaussian_sigma=0.5)
    decay = np.exp(-0.5 * U12**2)
    np.testing.assert_allclose(rows.numpy()[:, 1], [0.9, 0.8, 0.3 * decay], rtol=1e-5)


def test_matrix_nms_of_many_images():
    boxes, scores = np.tile(MATRIX_BOXES, (3, 1, 1)), np.tile(MATRIX_SCORES, (3, 1, 1))
    scores[1] = 0
    given = proa.to_tensor(boxes), proa.to_tensor(scores)
    rows, counts, index = ops.matrix_nms(*given, 0.1, 0.05, -1, 1, return_index=True)
    assert counts.tolist() == [1, 0, 1]
    assert index.tolist() == [[1], [9]]
    assert rows.shape == [2, 6]
    assert ops.matrix_nms(*given, 0.1, 0.05, -1, 1, return_rois_num=False)[1:] == (None, None)


def test_matrix_nms_without_boxes():
    found = ops.matrix_nms(proa.zeros([1, 0, 4]), proa.zeros([1, 2, 0]), 0.1, 0.1, -1, -1)
    assert found[0].shape == [0, 6]
    assert found[1].tolist() == [0]


BOX = proa.to_tensor(BOXES)
ERRORS = [
    (lambda: ops.nms(proa.zeros([3])), r"`boxes` of `nms` is float32\[3\]"),
    (lambda: ops.nms(BOX, scores=proa.zeros([4])), "`scores` of `nms` is .* for 5 boxes"),
    (
        lambda: ops.nms(BOX, 0.3, proa.zeros([5]), proa.zeros([5], "int64")),
        "without `categories`",
    ),
    (lambda: ops.nms(BOX, 0.3, None, proa.zeros([5], "int64"), [0]), "without `scores`"),
    (lambda: ops.nms(BOX, top_k=-1), "`top_k` of `nms` is -1"),
    (
        lambda: ops.matrix_nms(proa.zeros([1, 4, 4]), proa.zeros([1, 2, 3]), 0.1, 0.1, 3, 3),
        r"bboxes \[N, M, 4\] and scores \[N, classes, M\]",
    ),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()


def test_labels_are_integers():
    with pytest.raises(proa.core.InvalidTypeError, match="`category_idxs` of `nms` is a float32"):
        ops.nms(BOX, 0.3, proa.zeros([5]), proa.zeros([5]), [0])
