"""Boxes (x1, y1, x2, y2): their overlap, their coding, and the prior boxes of a detector.

Axes in names: N targets, M priors, P priors of a place, H and W places.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, describe_array, op

if TYPE_CHECKING:
    from proa.core._types import Array


def check_boxes(boxes: Any, name: str, op_name: str) -> None:
    """Refuses what is no floating tensor of shape [n, 4].

    Raises:
        InvalidArgumentError: another shape or dtype.
    """
    if boxes.ndim != 2 or boxes.shape[1] != 4 or not jnp.issubdtype(boxes.dtype, jnp.floating):
        raise InvalidArgumentError(
            f"`{name}` of `{op_name}` is {describe_array(boxes)}",
            expected="a floating tensor of shape [n, 4], each row (x1, y1, x2, y2)",
            fix="reshape it to rows of four; no boxes are zeros([0, 4])",
        )


def overlaps(boxes: np.ndarray, others: np.ndarray, extra: float = 0.0) -> np.ndarray:
    """Intersection over union of boxes with others, on the host.

    Args:
        boxes: array [..., 4].
        others: array that `boxes` can be broadcast with.
        extra: what is added to an extent: 1 for boxes that count pixels.

    Returns:
        Array [...]; 0 where both boxes are empty.
    """
    sides = []
    for axis in (0, 1):
        low = np.maximum(boxes[..., axis], others[..., axis])
        sides.append(np.minimum(boxes[..., axis + 2], others[..., axis + 2]) - low)
    width, height = sides
    # Boxes apart do not meet, even where the pixel that is added would bridge the gap.
    apart = (width < 0) | (height < 0)
    pixel = others.dtype.type(extra)
    common = np.where(apart, 0, (width + pixel) * (height + pixel)).astype(others.dtype)
    union = area(boxes, extra) + area(others, extra) - common
    return np.divide(common, union, out=np.zeros_like(common), where=union != 0)


def area(boxes: Any, extra: float = 0.0) -> Any:
    """Areas of boxes [..., 4] on the host; 0 for one whose corners are exchanged."""
    sides = boxes[..., 2:] - boxes[..., :2]
    product = (sides[..., 0] + extra) * (sides[..., 1] + extra)
    return np.where((sides < 0).any(-1), 0, product).astype(boxes.dtype)


def _centred(boxes: Array, extra: float) -> tuple[Array, Array]:
    """Centres and sizes [..., 2]."""
    sizes = boxes[..., 2:] - boxes[..., :2] + extra
    return boxes[..., :2] + sizes / 2, sizes


def _check_coding(prior: Array, variance: Any, target: Array, code: str, axis: int) -> None:
    check_boxes(prior, "prior_box", "box_coder")
    if code not in ("encode_center_size", "decode_center_size"):
        raise InvalidArgumentError(
            f"`code_type` of `box_coder` is {code!r}",
            expected="'encode_center_size' or 'decode_center_size'",
            fix="say which way to code",
        )
    if variance is not None and variance.shape not in ((4,), prior.shape):
        raise InvalidArgumentError(
            f"`prior_box_var` of `box_coder` is {describe_array(variance)}",
            expected=f"four numbers, or one row of four per prior: {list(prior.shape)}",
            fix="give [0.1, 0.1, 0.2, 0.2], a tensor like prior_box, or None",
        )
    if code == "encode_center_size":
        check_boxes(target, "target_box", "box_coder")
    elif (
        axis not in (0, 1)
        or target.ndim != 3
        or target.shape[2] != 4
        or target.shape[1 - axis] != prior.shape[0]
    ):
        raise InvalidArgumentError(
            f"`box_coder` decodes {describe_array(target)} with priors {describe_array(prior)} "
            f"and axis={axis}",
            expected="target_box [N, M, 4] for M priors with axis=0, or N priors with axis=1",
            fix="set axis, or give the target the other axis",
        )


@op(method=None, differentiable=False)
def box_coder(
    prior_box: Array,
    prior_box_var: Array | None,
    target_box: Array,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
) -> Array:
    """Writes boxes as differences from prior boxes, or reads such differences.

    With centre (cx, cy) and size (w, h) of a target t, a prior p and variances v, encoding gives
    ((t.cx - p.cx) / p.w / v0, (t.cy - p.cy) / p.h / v1, log(t.w / p.w) / v2, log(t.h / p.h) / v3);
    decoding is the inverse.

    Args:
        prior_box: float tensor [M, 4] of (x1, y1, x2, y2).
        prior_box_var: variances, tensor [M, 4] or four numbers; None for ones.
        target_box: boxes [N, 4] to encode, or differences [N, M, 4] to decode.
        code_type: `'encode_center_size'` or `'decode_center_size'`.
        box_normalized: whether extents are x2 - x1; otherwise they count pixels, x2 - x1 + 1.
        axis: when decoding, the priors lie along axis 1 of the target (0, the default: the prior
            is repeated over axis 0), or along axis 0 (1).

    Returns:
        Float tensor [N, M, 4].

    Raises:
        InvalidArgumentError: shapes that do not fit, or an unknown `code_type`.

    Examples:
        >>> import proa
        >>> prior = proa.to_tensor([[0.0, 0.0, 2.0, 2.0]])
        >>> proa.vision.ops.box_coder(prior, None, prior + 1).tolist()
        [[[0.5, 0.5, 0.0, 0.0]]]
    """
    _check_coding(prior_box, prior_box_var, target_box, code_type, axis)
    extra = 0.0 if box_normalized else 1.0
    centre, size = _centred(prior_box, extra)
    variance = prior_box_var
    if code_type == "encode_center_size":
        # A target's centre is the middle of its corners, whatever `extra` is.
        middle = (target_box[:, 2:] + target_box[:, :2]) / 2
        extent = target_box[:, 2:] - target_box[:, :2] + extra
        shift = (middle[:, None] - centre) / size
        scale = jnp.log(jnp.abs(extent[:, None] / size))
        coded = jnp.concatenate([shift, scale], axis=-1)
        return coded if variance is None else coded / variance
    places = [jnp.expand_dims(a, axis) for a in (centre, size)]
    if variance is not None:
        per_prior = jnp.expand_dims(variance, axis) if variance.ndim == 2 else variance
        target_box = target_box * per_prior
    middle = target_box[..., :2] * places[1] + places[0]
    extent = jnp.exp(target_box[..., 2:]) * places[1]
    return jnp.concatenate([middle - extent / 2, middle + extent / 2 - extra], axis=-1)


def _numbers(value: Any, name: str) -> tuple[float, ...]:
    values = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(v, int | float) for v in values):
        raise InvalidArgumentError(
            f"`{name}` of `prior_box` is {value!r}",
            expected="a number, or a list of numbers",
            fix="give sizes in pixels, ratios as width / height",
        )
    return tuple(float(v) for v in values)


def _all_ratios(ratios: tuple[float, ...], flip: bool) -> list[float]:
    """1 first, each ratio once, each followed by its inverse if `flip`."""
    found = [1.0]
    for ratio in ratios:
        if all(abs(ratio - known) >= 1e-6 for known in found):
            found += [ratio, 1 / ratio] if flip else [ratio]
    return found


def _prior_sizes(
    least: tuple[float, ...], most: tuple[float, ...], ratios: list[float], largest_second: bool
) -> list[tuple[float, float]]:
    """Width and height of the priors of one place, in Paddle's order."""
    found = []
    for number, side in enumerate(least):
        shaped = [(side * math.sqrt(ratio), side / math.sqrt(ratio)) for ratio in ratios]
        largest = [(math.sqrt(side * most[number]),) * 2] if most else []
        if largest_second:
            # The square of `side` alone, then the large one; ratio 1 stands first in `ratios`.
            found += [(side, side), *largest, *shaped[1:]]
        else:
            found += [*shaped, *largest]
    return found


