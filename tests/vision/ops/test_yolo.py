from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.vision import ops
from tests.ops.harness import Case, case_ids, check_case, ints, randn, uniform

ANCHORS = [10, 13, 16, 30, 33, 23]
CLASSES, STEP, SIDE = 2, 16, 4
SIZES = np.array([[60, 80], [100, 40]], "int64")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def boxes_and_scores(x, threshold=0.4, clip=True, scale=1.0, factor=None):
    count, parts = len(ANCHORS) // 2, 5 + CLASSES
    overlap, x = (x[:, :count], x[:, count:]) if factor is not None else (None, x)
    batch, _, rows, columns = x.shape
    x = x.reshape(batch, count, parts, rows, columns)
    boxes = np.zeros((batch, count, rows, columns, 4))
    scores = np.zeros((batch, count, rows, columns, CLASSES))
    for n, a, j, i in np.ndindex(batch, count, rows, columns):
        tx, ty, tw, th, confidence, *classes = x[n, a, :, j, i]
        confidence = sigmoid(confidence)
        if factor is not None:
            confidence = confidence ** (1 - factor) * sigmoid(overlap[n, a, j, i]) ** factor
        if confidence < threshold:
            continue
        height, width = SIZES[n]
        cx = (i + sigmoid(tx) * scale - 0.5 * (scale - 1)) * width / columns
        cy = (j + sigmoid(ty) * scale - 0.5 * (scale - 1)) * height / rows
        w = np.exp(tw) * ANCHORS[2 * a] * width / (STEP * columns)
        h = np.exp(th) * ANCHORS[2 * a + 1] * height / (STEP * rows)
        box = np.array([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2])
        if clip:
            box = np.r_[np.maximum(box[:2], 0), np.minimum(box[2:], [width - 1, height - 1])]
        boxes[n, a, j, i] = box
        scores[n, a, j, i] = confidence * sigmoid(np.array(classes))
    return boxes.reshape(batch, -1, 4), scores.reshape(batch, -1, CLASSES)


def box_case(x, threshold=0.4, clip=True, scale=1.0, factor=None):
    def call(x):
        return ops.yolo_box(
            x,
            proa.to_tensor(SIZES),
            ANCHORS,
            CLASSES,
            threshold,
            STEP,
            clip,
            None,
            scale,
            factor is not None,
            factor or 0.5,
        )

    def ref(x):
        return boxes_and_scores(x, threshold, clip, scale, factor)

    return Case(call, (x,), ref=ref, grad=False, low=(), sharded=False, id="yolo_box")


def entropy(x, label):
    return np.maximum(x, 0) - x * label + np.log1p(np.exp(-np.abs(x)))


def overlap(a, b):
    sides = [
        max(
            0.0,
            min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2)
            - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2),
        )
        for i in (0, 1)
    ]
    common = sides[0] * sides[1]
    return common / (a[2] * a[3] + b[2] * b[3] - common)


BOXES = np.concatenate([uniform(0, 1, 2, 5, 2), uniform(0.05, 0.5, 2, 5, 2)], -1)
BOXES[0, 3] = 0
# A box of the shape of the first anchor, and two in the same cell.
BOXES[0, 1] = [0.31, 0.31, 10 / 64, 13 / 64]
BOXES[1, 4] = BOXES[1, 2] + [0.001, 0.001, 0, 0]
LABELS = ints(0, CLASSES, 2, 5, dtype="int32")
SCORES = uniform(0.2, 1, 2, 5)


