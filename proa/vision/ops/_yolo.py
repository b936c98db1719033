"""Boxes that a YOLOv3 head predicts, and the loss that trains it.

Axes in names: N images, A anchors of the head, H rows, W columns, B labelled boxes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax

from proa.core import (
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    composite,
    describe_array,
    op,
)
from proa.ops._host_checks import host_values

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Ints


#: Labelled boxes up to this width or height (of 1) are none.
_LEAST = 1e-6


def _anchor_sizes(anchors: Any, op_name: str) -> tuple[tuple[int, int], ...]:
    """Pairs (width, height)."""
    values = anchors if isinstance(anchors, tuple) else ()
    if not values or len(values) % 2 or min(values) <= 0:
        raise InvalidArgumentError(
            f"`anchors` of `{op_name}` is {anchors!r}",
            expected="a list of positive integers: width and height of each anchor, in pixels",
            fix="complete the list",
        )
    return tuple(zip(values[::2], values[1::2], strict=True))


def _chosen_anchors(anchor_mask: Any, count: int) -> tuple[int, ...]:
    chosen = anchor_mask if isinstance(anchor_mask, tuple) else (anchor_mask,)
    if not chosen or min(chosen) < 0 or max(chosen) >= count:
        raise InvalidArgumentError(
            f"`anchor_mask` of `yolo_loss` is {anchor_mask!r} for {count} anchors",
            expected=f"indices in [0, {count}) of the anchors of this head",
            fix="correct the indices",
        )
    return chosen


def _check_head(x: Array, channels: int, class_num: int, downsample: int, op_name: str) -> None:
    if class_num < 1 or downsample < 1:
        raise InvalidArgumentError(
            f"`{op_name}` got class_num={class_num} and downsample_ratio={downsample}",
            expected="positive integers",
            fix="give the numbers that the head was built for",
        )
    if x.ndim != 4 or x.shape[1] != channels or not jnp.issubdtype(x.dtype, jnp.floating):
        raise InvalidArgumentError(
            f"`x` of `{op_name}` is {describe_array(x)}",
            expected=f"a floating tensor [N, {channels}, H, W]: per anchor 4 numbers of the box, "
            f"the objectness and {class_num} classes",
            fix="check anchors, class_num and the last layer of the head",
        )


def _centres(x_NAKHW: Array, scale: float) -> tuple[Array, Array]:
    """Centres of the predicted boxes, in cells from the map's corner: across, down."""
    rows, columns = x_NAKHW.shape[3:]
    spread = jax.nn.sigmoid(x_NAKHW[:, :, :2]) * scale - 0.5 * (scale - 1)
    across = spread[:, :, 0] + jnp.arange(columns).astype(spread.dtype)
    return across, spread[:, :, 1] + jnp.arange(rows).astype(spread.dtype)[:, None]


@op(name="yolo_box", method=None, public=False, differentiable=False)
def _yolo_box(
    x: Array,
    img_size: Index,
    anchors: Ints,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
):
    """Boxes and scores of `yolo_box`."""
    pairs = _anchor_sizes(anchors, "yolo_box")
    parts = 5 + class_num
    channels = len(pairs) * (parts + iou_aware)
    _check_head(x, channels, class_num, downsample_ratio, "yolo_box")
    if img_size.shape != (x.shape[0], 2):
        raise InvalidArgumentError(
            f"`img_size` of `yolo_box` is {describe_array(img_size)} for x {describe_array(x)}",
            expected="integers [N, 2]: height and width of each image",
            fix="give one row per image",
        )
    batch, rows, columns = x.shape[0], x.shape[2], x.shape[3]
    head = x[:, len(pairs) :] if iou_aware else x
    head_NAKHW = head.reshape(batch, len(pairs), parts, rows, columns)
    confidence = jax.nn.sigmoid(head_NAKHW[:, :, 4])
    if iou_aware:
        overlap = jax.nn.sigmoid(x[:, : len(pairs)])
        confidence = confidence ** (1 - iou_aware_factor) * overlap**iou_aware_factor
    is_sure = confidence >= conf_thresh
    across, down = _centres(head_NAKHW, scale_x_y)
    size = jnp.asarray(pairs).astype(x.dtype)[:, :, None, None]
    frame = jnp.asarray([columns * downsample_ratio, rows * downsample_ratio]).astype(x.dtype)
    extent = jnp.exp(head_NAKHW[:, :, 2:4]) * size / frame[:, None, None]
    image = img_size[:, ::-1].astype(x.dtype)[:, None, :, None, None]
    middle = jnp.stack([across / columns, down / rows], 2) * image
    low, high = middle - extent * image / 2, middle + extent * image / 2
    if clip_bbox:
        low, high = jnp.maximum(low, 0), jnp.minimum(high, image - 1)
    boxes = jnp.where(is_sure[:, :, None], jnp.concatenate([low, high], 2), 0)
    scores = jax.nn.sigmoid(head_NAKHW[:, :, 5:]) * confidence[:, :, None]
    scores = jnp.where(is_sure[:, :, None], scores, 0)
    boxes, scores = (jnp.moveaxis(a, 2, -1) for a in (boxes, scores))
    places = len(pairs) * rows * columns
    return boxes.reshape(batch, places, 4), scores.reshape(batch, places, class_num)


