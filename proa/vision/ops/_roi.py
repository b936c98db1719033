"""Pooling over regions of interest: each box gives a map of fixed size.

A bin is a rectangle, so its pool is one operation along rows and one along columns. Axes in names:
R boxes, C channels, P rows and Q columns of the result, H and W of the feature map, K samples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, OutOfRangeError, describe_array, op
from proa.nn._function_layer import FunctionLayer
from proa.ops._conv_lowering import on_cpu
from proa.ops._host_checks import host_values
from proa.ops._windows import expand, is_constant, require_constant

from ._boxes import check_boxes

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Ints

#: Elements that are worked on at a time, over all boxes.
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


def _over_boxes(one: Callable[..., Array], together: int, *of_boxes: Array) -> Array:
    """Applies `one` to the numbers of each box.

    Args:
        one: the function of one box; what it reads is read again for the gradient.
        together: boxes to work on at a time.
        of_boxes: what `one` takes, for all boxes.
    """

    def of_box(numbers: Any) -> Array:
        return one(*numbers)

    count = of_boxes[0].shape[0]
    if not is_constant(count) or count <= together:
        return jax.vmap(of_box)(of_boxes)
    # One at a time without the axis of a batch, over which products of matrices are slow.
    options = {"batch_size": together} if together > 1 else {}
    return lax.map(jax.checkpoint(of_box), of_boxes, **options)


def _at_once(size: Any) -> int:
    """How many boxes to work on at a time, where each takes `size` elements."""
    if on_cpu():
        return 1
    return max(1, _AT_ONCE // max(size, 1)) if is_constant(size) else 1


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


def _weighted(x_HF: Array, rows_PH: Array, columns_QW: Array) -> Array:
    """Weighted sums [Q, P, C] of a map whose columns and channels are one axis F."""
    bins, width = rows_PH.shape[0], columns_QW.shape[1]
    channels = x_HF.shape[1] // width
    x_PWC = jnp.dot(rows_PH, x_HF, precision="highest").reshape(bins, width, channels)
    x_WF = x_PWC.transpose(1, 0, 2).reshape(width, bins * channels)
    y = jnp.dot(columns_QW, x_WF, precision="highest")
    return y.reshape(columns_QW.shape[0], bins, channels)


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
    batch, channels, height, width = x.shape
    x_NHF = x.astype(dtype).transpose(0, 2, 3, 1).reshape(batch, height, width * channels)
    together = _at_once(height * width * channels)

    def one(image: Array, *weights: Array) -> Array:
        return _weighted(x_NHF[image], *weights)

    y = _over_boxes(one, together, _images(boxes, boxes_num), *weights)
    return y.transpose(0, 3, 2, 1).astype(x.dtype)


# Maximum ---------------------------------------------------------------------------------------


def _rounded(places: Array) -> Array:
    """Nearest integer, halves away from zero."""
    return jnp.sign(places) * jnp.floor(jnp.abs(places) + 0.5)


def _inside(low_RP: Array, high_RP: Array, size: Any) -> Array:
    """Whether an element is in a bin, [R, P, size]."""
    element = jnp.arange(size)
    return (element >= low_RP[..., None]) & (element < high_RP[..., None])


def _first_larger(a: Array, b: Array) -> Array:
    """The larger of two, and the gradient to it alone: to the first of equals."""
    return jnp.where(a >= b, a, b)


def _window_maxima(x: Array, axis: int) -> Array:
    """Largest elements of all windows of 1, 2, 4, ... along an axis, one size after the other.

    The maximum over any range is then that of two windows, whatever its extent.
    """
    size = x.shape[axis]
    levels, reach = [x], 1
    while 2 * reach <= size:
        below = levels[-1]
        beyond = jnp.full_like(lax.slice_in_dim(below, 0, reach, axis=axis), -jnp.inf)
        moved = jnp.concatenate([lax.slice_in_dim(below, reach, size, axis=axis), beyond], axis)
        levels.append(_first_larger(below, moved))
        reach *= 2
    return jnp.concatenate(levels, axis)


def _range_maxima(maxima_LF: Array, start: Any, size: int, low: Array, high: Array) -> Array:
    """Largest elements of the ranges [low, high) from `_window_maxima` from a line on."""
    # An empty range reads any element.
    low = jnp.minimum(low, max(size - 1, 0))
    extent = jnp.maximum(high - low, 1)
    level = 31 - lax.clz(extent)
    last = jnp.maximum(low + extent - (1 << level), low)
    take = start + level * size
    return _first_larger(maxima_LF[take + low], maxima_LF[take + last])


def _largest(maxima_LF: Array, size: tuple[int, int], start: Array, *bounds: Array) -> Array:
    """Largest element [P, Q, C] of each bin, zero for an empty bin.

    Args:
        maxima_LF: `_window_maxima` along columns; rows and channels are one axis F.
        size: rows and columns of the map.
        start: where the lines of the box's image begin.
        bounds: first row and row after the last one, each [P], then those of columns, [Q].
    """
    height, width = size
    low_P, high_P, low_Q, high_Q = bounds
    lines_QF = _range_maxima(maxima_LF, start, width, low_Q, high_Q)
    x_QHC = lines_QF.reshape(low_Q.shape[0], height, maxima_LF.shape[1] // height)
    x_HQC = _window_maxima(x_QHC.transpose(1, 0, 2), 0)
    y = _range_maxima(x_HQC, 0, height, low_P, high_P)
    is_empty = (high_P <= low_P)[:, None] | (high_Q <= low_Q)
    return jnp.where(is_empty[..., None], 0, y)


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
    require_constant("the size of the feature map", "roi_pool", *x.shape[1:])
    places = _rounded(lax.stop_gradient(boxes).astype(_wide(x)) * spatial_scale)
    bounds = []
    for axis in (1, 0):
        bins, size = sizes[1 - axis], x.shape[3 - axis]
        begin = places[:, axis, None]
        each = jnp.maximum(places[:, axis + 2, None] - begin + 1, 1) / bins
        number = jnp.arange(bins).astype(each.dtype)
        low, high = jnp.floor(number * each) + begin, jnp.ceil((number + 1) * each) + begin
        bounds += [jnp.clip(end, 0, size).astype(jnp.int32) for end in (low, high)]
    batch, channels, height, width = x.shape
    maxima_NLHC = _window_maxima(x.transpose(0, 3, 2, 1), 1)
    lines = maxima_NLHC.shape[1]
    maxima_LF = maxima_NLHC.reshape(batch * lines, height * channels)
    together = max(1, _AT_ONCE // max(sizes[1] * height * channels, 1))
    one = functools.partial(_largest, maxima_LF, (height, width))
    starts = _images(boxes, boxes_num) * lines
    y = _over_boxes(one, together, starts, *bounds)
    return y.transpose(0, 3, 1, 2)


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
    together = _at_once(x.shape[1] * x.shape[2] * x.shape[3])
    wide = x.astype(dtype)

    def one(image: Array, *masks: Array) -> Array:
        return _own_channel_mean(wide[image], *masks)

    y = _over_boxes(one, together, _images(boxes, boxes_num), *masks)
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
