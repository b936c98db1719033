"""Non-maximum suppression: of boxes that overlap much, the one of the highest score stays.

How many boxes stay depends on values, so these ops run eagerly, on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op

from ._boxes import check_boxes, overlaps

if TYPE_CHECKING:
    from proa.core._types import Array, Index


#: Boxes that are compared with all others at a time.
_BLOCK = 128


def descending(scores: np.ndarray) -> np.ndarray:
    """Places of scores from the highest on; equal ones keep their order, NaN come first."""
    return np.argsort(scores[::-1], kind="stable")[::-1] * -1 + len(scores) - 1


def suppressed(
    boxes: np.ndarray, threshold: float, extra: float = 0.0, decay: float = 1.0
) -> np.ndarray:
    """Places of the boxes that stay, of boxes in order of precedence.

    Args:
        boxes: array [n, 4], the most important box first.
        threshold: a box that overlaps one that stays by more than this goes.
        extra: 1 for boxes that count pixels.
        decay: a threshold above 0.5 is multiplied with it after each box that stays.
    """
    if not len(boxes):
        return np.zeros([0], np.int64)
    kept: list[int] = []
    # Highest overlap of each box with the boxes that stay.
    worst = np.full(len(boxes), -np.inf, boxes.dtype)
    for first in range(0, len(boxes), _BLOCK):
        # What has gone already suppresses nothing; the others are compared in one go.
        places = np.arange(first, min(first + _BLOCK, len(boxes)))
        if decay == 1:
            places = places[worst[places] <= threshold]
        rows = overlaps(boxes[places, None], boxes[first:], extra)
        for place, row in zip(places.tolist(), rows, strict=True):
            if worst[place] > threshold:
                continue
            kept.append(place)
            if decay < 1 and threshold > 0.5:
                threshold *= decay
            np.maximum(worst[first:], row, out=worst[first:])
    return np.asarray(kept, np.int64)


def _check_nms(boxes: Any, scores: Any, labels: Any, categories: Any, top_k: Any) -> None:
    check_boxes(boxes, "boxes", "nms")
    for name, given in (("scores", scores), ("category_idxs", labels)):
        if given is not None and given.shape != boxes.shape[:1]:
            raise InvalidArgumentError(
                f"`{name}` of `nms` is {describe_array(given)} for {boxes.shape[0]} boxes",
                expected="a vector with one entry per box",
                fix="flatten it",
            )
    if labels is not None and (scores is None or categories is None):
        raise InvalidArgumentError(
            "`nms` got `category_idxs` without "
            + ("`scores`" if scores is None else "`categories`"),
            expected="`scores` and `categories` beside `category_idxs`",
            fix="pass the scores, and the list of the categories to keep boxes of",
        )
    if top_k is not None and top_k < 0:
        raise InvalidArgumentError(
            f"`top_k` of `nms` is {top_k}",
            expected="a number of boxes, or None for all",
            fix="leave it out",
        )


@op(method=None, dynamic_shape=True, differentiable=False)
def nms(
    boxes: Array,
    iou_threshold: float = 0.3,
    scores: Array | None = None,
    category_idxs: Index | None = None,
    categories: Any = None,
    top_k: int | None = None,
) -> Array:
    """Indices of the boxes that non-maximum suppression keeps.

    A box goes if its intersection over union with a better box that stays exceeds the threshold.

    Args:
        boxes: float tensor [n, 4] of (x1, y1, x2, y2).
        iou_threshold: the largest overlap that is allowed.
        scores: [n]; without them earlier boxes are better, and the order stays.
        category_idxs: integers [n]; boxes of different categories do not suppress each other.
        categories: the categories to keep boxes of.
        top_k: how many to keep at most, of those with the highest scores.

    Returns:
        int64 indices, in order of falling scores (equal ones by index).

    Raises:
        InvalidArgumentError: shapes that do not fit, or categories without scores.

    Examples:
        >>> import proa
        >>> boxes = proa.to_tensor([[0.0, 0, 4, 4], [0, 0, 4, 5], [8, 8, 9, 9]])
        >>> proa.vision.ops.nms(boxes, 0.5, scores=proa.to_tensor([0.5, 0.9, 0.7])).tolist()
        [1, 2]
    """
    _check_nms(boxes, scores, category_idxs, categories, top_k)
    corners = np.asarray(boxes)
    if scores is None:
        return jnp.asarray(suppressed(corners, iou_threshold)[:top_k])
    ranks = np.asarray(scores)
    order = descending(ranks)
    if category_idxs is None:
        kept = order[suppressed(corners[order], iou_threshold)]
        return jnp.asarray(kept[:top_k])
    labels = np.asarray(category_idxs)
    groups = [order[labels[order] == category] for category in dict.fromkeys(categories)]
    parts = [group[suppressed(corners[group], iou_threshold)] for group in groups]
    kept = np.sort(np.concatenate([np.zeros([0], np.int64), *parts]))
    return jnp.asarray(kept[descending(ranks[kept])][:top_k])


def _decayed(boxes: np.ndarray, scores: np.ndarray, extra: float, sigma: float | None) -> Any:
    """Scores after Matrix NMS, of boxes that are sorted by them.

    score_i * min over j < i of f(iou_ij) / f(largest iou of j with a better box), with
    f(u) = 1 - u, or exp(-sigma * u^2).
    """
    overlap = np.zeros((len(boxes), len(boxes)), boxes.dtype)
    for place, box in enumerate(boxes):
        overlap[place + 1 :, place] = overlaps(box, boxes[place + 1 :], extra)
    largest = overlap.max(1, initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if sigma is None:
            factor = (1 - overlap) / (1 - largest)
        else:
            factor = np.exp((largest**2 - overlap**2) * boxes.dtype.type(sigma))
    is_better = np.tri(len(boxes), k=-1, dtype=bool)
    # A better box that is itself a copy of another one says nothing (0 / 0).
    factor = np.where(is_better & ~np.isnan(factor), factor, 1)
    return scores * factor.min(1, initial=1)


def _chosen(
    boxes: np.ndarray, scores: np.ndarray, limits: tuple[float, float, int, float, Any], skip: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows (label, score, box) and indices of what one image's classes keep."""
    least, least_after, most, extra, sigma = limits
    for label, values in enumerate(scores):
        if label == skip:
            continue
        order = descending(values)
        order = order[values[order] > least]
        order = order if most < 0 else order[:most]
        decayed = _decayed(boxes[order], values[order], extra, sigma)
        stays = decayed > least_after
        order, decayed = order[stays], decayed[stays]
        labels = np.full([len(order), 1], label, boxes.dtype)
        yield np.hstack([labels, decayed[:, None], boxes[order]]).astype(boxes.dtype), order


