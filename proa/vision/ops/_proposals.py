"""Proposals of a region network, and which level of a feature pyramid looks at them.

How many there are depends on values, so these ops run eagerly, on the host.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, OutOfRangeError, Tensor, composite, describe_array, op

from ._boxes import area, check_boxes
from ._nms import descending, suppressed

if TYPE_CHECKING:
    from proa.core._types import Array, Index

_MOST_LEVELS = 1000
# A box grows at most by 1000 / 16, so that the exponential stays finite.
_LARGEST_GROWTH = math.log(1000.0 / 16)


@op(name="distribute_fpn_proposals", public=False, dynamic_shape=True, differentiable=False)
def _distribute(
    fpn_rois: Array, rois_num: Index | None, levels: Any, refer_scale: float, pixel_offset: bool
):
    """Boxes of each level, the order that restores them, and counts of each level."""
    check_boxes(fpn_rois, "fpn_rois", "distribute_fpn_proposals")
    least, most, refer = levels
    rois = np.asarray(fpn_rois)
    counts = np.asarray([len(rois)] if rois_num is None else rois_num)
    if counts.ndim != 1 or (counts < 0).any() or counts.sum() != len(rois):
        raise OutOfRangeError(
            f"`rois_num` is {counts.tolist()} for {len(rois)} boxes",
            expected="how many of the boxes belong to each image, image by image",
            fix="make the counts sum up to the number of boxes",
        )
    scale = np.sqrt(area(rois, float(pixel_offset)))
    level = np.floor(np.log2(scale / rois.dtype.type(refer_scale) + 1e-6) + refer)
    level = np.clip(level, least, most).astype(np.int64)
    image = np.repeat(np.arange(len(counts)), counts)
    places = [np.flatnonzero(level == number) for number in range(least, most + 1)]
    restore = np.argsort(np.concatenate(places), kind="stable").astype(np.int32)[:, None]
    of_level = [np.bincount(image[place], minlength=len(counts)) for place in places]
    return (
        *(jnp.asarray(rois[place]) for place in places),
        jnp.asarray(restore),
        *(jnp.asarray(count.astype(np.int32)) for count in of_level),
    )


@composite
def distribute_fpn_proposals(
    fpn_rois: Tensor,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool = False,
    rois_num: Tensor | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor, list[Tensor] | None]:
    """Gives each box to the level of a feature pyramid that fits its size.

    level = floor(refer_level + log2(sqrt(area) / refer_scale)), brought into the range of levels.

    Args:
        fpn_rois: float tensor [R, 4] of (x1, y1, x2, y2), those of image 0 first.
        min_level: the lowest level, which takes the smallest boxes.
        max_level: the highest level.
        refer_level: the level for boxes of size `refer_scale`.
        refer_scale: side in pixels.
        pixel_offset: whether extents count pixels: x2 - x1 + 1.
        rois_num: integers [N]: how many boxes each image has; without them all are of one image.
        name: not used.

    Returns:
        A list of boxes [., 4], one entry per level; int32 [R, 1], for each box its row in these
        lists put one after the other; a list of int32 counts [N], one entry per level, or None
        without `rois_num`.

    Raises:
        InvalidArgumentError: no boxes [R, 4], or `min_level` above `max_level`.
        OutOfRangeError: `rois_num` does not sum up to R.

    References:
        Lin et al., Feature Pyramid Networks (2017), formula 1.

    Differs:
        PaddlePaddle 3.3.1 needs `rois_num` when run eagerly.
    """
    # No float lies more levels from another one; a wrong number would make endless lists.
    if not 0 <= max_level - min_level <= _MOST_LEVELS or not refer_scale > 0:
        raise InvalidArgumentError(
            f"`distribute_fpn_proposals` got min_level={min_level}, max_level={max_level} and "
            f"refer_scale={refer_scale}",
            expected="min_level <= max_level, few levels apart, and a positive scale",
            fix="correct the levels",
        )
    levels = (int(min_level), int(max_level), int(refer_level))
    found = _distribute(fpn_rois, rois_num, levels, refer_scale, pixel_offset)
    count = levels[1] - levels[0] + 1
    of_level = None if rois_num is None else list(found[count + 1 :])
    return list(found[:count]), found[count], of_level


def _moved(anchors: np.ndarray, deltas: np.ndarray, variances: np.ndarray, extra: float) -> Any:
    """Boxes that anchors become by predicted differences."""
    sizes = anchors[:, 2:] - anchors[:, :2] + extra
    middles = anchors[:, :2] + sizes / 2
    scaled = deltas * variances
    middles = middles + scaled[:, :2] * sizes
    sizes = np.exp(np.minimum(scaled[:, 2:], _LARGEST_GROWTH)) * sizes
    return np.hstack([middles - sizes / 2, middles + sizes / 2 - extra]).astype(anchors.dtype)


def _proposals(
    scores: np.ndarray, boxes: np.ndarray, image: np.ndarray, settings: tuple[Any, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes [r, 4] and scores [r] that stay of one image's, which come by falling score."""
    most, threshold, least, decay, extra = settings
    limits = np.tile(image[::-1] - extra, 2).astype(boxes.dtype)
    boxes = np.clip(boxes, 0, np.maximum(limits, 0))
    sizes = boxes[:, 2:] - boxes[:, :2] + extra
    is_kept = (sizes >= max(least, 1.0)).all(1)
    if extra:
        is_kept &= (boxes[:, :2] + sizes / 2 <= image[::-1]).all(1)
    boxes, scores = boxes[is_kept], scores[is_kept]
    if not len(boxes):
        # As in Paddle, an image without proposals gets one empty box.
        return np.zeros([1, 4], boxes.dtype), np.zeros([1], scores.dtype)
    if threshold > 0:
        places = suppressed(boxes, threshold, extra, decay)
        places = places if most <= 0 else places[:most]
        boxes, scores = boxes[places], scores[places]
    return boxes, scores