@composite
def yolo_box(
    x: Tensor,
    img_size: Tensor,
    anchors: Any,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> tuple[Tensor, Tensor]:
    """Boxes and class scores that a YOLOv3 head predicts.

    In cell (i, j) with anchor (aw, ah) and outputs (tx, ty, tw, th): the centre is
    (i + sigmoid(tx), j + sigmoid(ty)) in cells, the size (aw * exp(tw), ah * exp(th)) in pixels of
    the network's input. A score is objectness times class probability.

    Args:
        x: floating tensor [N, A * (5 + class_num), H, W]; with `iou_aware` it begins with A more
            channels, the predicted overlaps.
        img_size: integers [N, 2], height and width of the images that boxes are given in.
        anchors: width and height of each of the A anchors, in pixels, one flat list.
        class_num: number of classes.
        conf_thresh: boxes and scores of a lower objectness are zeros.
        downsample_ratio: size of the network's input by that of the map.
        clip_bbox: whether boxes end at the image's borders.
        name: not used.
        scale_x_y: widens the range of a centre beyond its cell (1: not).
        iou_aware: whether overlaps are predicted.
        iou_aware_factor: their weight f: the objectness is objectness^(1-f) * overlap^f.

    Returns:
        Boxes [N, A*H*W, 4] of (x1, y1, x2, y2) in pixels, and scores [N, A*H*W, class_num].

    Raises:
        InvalidArgumentError: shapes that do not fit the anchors and classes.

    References:
        Redmon and Farhadi, YOLOv3 (2018).
    """
    return _yolo_box(
        x,
        img_size,
        anchors,
        class_num,
        conf_thresh,
        downsample_ratio,
        clip_bbox,
        scale_x_y,
        iou_aware,
        iou_aware_factor,
    )


# Loss ------------------------------------------------------------------------------------------


def _cross_entropy(logit: Array, label: Any) -> Array:
    return jax.nn.softplus(logit) - logit * label


def _overlap(a: tuple[Any, ...], b: tuple[Any, ...]) -> Array:
    """Intersection over union of boxes (centre across, centre down, width, height)."""
    sides = []
    for axis in (0, 1):
        low = jnp.maximum(a[axis] - a[axis + 2] / 2, b[axis] - b[axis + 2] / 2)
        high = jnp.minimum(a[axis] + a[axis + 2] / 2, b[axis] + b[axis + 2] / 2)
        sides.append(jnp.maximum(high - low, 0))
    common = sides[0] * sides[1]
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def _best_overlap(x_NAKHW: Array, gt: Array, valid_NB: Array, sizes: Array, scale: float) -> Array:
    """Highest overlap of each predicted box with a labelled one, [N, A, H, W]."""
    across, down = _centres(x_NAKHW, scale)
    rows, columns = x_NAKHW.shape[3:]
    extent = [jnp.exp(x_NAKHW[:, :, 2 + i]) * sizes[:, i, None, None] for i in (0, 1)]
    predicted = [a[..., None] for a in (across / columns, down / rows, *extent)]
    labelled = [gt[:, None, None, None, :, i] for i in range(4)]
    overlap = _overlap(tuple(predicted), tuple(labelled))
    is_valid = valid_NB[:, None, None, None]
    return jnp.max(jnp.where(is_valid, overlap, 0), axis=-1, initial=0)


def _check_labels(gt_box: Any, gt_label: Any, class_num: int, **_: Any) -> None:
    boxes, labels = host_values(gt_box), host_values(gt_label)
    if boxes is None or labels is None:
        return
    is_box = (boxes[..., 2] > _LEAST) & (boxes[..., 3] > _LEAST)
    wrong = labels[is_box & ((labels < 0) | (labels >= class_num))]
    if wrong.size:
        raise OutOfRangeError(
            f"`gt_label` of `yolo_loss` holds {int(wrong[0])} for a box",
            expected=f"a class: an integer in [0, {class_num})",
            fix="correct the labels; rows without a box have width and height 0",
        )


def _check_truth(x: Array, gt_box: Array, others: tuple[Any, ...]) -> None:
    if gt_box.ndim != 3 or gt_box.shape[2] != 4 or gt_box.shape[0] != x.shape[0]:
        raise InvalidArgumentError(
            f"`gt_box` of `yolo_loss` is {describe_array(gt_box)} for x {describe_array(x)}",
            expected="[N, B, 4] of (centre x, centre y, width, height), relative to the image",
            fix="fill up with rows of zeros to the same B for all images",
        )
    for name, given in zip(("gt_label", "gt_score"), others, strict=True):
        if given is not None and given.shape != gt_box.shape[:2]:
            raise InvalidArgumentError(
                f"`{name}` of `yolo_loss` is {describe_array(given)}",
                expected=f"one entry per row of gt_box: {list(gt_box.shape[:2])}",
                fix="reshape it",
            )


@op(name="yolo_loss", method=None, public=False, check=_check_labels)
def _yolo_loss(
    x: Array,
    gt_box: Array,
    gt_label: Index,
    gt_score: Array | None,
    anchors: Ints,
    anchor_mask: Ints,
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    use_label_smooth: bool,
    scale_x_y: float,
) -> Array:
    """The loss of `yolo_loss`, [N]."""
    pairs = _anchor_sizes(anchors, "yolo_loss")
    chosen = _chosen_anchors(anchor_mask, len(pairs))
    _check_head(x, len(chosen) * (5 + class_num), class_num, downsample_ratio, "yolo_loss")
    _check_truth(x, gt_box, (gt_label, gt_score))
    rows, columns = x.shape[2:]
    frame = jnp.asarray([columns * downsample_ratio, rows * downsample_ratio]).astype(x.dtype)
    sizes = jnp.asarray(pairs).astype(x.dtype) / frame
    gt = lax.stop_gradient(gt_box).astype(x.dtype)
    score_NB = jnp.ones(gt.shape[:2], x.dtype)
    if gt_score is not None:
        score_NB = lax.stop_gradient(gt_score).astype(x.dtype)
    valid_NB = (gt[..., 2] > _LEAST) & (gt[..., 3] > _LEAST)
    x_NAKHW = x.reshape(x.shape[0], len(chosen), 5 + class_num, rows, columns)
    fixed, own = lax.stop_gradient(x_NAKHW), sizes[jnp.asarray(chosen)]
    best = _best_overlap(fixed, gt, valid_NB, own, scale_x_y)
    part_NB = _matching_part(gt, sizes, chosen)
    hit_NB = valid_NB & (part_NB >= 0)
    part_NB = jnp.maximum(part_NB, 0)
    places = [gt[..., i] * extent for i, extent in enumerate((columns, rows))]
    cells = [
        jnp.clip(place.astype(jnp.int32), 0, extent - 1)
        for place, extent in zip(places, (columns, rows), strict=True)
    ]
    where_NB = (jnp.arange(x.shape[0])[:, None], part_NB, cells[1], cells[0])
    found_NBK = x_NAKHW[where_NB[0], part_NB, :, cells[1], cells[0]]
    smoothing = min(1.0 / class_num, 1.0 / 40) if use_label_smooth else 0.0
    safe = jnp.where(hit_NB[..., None], gt, 0.5)
    target = (*(p - c for p, c in zip(places, cells, strict=True)), safe[..., 2:], own[part_NB])
    each_NB = _box_loss(found_NBK, target, safe) + _class_loss(found_NBK, gt_label, smoothing)
    total = jnp.where(hit_NB, each_NB * score_NB, 0).sum(1)
    wanted = _wanted_objectness(best > ignore_thresh, where_NB, hit_NB, score_NB)
    return total + _objectness_loss(x_NAKHW[:, :, 4], wanted).sum((1, 2, 3))


def _matching_part(gt: Array, sizes: Array, chosen: tuple[int, ...]) -> Array:
    """Which of the head's anchors has a labelled box's shape best, [N, B]; -1 for none of them."""
    # All boxes are moved onto one centre.
    here = (0.0, 0.0)
    overlap = _overlap((*here, gt[..., 2, None], gt[..., 3, None]), (*here, *sizes.T))
    parts = [chosen.index(i) if i in chosen else -1 for i in range(sizes.shape[0])]
    return jnp.asarray(parts)[jnp.argmax(overlap, -1)]


def _box_loss(found_NBK: Array, target: tuple[Any, ...], gt: Array) -> Array:
    across, down, size, anchor = target
    loss = _cross_entropy(found_NBK[..., 0], across) + _cross_entropy(found_NBK[..., 1], down)
    distance = jnp.abs(found_NBK[..., 2:4] - jnp.log(size / anchor)).sum(-1)
    # Small boxes count more.
    return (loss + distance) * (2 - gt[..., 2] * gt[..., 3])


def _class_loss(found_NBK: Array, gt_label: Array, smoothing: float) -> Array:
    classes = found_NBK.shape[-1] - 5
    is_own = gt_label[..., None] == jnp.arange(classes)
    return _cross_entropy(found_NBK[..., 5:], jnp.where(is_own, 1 - smoothing, smoothing)).sum(-1)


def _wanted_objectness(near: Array, where_NB: Any, hit_NB: Array, score_NB: Array) -> Array:
    """Per place: the score of the labelled box there, 0 for none, -1 for no matter."""
    batch, count = hit_NB.shape
    wanted = jnp.where(near, -1, 0).astype(score_NB.dtype)
    if count == 0:
        return wanted
    # Where several boxes share a place, the last one counts.
    number = jnp.where(hit_NB, jnp.arange(count), -1)
    owner = jnp.full(near.shape, -1).at[where_NB].max(number)
    scores = score_NB[jnp.arange(batch)[:, None, None, None], jnp.maximum(owner, 0)]
    return jnp.where(owner >= 0, scores, wanted)


def _objectness_loss(logit: Array, wanted: Array) -> Array:
    is_object, is_background = wanted > 1e-5, (wanted <= 1e-5) & (wanted > -0.5)
    positive = jnp.where(is_object, _cross_entropy(logit, 1) * wanted, 0)
    return positive + jnp.where(is_background, _cross_entropy(logit, 0), 0)


@composite
def yolo_loss(
    x: Tensor,
    gt_box: Tensor,
    gt_label: Tensor,
    anchors: Any,
    anchor_mask: Any,
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Tensor | None = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Tensor:
    """Loss of one head of YOLOv3 against labelled boxes.

    A labelled box is the task of the anchor with the most similar shape, in the cell of its
    centre: cross entropy of the centre's place in the cell and of the classes, absolute
    difference of the logarithms of the size, weighted with 2 - width * height. Objectness is
    trained everywhere, but for predictions that overlap a labelled box by more than the
    threshold without being its task.

    Args:
        x: floating tensor [N, A * (5 + class_num), H, W], the head's output.
        gt_box: labelled boxes [N, B, 4] of (centre x, centre y, width, height), all relative to
            the image; rows of zeros are no boxes.
        gt_label: integer classes [N, B].
        anchors: width and height in pixels of all anchors, one flat list.
        anchor_mask: indices of the A anchors of this head.
        class_num: number of classes.
        ignore_thresh: the overlap above which a prediction is not taken for background.
        downsample_ratio: size of the network's input by that of the map.
        gt_score: weights [N, B] of the labelled boxes, for mixed images; ones by default.
        use_label_smooth: whether classes are trained towards 1 - s and s, with
            s = min(1 / class_num, 1 / 40).
        name: not used.
        scale_x_y: widens the range of a centre beyond its cell (1: not).

    Returns:
        Tensor [N]: the loss of each image. Gradients flow to `x` alone.

    Raises:
        InvalidArgumentError: shapes that do not fit the anchors and classes.
        OutOfRangeError: a label of a box that is no class (checked eagerly).

    References:
        Redmon and Farhadi, YOLOv3 (2018); Zhang et al., Bag of Freebies for Training Object
        Detection Neural Networks (2019).

    Differs:
        Where labelled boxes share anchor and cell, PaddlePaddle 3.3.1 adds up their losses but
        passes back the gradient of the last one alone.
    """
    return _yolo_loss(
        x,
        gt_box,
        gt_label,
        gt_score,
        anchors,
        anchor_mask,
        class_num,
        ignore_thresh,
        downsample_ratio,
        use_label_smooth,
        scale_x_y,
    )