@op(method=None, differentiable=False)
def prior_box(
    input: Array,
    image: Array,
    min_sizes: Any,
    max_sizes: Any = None,
    aspect_ratios: Any = (1.0,),
    variance: Any = (0.1, 0.1, 0.2, 0.2),
    flip: bool = False,
    clip: bool = False,
    steps: Any = (0.0, 0.0),
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
):
    """Prior boxes of an SSD detector around each place of a feature map.

    A side s and ratio r give a box of width s*sqrt(r) and height s/sqrt(r); a side with its
    larger one b gives a square of side sqrt(s*b). Coordinates are divided by the image's size.

    Args:
        input: feature map [N, C, H, W]; its size is used.
        image: images [N, C, height, width]; their size is used.
        min_sizes: sides in pixels, one number or several.
        max_sizes: larger sides, as many as `min_sizes`, or None.
        aspect_ratios: ratios width / height; 1 is always among them.
        variance: four numbers that are repeated for each box.
        flip: whether 1 / ratio is taken as well.
        clip: whether coordinates are brought into [0, 1].
        steps: distance of places in pixels, across and down; 0 for image size / map size.
        offset: where in its cell a place lies, in cells.
        min_max_aspect_ratios_order: order of a place's boxes: side, larger side, ratios, instead
            of side, ratios, larger side.

    Returns:
        Boxes and variances, each a float tensor [H, W, P, 4].

    Raises:
        InvalidArgumentError: shapes or lists that do not fit.

    Examples:
        >>> import proa
        >>> boxes, variances = proa.vision.ops.prior_box(
        ...     proa.zeros([1, 8, 1, 1]), proa.zeros([1, 3, 8, 8]), [4.0])
        >>> boxes.tolist()
        [[[[0.25, 0.25, 0.75, 0.75]]]]
    """
    least = _numbers(min_sizes, "min_sizes")
    most = () if max_sizes is None else _numbers(max_sizes, "max_sizes")
    spread, step = _numbers(variance, "variance"), _numbers(steps, "steps")
    if input.ndim != 4 or image.ndim != 4:
        raise InvalidArgumentError(
            f"`prior_box` got input {describe_array(input)} and image {describe_array(image)}",
            expected="both of shape [N, C, height, width]",
            fix="add the missing axes",
        )
    if not least or (most and len(most) != len(least)) or (len(spread), len(step)) != (4, 2):
        raise InvalidArgumentError(
            f"`prior_box` got min_sizes={min_sizes!r}, max_sizes={max_sizes!r}, "
            f"variance={variance!r} and steps={steps!r}",
            expected="at least one side, as many larger ones or none, 4 variances and 2 steps",
            fix="complete the lists",
        )
    if any(big <= small for big, small in zip(most, least, strict=False)):
        raise InvalidArgumentError(
            f"`max_sizes` of `prior_box` is {max_sizes!r} for min_sizes={min_sizes!r}",
            expected="each larger than its `min_sizes`",
            fix="exchange the two, or leave max_sizes out",
        )
    ratios = _all_ratios(_numbers(aspect_ratios, "aspect_ratios"), flip)
    sizes = jnp.asarray(_prior_sizes(least, most, ratios, min_max_aspect_ratios_order))
    height, width = image.shape[2:]
    rows, columns = input.shape[2:]
    across = (jnp.arange(columns) + offset) * (step[0] or width / columns)
    down = (jnp.arange(rows) + offset) * (step[1] or height / rows)
    centre_HW2 = jnp.stack(jnp.meshgrid(across, down), axis=-1)
    frame = jnp.asarray([width, height])
    corners = [(centre_HW2[:, :, None] + sign * sizes / 2) / frame for sign in (-1, 1)]
    boxes = jnp.concatenate(corners, axis=-1).astype(input.dtype)
    if clip:
        boxes = jnp.clip(boxes, 0, 1)
    return boxes, jnp.broadcast_to(jnp.asarray(spread, input.dtype), boxes.shape)