def _check_maps(scores: Any, deltas: Any, img_size: Any, anchors: Any, variances: Any) -> None:
    fits = (
        scores.ndim == deltas.ndim == anchors.ndim == 4
        and deltas.shape == (scores.shape[0], 4 * scores.shape[1], *scores.shape[2:])
        and anchors.shape == (*scores.shape[2:], scores.shape[1], 4) == variances.shape
        and img_size.shape == (scores.shape[0], 2)
    )
    if not fits:
        given = {"scores": scores, "bbox_deltas": deltas, "img_size": img_size, "anchors": anchors}
        given["variances"] = variances
        raise InvalidArgumentError(
            "`generate_proposals` got "
            + ", ".join(f"{name} {describe_array(array)}" for name, array in given.items()),
            expected="scores [N, A, H, W], bbox_deltas [N, 4*A, H, W], img_size [N, 2], anchors "
            "and variances [H, W, A, 4]",
            fix="bring the axes into this order",
        )


@op(name="generate_proposals", public=False, dynamic_shape=True, differentiable=False)
def _generate(
    scores: Array,
    bbox_deltas: Array,
    img_size: Array,
    anchors: Array,
    variances: Array,
    pre_nms_top_n: int,
    settings: Any,
):
    """All three outputs of `generate_proposals`."""
    shapes = anchors.shape, variances.shape
    if len(shapes[0]) == 2 == len(shapes[1]) and scores.ndim == 4:
        like = (*scores.shape[2:], scores.shape[1], 4)
        if math.prod(like) == anchors.size == variances.size:
            anchors, variances = anchors.reshape(like), variances.reshape(like)
    _check_maps(scores, bbox_deltas, img_size, anchors, variances)
    extra = settings[-1]
    batch, parts, rows, columns = scores.shape
    values_NP = np.asarray(scores).transpose(0, 2, 3, 1).reshape(batch, -1)
    deltas = np.asarray(bbox_deltas).reshape(batch, parts, 4, rows, columns)
    deltas_NP4 = deltas.transpose(0, 3, 4, 1, 2).reshape(batch, -1, 4)
    places, spread = np.asarray(anchors).reshape(-1, 4), np.asarray(variances).reshape(-1, 4)
    found = []
    for values, moves, image in zip(values_NP, deltas_NP4, np.asarray(img_size), strict=True):
        order = descending(values)
        order = order if pre_nms_top_n <= 0 else order[:pre_nms_top_n]
        boxes = _moved(places[order], moves[order], spread[order], extra)
        found.append(_proposals(values[order], boxes, image, settings))
    none = np.zeros([0, 4], places.dtype), np.zeros([0], values_NP.dtype)
    boxes, kept = (np.concatenate(parts) for parts in zip(none, *found, strict=True))
    counts = np.asarray([len(part) for part, _ in found], np.int32)
    return jnp.asarray(boxes), jnp.asarray(kept[:, None]), jnp.asarray(counts)


@composite
def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    pixel_offset: bool = False,
    return_rois_num: bool = False,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The boxes that a region proposal network proposes.

    The best anchors are moved by their predicted differences, cut at the image's borders, small
    ones dropped, and of those that overlap the best kept.

    Args:
        scores: float tensor [N, A, H, W], whether an anchor holds an object.
        bbox_deltas: [N, 4 * A, H, W], differences (dx, dy, dw, dh) of each anchor.
        img_size: [N, 2], height and width of the images.
        anchors: [H, W, A, 4] of (x1, y1, x2, y2).
        variances: [H, W, A, 4], factors of the differences.
        pre_nms_top_n: how many anchors take part at most; up to 0: all.
        post_nms_top_n: how many proposals an image has at most.
        nms_thresh: the largest overlap that is allowed; up to 0: any.
        min_size: the least width and height, at least 1.
        eta: below 1, the threshold shrinks by it after each proposal while it is above 0.5.
        pixel_offset: whether extents count pixels: x2 - x1 + 1.
        return_rois_num: whether to give counts.
        name: not used.

    Returns:
        Boxes [R, 4], scores [R, 1] and, if asked for, int32 counts [N]. An image without
        proposals has one box of zeros.

    Raises:
        InvalidArgumentError: shapes that do not fit.

    References:
        Ren et al., Faster R-CNN (2015).

    Differs:
        PaddlePaddle 3.3.1 needs `return_rois_num=True` when run eagerly.
    """
    extra = 1.0 if pixel_offset else 0.0
    settings = (int(post_nms_top_n), float(nms_thresh), float(min_size), float(eta), extra)
    found = _generate(scores, bbox_deltas, img_size, anchors, variances, pre_nms_top_n, settings)
    return found if return_rois_num else found[:2]