@op(name="matrix_nms", public=False, dynamic_shape=True, differentiable=False)
def _matrix_nms(
    bboxes: Array,
    scores: Array,
    limits: Any,
    keep_top_k: int,
    background_label: int,
):
    """All three outputs of `matrix_nms`."""
    if (
        bboxes.ndim != 3
        or bboxes.shape[2] != 4
        or scores.ndim != 3
        or scores.shape[::2] != bboxes.shape[:2]
    ):
        raise InvalidArgumentError(
            f"`matrix_nms` got bboxes {describe_array(bboxes)} and scores {describe_array(scores)}",
            expected="bboxes [N, M, 4] and scores [N, classes, M]",
            fix="bring the axes into this order",
        )
    rows: list[Any] = [np.zeros([0, 6], bboxes.dtype)]
    places: list[Any] = [np.zeros([0], np.int64)]
    counts = []
    for image, (boxes, values) in enumerate(
        zip(np.asarray(bboxes), np.asarray(scores), strict=True)
    ):
        found = list(_chosen(boxes, values, limits, background_label))
        row = np.concatenate([rows[0], *(part for part, _ in found)])
        place = np.concatenate([places[0], *(part for _, part in found)])
        order = descending(row[:, 1])
        order = order if keep_top_k < 0 else order[:keep_top_k]
        rows.append(row[order])
        places.append(place[order] + image * len(boxes))
        counts.append(len(order))
    index = np.concatenate(places).astype(np.int32)[:, None]
    return (
        jnp.asarray(np.concatenate(rows)),
        jnp.asarray(index),
        jnp.asarray(np.asarray(counts, np.int32)),
    )


@composite
def matrix_nms(
    bboxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
    return_index: bool = False,
    return_rois_num: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Matrix NMS: scores decay with the overlap with better boxes of the same class.

    Args:
        bboxes: float tensor [N, M, 4] of (x1, y1, x2, y2).
        scores: [N, classes, M].
        score_threshold: boxes with a score up to this are dropped first.
        post_threshold: boxes with a decayed score up to this are dropped.
        nms_top_k: how many boxes of a class take part at most; -1 for all.
        keep_top_k: how many boxes of an image stay at most; -1 for all.
        use_gaussian: whether the decay is Gaussian instead of linear.
        gaussian_sigma: its factor.
        background_label: the class to leave out; -1 for none.
        normalized: whether extents are x2 - x1; otherwise x2 - x1 + 1.
        return_index: whether to give indices.
        return_rois_num: whether to give counts.

    Returns:
        Rows (label, score, x1, y1, x2, y2) as [R, 6], images one after the other, in each by
        falling score; int32 counts [N], or None; int32 indices [R, 1] into the M boxes of all
        images, or None.

    Raises:
        InvalidArgumentError: shapes that do not fit.

    References:
        Wang et al., SOLOv2 (2020), section 3.3.
    """
    sigma = float(gaussian_sigma) if use_gaussian else None
    extra = 0.0 if normalized else 1.0
    limits = (float(score_threshold), float(post_threshold), int(nms_top_k), extra, sigma)
    rows, index, counts = _matrix_nms(
        bboxes, scores, limits, keep_top_k=keep_top_k, background_label=background_label
    )
    return rows, counts if return_rois_num else None, index if return_index else None
