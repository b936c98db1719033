"""Transposed convolution: the gradient of a convolution, used as a layer that enlarges.

Axes in names: N batch, C channels in, O channels out, S spatial.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, describe_array, op

from ._conv import add_bias, check_bias
from ._windows import (
    check_rank,
    expand,
    expand_padding,
    is_channel_last,
    resolve_padding,
    spatial_sizes,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Ints

_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def _check_weight(x: Array, weight: Array, groups: int, last: bool, name: str) -> None:
    channels = x.shape[-1 if last else 1]
    fits = weight.ndim == x.ndim and groups >= 1
    if not fits or channels != weight.shape[0] or channels % groups:
        raise InvalidArgumentError(
            f"`{name}` got x {describe_array(x)} with {channels} channels, "
            f"weight {describe_array(weight)} and groups={groups}",
            expected="weight [in channels, out channels / groups, *kernel], in channels a "
            "multiple of groups",
            fix="check data_format, groups and the weight's shape",
        )


def _extra(
    output_size: Any, output_padding: Any, natural: tuple[Any, ...], steps: Any, name: str
) -> tuple[int, ...]:
    """Elements to add behind each axis, from `output_padding` or the wanted `output_size`."""
    rank = len(natural)
    if output_size is None:
        extra = expand(output_padding, rank, "output_padding", name, least=0)
    else:
        if output_padding not in (0, (0,), (0,) * rank):
            raise InvalidArgumentError(
                f"`{name}` got output_size={output_size} and output_padding={output_padding}",
                expected="one of the two",
                fix="leave output_padding at 0",
            )
        wanted = expand(output_size, rank, "output_size", name)
        extra = tuple(w - n for w, n in zip(wanted, natural, strict=True))
    if not all(0 <= e < max(step, 2) for e, step in zip(extra, steps, strict=True)):
        bound = [n + step for n, step in zip(natural, steps, strict=True)]
        raise InvalidArgumentError(
            f"`{name}` got output_size={output_size} and output_padding={output_padding}",
            expected=f"sizes from {list(natural)} to below {bound}",
            fix="choose a size that a convolution with this stride would shrink to x",
        )
    return extra


def _tile(x: Array, weight: Array, last: bool) -> Array:
    """The case stride = kernel without overlap: a product, then its blocks laid side by side."""
    rank = x.ndim - 2
    y = lax.dot_general(x, weight, (((x.ndim - 1 if last else 1,), (0,)), ((), ())))
    # Axes of y: N, *S, O, *kernel.
    spatial = [axis for i in range(rank) for axis in (1 + i, 2 + rank + i)]
    order = [0, *spatial, 1 + rank] if last else [0, 1 + rank, *spatial]
    sizes = [s * k for s, k in zip(spatial_sizes(x, last), weight.shape[2:], strict=True)]
    shape = [x.shape[0], *sizes, weight.shape[1]] if last else [x.shape[0], weight.shape[1], *sizes]
    return y.transpose(order).reshape(shape)


def _flip(weight: Array, groups: int) -> Array:
    """Turns [C, O / groups, *kernel] into the kernel [O, C / groups, *kernel] of a convolution."""
    channels, outputs, *kernel = weight.shape
    parts = weight.reshape(groups, channels // groups, outputs, *kernel)
    parts = jnp.swapaxes(parts, 1, 2).reshape(groups * outputs, channels // groups, *kernel)
    return jnp.flip(parts, axis=tuple(range(2, parts.ndim)))


def _lower(
    x: Array, weight: Array, steps: Any, borders: Any, dilations: Any, groups: int, last: bool
) -> Array:
    space = _SPATIAL[x.ndim - 2]
    layout = f"N{space}C" if last else f"NC{space}"
    return lax.conv_general_dilated(
        x,
        weight,
        window_strides=(1,) * len(space),
        padding=borders,
        lhs_dilation=steps,
        rhs_dilation=dilations,
        dimension_numbers=(layout, f"OI{space}", layout),
        feature_group_count=groups,
    )


def transpose_convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    dilation: Any,
    groups: int,
    output_size: Any,
    data_format: str,
    name: str,
) -> Array:
    """The function behind `conv1d_transpose` to `conv3d_transpose`; the rank is in `name`."""
    rank = int(name[4])
    last = is_channel_last(data_format, rank, name)
    check_rank(x, rank, name)
    _check_weight(x, weight, groups, last, name)
    check_bias(bias, weight.shape[1] * groups, name)
    steps = expand(stride, rank, "stride", name)
    dilations = expand(dilation, rank, "dilation", name)
    given = expand_padding(padding, rank, last, name)
    if given == "SAME":
        # As in `conv*`: the dilation is dropped.
        dilations = (1,) * rank
    kernel = weight.shape[2:]
    extent = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True))
    sizes = spatial_sizes(x, last)
    pads = resolve_padding(given, sizes, extent, steps)
    natural = tuple(
        (size - 1) * step + reach - low - high
        for size, step, reach, (low, high) in zip(sizes, steps, extent, pads, strict=True)
    )
    extra = _extra(output_size, output_padding, natural, steps, name)
    dtype = jnp.promote_types(x.dtype, weight.dtype)
    x, weight = x.astype(dtype), weight.astype(dtype)
    plain = groups == 1 and steps == kernel == extent and not any(extra)
    if plain and math.prod(kernel) > 1 and not any(any(pair) for pair in pads):
        return add_bias(_tile(x, weight, last), bias, last)
    borders = [
        (reach - 1 - low, reach - 1 - high + more)
        for reach, (low, high), more in zip(extent, pads, extra, strict=True)
    ]
    y = _lower(x, _flip(weight, groups), steps, borders, dilations, groups, last)
    return add_bias(y, bias, last)


@op(method=None, amp="white")
def conv1d_transpose(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    output_size: Ints | None = None,
    data_format: str = "NCL",
) -> Array:
    """Transposed convolution of sequences: the adjoint of `conv1d`.

    Length out = (L - 1) * stride - padding before and after + dilation * (K - 1) + 1
    + output_padding.

    Args:
        x: floating tensor [N, C, L] (or [N, L, C]).
        weight: [C, O / groups, K].
        bias: [O].
        stride: distance of neighbouring input elements in the output.
        padding: elements cut off both ends; forms as in `conv1d`.
        output_padding: elements added behind; below the stride.
        groups: number of independent channel groups.
        dilation: distance between the kernel's elements.
        output_size: wanted length, instead of `output_padding`.
        data_format: `'NCL'` or `'NLC'`.

    Raises:
        InvalidArgumentError: channels, sizes or padding do not fit.
    """
    return transpose_convolve(
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
        "conv1d_transpose",
    )


@op(method=None, amp="white")
def conv2d_transpose(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    output_padding: Ints = 0,
    dilation: Ints = 1,
    groups: int = 1,
    output_size: Ints | None = None,
    data_format: str = "NCHW",
) -> Array:
    """Transposed convolution of images: the adjoint of `conv2d`.

    Size out = (size - 1) * stride - padding before and after + dilation * (kernel - 1) + 1
    + output_padding, for height and width.

    Args:
        x: floating tensor [N, C, H, W] (or [N, H, W, C]).
        weight: [C, O / groups, KH, KW].
        bias: [O].
        stride: distance of neighbouring input elements in the output.
        padding: elements cut off the borders; forms as in `conv2d`.
        output_padding: elements added at the bottom and right; below the stride.
        dilation: distance between the kernel's elements.
        groups: number of independent channel groups.
        output_size: wanted height and width, instead of `output_padding`.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: channels, sizes or padding do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> x, weight = proa.ones([1, 1, 2, 2]), proa.ones([1, 1, 3, 3])
        >>> F.conv2d_transpose(x, weight, stride=2).shape
        [1, 1, 5, 5]
    """
    return transpose_convolve(
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
        "conv2d_transpose",
    )


@op(method=None, amp="white")
def conv3d_transpose(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    output_size: Ints | None = None,
    data_format: str = "NCDHW",
) -> Array:
    """Transposed convolution of volumes: the adjoint of `conv3d`.

    Args:
        x: floating tensor [N, C, D, H, W] (or [N, D, H, W, C]).
        weight: [C, O / groups, KD, KH, KW].
        bias: [O].
        stride: distance of neighbouring input elements in the output.
        padding: elements cut off the borders; forms as in `conv3d`.
        output_padding: elements added behind each axis; below the stride.
        groups: number of independent channel groups.
        dilation: distance between the kernel's elements.
        output_size: wanted spatial sizes, instead of `output_padding`.
        data_format: `'NCDHW'` or `'NDHWC'`.

    Raises:
        InvalidArgumentError: channels, sizes or padding do not fit.
    """
    return transpose_convolve(
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
        "conv3d_transpose",
    )