def loss(x, mask, threshold, smooth=True, scores=None, scale=1.0):
    batch, extent = x.shape[0], STEP * SIDE
    x = x.reshape(batch, len(mask), 5 + CLASSES, SIDE, SIDE)
    low = 1 / 40 if smooth else 0.0
    total = np.zeros(batch)
    scores = np.ones((batch, 5)) if scores is None else scores
    for n in range(batch):
        real = [b for b in range(5) if BOXES[n, b, 2] > 0]
        wanted = np.zeros((len(mask), SIDE, SIDE))
        for a, j, i in np.ndindex(*wanted.shape):
            tx, ty, tw, th = x[n, a, :4, j, i]
            size = [np.exp(t) * ANCHORS[2 * mask[a] + k] / extent for k, t in enumerate((tw, th))]
            middle = [
                (c + sigmoid(t) * scale - 0.5 * (scale - 1)) / SIDE for c, t in ((i, tx), (j, ty))
            ]
            if max(overlap([*middle, *size], BOXES[n, b]) for b in real) > threshold:
                wanted[a, j, i] = -1
        for b in real:
            box = BOXES[n, b]
            shapes = [
                overlap(
                    [0, 0, ANCHORS[2 * k] / extent, ANCHORS[2 * k + 1] / extent], [0, 0, *box[2:]]
                )
                for k in range(3)
            ]
            best = int(np.argmax(shapes))
            if best not in mask:
                continue
            a, i, j = mask.index(best), int(box[0] * SIDE), int(box[1] * SIDE)
            tx, ty, tw, th, _, *classes = x[n, a, :, j, i]
            found = entropy(tx, box[0] * SIDE - i) + entropy(ty, box[1] * SIDE - j)
            for k, t in ((0, tw), (1, th)):
                found += abs(t - np.log(box[2 + k] * extent / ANCHORS[2 * best + k]))
            total[n] += found * (2 - box[2] * box[3]) * scores[n, b]
            for c, t in enumerate(classes):
                total[n] += entropy(t, 1 - low if c == LABELS[n, b] else low) * scores[n, b]
            wanted[a, j, i] = scores[n, b]
        confidence = x[n, :, 4]
        total[n] += np.where(wanted > 0, entropy(confidence, 1) * wanted, 0).sum()
        total[n] += np.where(wanted == 0, entropy(confidence, 0), 0).sum()
    return total


def loss_case(mask, threshold, smooth=True, scores=None, scale=1.0, **checks):
    def call(x):
        return ops.yolo_loss(
            x,
            proa.to_tensor(BOXES).astype(x.dtype),
            proa.to_tensor(LABELS),
            ANCHORS,
            mask,
            CLASSES,
            threshold,
            STEP,
            None if scores is None else proa.to_tensor(scores).astype(x.dtype),
            smooth,
            scale_x_y=scale,
        )

    return Case(
        call,
        (randn(2, len(mask) * 7, SIDE, SIDE),),
        ref=lambda x: loss(x, mask, threshold, smooth, scores, scale),
        low=(),
        sharded=False,
        id="yolo_loss",
        **checks,
    )


CASES = [
    box_case(randn(2, 21, 4, 4)),
    box_case(randn(2, 24, 3, 4), 0.1, False, 1.2, 0.3),
    loss_case([0, 1, 2], 0.3, scores=SCORES),
    loss_case([2, 0], 0.1, smooth=False, scale=1.2, grad=False, compiled=False),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_no_boxes():
    x = proa.to_tensor(randn(2, 7, 4, 4))
    got = ops.yolo_loss(
        x, proa.zeros([2, 0, 4]), proa.zeros([2, 0], "int32"), ANCHORS, [0], 2, 0.5, STEP
    )
    want = entropy(x.numpy()[:, 4], 0).sum((1, 2))
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-9)
    boxes, scores = ops.yolo_box(
        proa.zeros([0, 7, 4, 4]), proa.zeros([0, 2], "int32"), [10, 13], 2, 0.5, STEP
    )
    assert (boxes.shape, scores.shape) == ([0, 16, 4], [0, 16, 2])


X, S = proa.zeros([1, 7, 4, 4]), proa.ones([1, 2], "int32")
G, L = proa.full([1, 1, 4], 0.5), proa.zeros([1, 1], "int32")


def trained(x=X, boxes=G, labels=L, anchors=ANCHORS, mask=(0,), score=None):
    return ops.yolo_loss(x, boxes, labels, anchors, mask, 2, 0.5, STEP, score)


ERRORS = [
    (lambda: ops.yolo_box(X, S, [10], 2, 0.5, 16), r"`anchors` of `yolo_box` is \(10,\)"),
    (lambda: ops.yolo_box(X, S, [10, 13], 3, 0.5, 16), r"tensor \[N, 8, H, W\]"),
    (lambda: ops.yolo_box(X, S, [10, 13], 0, 0.5, 16), "class_num=0 and downsample_ratio=16"),
    (lambda: ops.yolo_box(X, S[0], [10, 13], 2, 0.5, 16), "height and width of each image"),
    (lambda: trained(mask=[3]), r"indices in \[0, 3\) of the anchors"),
    (lambda: trained(boxes=G[0]), r"\[N, B, 4\] of \(centre x"),
    (lambda: trained(labels=L[0]), "`gt_label` of `yolo_loss`"),
    (lambda: trained(score=proa.ones([1])), "`gt_score` of `yolo_loss`"),
    (lambda: trained(labels=L + 2), "`gt_label` of `yolo_loss` holds 2 for a box"),
    (lambda: trained(anchors=[]), "`anchors` of `yolo_loss`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
