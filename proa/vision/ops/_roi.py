"""Pooling over regions of interest: each box gives a map of fixed size.

A bin is a rectangle, so its pool is one operation along rows and one along columns. Axes in names:
R boxes, C channels, P rows and Q columns of the result, H and W of the feature map, K samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, OutOfRangeError, describe_array, op
from proa.nn._function_layer import FunctionLayer
from proa.ops._host_checks import host_values
from proa.ops._windows import expand, is_constant

from ._boxes import check_boxes

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Ints

#: Elements of feature maps that are copied at a time, one map per box.
_AT_ONCE = 1 << 22


def _check_counts(x: Any, boxes: Any, boxes_num: Any, **_: Any) -> None:
    counts = host_values(boxes_num)
    if counts is None or boxes.ndim != 2:
        return
    if (counts < 0).any() or counts.sum() != boxes.shape[0]:
        raise OutOfRangeError(
            f"`boxes_num` is {counts.tolist()[:20]} for {boxes.shape[0]} boxes",
            expected="how many of the boxes belong to each image, image by image",
            fix="make the counts sum up to the number of boxes",
        )


def _check_roi(x: Array, boxes: Array, boxes_num: Array, op_name: str) -> None:
    check_boxes(boxes, "boxes", op_name)
    if x.ndim != 4 or not jnp.issubdtype(x.dtype, jnp.floating):
        raise InvalidArgumentError(
            f"`x` of `{op_name}` is {describe_array(x)}",
            expected="a floating feature map [N, C, H, W]",
            fix="add the missing axis, or cast it",
        )
    if boxes_num.ndim != 1 or boxes_num.shape[0] != x.shape[0]:
        raise InvalidArgumentError(
            f"`boxes_num` of `{op_name}` is {describe_array(boxes_num)} for x {describe_array(x)}",
            expected="one count per image",
            fix="give zero for an image without boxes",
        )


def _images(boxes: Array, boxes_num: Array) -> Array:
    """The image that each box belongs to, [R]."""
    ends = jnp.cumsum(boxes_num)
    return jnp.searchsorted(ends, jnp.arange(boxes.shape[0]), side="right")


def _over_boxes(one: Callable[..., Array], x: Array, *of_boxes: Array) -> Array:
    """Applies `one(feature map, ...)` to the map and the numbers of each box.

    Large maps are copied for some boxes at a time, and again for the gradient.
    """

    def of_box(numbers: Any) -> Array:
        return one(x[numbers[0]], *numbers[1:])

    if not is_constant(*x.shape, *of_boxes[0].shape):
        return jax.vmap(of_box)(of_boxes)
    count, size = of_boxes[0].shape[0], x.shape[1] * x.shape[2] * x.shape[3]
    if count * size <= _AT_ONCE:
        return jax.vmap(of_box)(of_boxes)
    together = max(1, min(count, _AT_ONCE // size))
    return lax.map(jax.checkpoint(of_box), of_boxes, batch_size=together)


def _wide(x: Array) -> Any:
    """The dtype that places in the map are computed in."""
    return jnp.promote_types(x.dtype, jnp.float32)


# Align -----------------------------------------------------------------------------------------


def _sample_weights(low_RP: Array, bin_R: Array, size: Any, samples: int) -> Array:
    """Weights [R, P, size] that a line's elements have in the mean of each bin's samples.

    A sample reads linearly between two elements, the outer element up to one place outside
    the map, and zero beyond.

    Args:
        low_RP: where each bin begins.
        bin_R: its extent.
        size: elements of the line.
        samples: samples of a bin; otherwise the bin's extent, rounded up.
    """
    element = jnp.arange(size).astype(low_RP.dtype)
    if samples > 0:
        count, offset = jnp.full_like(bin_R, samples), jnp.arange(samples).astype(low_RP.dtype)
        step = bin_R / samples
        at = low_RP[..., None] + (offset + 0.5) * step[:, None, None]
        return (_hat(at[..., None], element, size) / samples).sum(-2)
    count = jnp.maximum(jnp.ceil(bin_R), 0)
    step = jnp.where(count > 0, bin_R / jnp.maximum(count, 1), 1)
    total = jnp.zeros((*low_RP.shape, size), low_RP.dtype)
    # Samples are more than half an element apart, so that no more than four of them read an
    # element, which are within one place of it; the others make up for rounding.
    begin, step, count = low_RP[..., None], step[:, None, None], count[:, None, None]
    first = jnp.maximum(jnp.ceil((element - 1 - begin) / step - 0.5) - 1, 0)
    for k in range(7):
        number = first + k
        weight = _hat(begin + (number + 0.5) * step, element, size)
        total = total + jnp.where(number < count, weight, 0)
    return total / jnp.maximum(count, 1)


def _hat(at: Array, element: Array, size: Any) -> Array:
    inside = (at >= -1) & (at <= size)
    distance = jnp.abs(jnp.clip(at, 0, size - 1) - element)
    return jnp.where(inside, jnp.maximum(1 - distance, 0), 0)


def _weighted(x_CHW: Array, rows_PH: Array, columns_QW: Array) -> Array:
    return jnp.einsum("chw,ph,qw->cpq", x_CHW, rows_PH, columns_QW, precision="highest")


@op(method=None, check=_check_counts)
def roi_align(
    x: Array,
    boxes: Array,
    boxes_num: Index,
    output_size: Ints,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
) -> Array:
    """Means of samples on a regular grid in each bin of each box, read linearly.

    Args:
        x: floating feature map [N, C, H, W].
        boxes: [R, 4] of (x1, y1, x2, y2) in the image's pixels, those of image 0 first.
        boxes_num: integers [N]: how many boxes each image has.
        output_size: P, or (P, Q).
        spatial_scale: size of the feature map by that of the image.
        sampling_ratio: samples of a bin along each axis; up to 0: its extent, rounded up.
        aligned: whether places are shifted by half an element, so that a box covers what it
            says; without it, boxes are at least one element wide.

    Returns:
        Tensor [R, C, P, Q]; zeros for a box without area. Gradients flow to `x` alone.

    Raises:
        InvalidArgumentError: shapes that do not fit.
        OutOfRangeError: `boxes_num` does not sum up to R (checked eagerly).

    Examples:
        >>> import proa
        >>> x = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> boxes = proa.to_tensor([[0.0, 0.0, 4.0, 4.0]])
        >>> proa.vision.ops.roi_align(x, boxes, proa.to_tensor([1]), 2).tolist()
        [[[[2.5, 4.5], [10.5, 12.5]]]]

    References:
        He et al., Mask R-CNN (2017), section 3.

    Differs:
        PaddlePaddle 3.3.1 gives NaN for a box without area, and for boxes narrower than one
        element a gradient that is not that of its own result.
    """
    _check_roi(x, boxes, boxes_num, "roi_align")
    sizes = expand(output_size, 2, "output_size", "roi_align")
    dtype = _wide(x)
    places = lax.stop_gradient(boxes).astype(dtype) * spatial_scale - (0.5 if aligned else 0)
    weights = []
    for axis in (1, 0):
        bins, size = sizes[1 - axis], x.shape[3 - axis]
        begin, extent = places[:, axis], places[:, axis + 2] - places[:, axis]
        if not aligned:
            extent = jnp.maximum(extent, 1)
        each = extent / bins
        low_RP = begin[:, None] + jnp.arange(bins).astype(dtype) * each[:, None]
        weights.append(_sample_weights(low_RP, each, size, sampling_ratio))
    y = _over_boxes(_weighted, x.astype(dtype), _images(boxes, boxes_num), *weights)
    return y.astype(x.dtype)


# Maximum ---------------------------------------------------------------------------------------


def _rounded(places: Array) -> Array:
    """Nearest integer, halves away from zero."""
    return jnp.sign(places) * jnp.floor(jnp.abs(places) + 0.5)


def _inside(low_RP: Array, high_RP: Array, size: Any) -> Array:
    """Whether an element is in a bin, [R, P, size]."""
    element = jnp.arange(size)
    return (element >= low_RP[..., None]) & (element < high_RP[..., None])


def _largest(x_CHW: Array, rows_PH: Array, columns_QW: Array) -> Array:
    """Largest element of each bin, the first one of equals; zero for an empty bin."""
    width = x_CHW.shape[2]
    fixed = lax.stop_gradient(x_CHW)
    low = jnp.asarray(-jnp.inf, x_CHW.dtype)
    masked_CHQW = jnp.where(columns_QW, fixed[:, :, None, :], low)
    column_CHQ, best_CHQ = jnp.argmax(masked_CHQW, -1), jnp.max(masked_CHQW, -1)
    row_CPQ = jnp.argmax(jnp.where(rows_PH[..., None], best_CHQ[:, None], low), 2)
    at_CPQ = row_CPQ * width + jnp.take_along_axis(column_CHQ, row_CPQ, 1)
    flat = x_CHW.reshape(x_CHW.shape[0], x_CHW.shape[1] * width)
    values = jnp.take_along_axis(flat, at_CPQ.reshape(x_CHW.shape[0], -1), 1)
    is_empty = ~(rows_PH.any(1)[:, None] & columns_QW.any(1))
    return jnp.where(is_empty, 0, values.reshape(at_CPQ.shape))


@op(method=None, check=_check_counts)
def roi_pool(
    x: Array,
    boxes: Array,
    boxes_num: Index,
    output_size: Ints,
    spatial_scale: float = 1.0,
) -> Array:
    """Largest element in each bin of each box, whose corners are rounded to elements.

    Args:
        x: floating feature map [N, C, H, W].
        boxes: [R, 4] of (x1, y1, x2, y2) in the image's pixels, those of image 0 first; both
            corners belong to the box.
        boxes_num: integers [N]: how many boxes each image has.
        output_size: P, or (P, Q).
        spatial_scale: size of the feature map by that of the image.

    Returns:
        Tensor [R, C, P, Q]; zero for a bin outside the map. Gradients flow to `x` alone.

    Raises:
        InvalidArgumentError: shapes that do not fit.
        OutOfRangeError: `boxes_num` does not sum up to R (checked eagerly).

    References:
        Girshick, Fast R-CNN (2015), section 2.1.
    """
    _check_roi(x, boxes, boxes_num, "roi_pool")
    sizes = expand(output_size, 2, "output_size", "roi_pool")
    places = _rounded(lax.stop_gradient(boxes).astype(_wide(x)) * spatial_scale)
    masks = []
    for axis in (1, 0):
        bins, size = sizes[1 - axis], x.shape[3 - axis]
        begin = places[:, axis, None]
        each = jnp.maximum(places[:, axis + 2, None] - begin + 1, 1) / bins
        number = jnp.arange(bins).astype(each.dtype)
        low, high = jnp.floor(number * each) + begin, jnp.ceil((number + 1) * each) + begin
        masks.append(_inside(low, high, size))
    return _over_boxes(_largest, x, _images(boxes, boxes_num), *masks)


# Position-sensitive mean -----------------------------------------------------------------------


def _own_channel_mean(x_CHW: Array, rows_PH: Array, columns_QW: Array) -> Array:
    sizes = (rows_PH.shape[0], columns_QW.shape[0])
    own = x_CHW.shape[0] // (sizes[0] * sizes[1])
    x_OPQHW = x_CHW.reshape(own, *sizes, *x_CHW.shape[1:])
    total = jnp.einsum("opqhw,ph,qw->opq", x_OPQHW, rows_PH, columns_QW, precision="highest")
    area = rows_PH.sum(1)[:, None] * columns_QW.sum(1)
    return total / jnp.maximum(area, 1)


@op(method=None, check=_check_counts)
def psroi_pool(
    x: Array,
    boxes: Array,
    boxes_num: Index,
    output_size: Ints,
    spatial_scale: float = 1.0,
) -> Array:
    """Mean of each bin of each box, where each bin reads a channel of its own.

    Bin (p, q) of output channel c reads channel (c * P + p) * Q + q.

    Args:
        x: floating feature map [N, O * P * Q, H, W].
        boxes: [R, 4] of (x1, y1, x2, y2) in the image's pixels, those of image 0 first.
        boxes_num: integers [N]: how many boxes each image has.
        output_size: P, or (P, Q).
        spatial_scale: size of the feature map by that of the image.

    Returns:
        Tensor [R, O, P, Q]; zero for a bin outside the map. Gradients flow to `x` alone.

    Raises:
        InvalidArgumentError: shapes that do not fit.
        OutOfRangeError: `boxes_num` does not sum up to R (checked eagerly).

    References:
        Dai et al., R-FCN (2016), section 2.
    """
    _check_roi(x, boxes, boxes_num, "psroi_pool")
    sizes = expand(output_size, 2, "output_size", "psroi_pool")
    if x.shape[1] == 0 or x.shape[1] % (sizes[0] * sizes[1]):
        raise InvalidArgumentError(
            f"`psroi_pool` got x {describe_array(x)} for an output of {list(sizes)}",
            expected=f"a multiple of {sizes[0] * sizes[1]} channels, one for each bin",
            fix="change output_size or the layer before",
        )
    dtype = _wide(x)
    fixed = lax.stop_gradient(boxes).astype(dtype)
    masks = []
    for axis in (1, 0):
        bins, size = sizes[1 - axis], x.shape[3 - axis]
        begin = _rounded(fixed[:, axis, None]) * spatial_scale
        end = (_rounded(fixed[:, axis + 2, None]) + 1) * spatial_scale
        each = jnp.maximum(end - begin, 0.1) / bins
        number = jnp.arange(bins).astype(dtype)
        low, high = jnp.floor(number * each + begin), jnp.ceil((number + 1) * each + begin)
        masks.append(_inside(low, high, size).astype(dtype))
    y = _over_boxes(_own_channel_mean, x.astype(dtype), _images(boxes, boxes_num), *masks)
    return y.astype(x.dtype)


# Layers ----------------------------------------------------------------------------------------


class RoIAlign(FunctionLayer, function=roi_align):
    """`roi_align` as a layer: called with `x`, `boxes` and `boxes_num` (and `aligned=`).

    Args:
        output_size: P, or (P, Q).
        spatial_scale: size of the feature map by that of the image.

    Examples:
        >>> import proa
        >>> pool = proa.vision.ops.RoIAlign(output_size=3)
        >>> pool(proa.ones([1, 2, 8, 8]), proa.to_tensor([[1.0, 1.0, 5.0, 5.0]]),
        ...      proa.to_tensor([1])).shape
        [1, 2, 3, 3]
    """

    output_size: int | tuple[int, int]
    spatial_scale: float = 1.0


class RoIPool(FunctionLayer, function=roi_pool):
    """`roi_pool` as a layer: called with `x`, `boxes` and `boxes_num`.

    Args:
        output_size: P, or (P, Q).
        spatial_scale: size of the feature map by that of the image.
    """

    output_size: int | tuple[int, int]
    spatial_scale: float = 1.0


class PSRoIPool(FunctionLayer, function=psroi_pool):
    """`psroi_pool` as a layer: called with `x`, `boxes` and `boxes_num`.

    Args:
        output_size: P, or (P, Q).
        spatial_scale: size of the feature map by that of the image.
    """

    output_size: int | tuple[int, int]
    spatial_scale: float = 1.0
