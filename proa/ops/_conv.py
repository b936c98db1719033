"""Convolution in one, two and three spatial axes.

Axes in names: N batch, C channels in, O channels out, S spatial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, describe_array, op

from ._conv_kernels import convolution
from ._conv_lowering import is_depthwise, is_pointwise, on_cpu, plain, pointwise, skipped
from ._windows import (
    check_rank,
    expand,
    expand_padding,
    is_channel_last,
    is_constant,
    resolve_padding,
    spatial_sizes,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Ints


def _check_channels(x: Array, weight: Array, bias: Any, groups: int, last: bool, name: str) -> None:
    channels = x.shape[-1 if last else 1]
    if weight.ndim != x.ndim:
        raise InvalidArgumentError(
            f"`weight` of `{name}` is {describe_array(weight)}",
            expected=f"{x.ndim} axes: [out channels, in channels / groups, *kernel]",
            fix="reshape the weight",
        )
    if groups < 1 or channels != weight.shape[1] * groups or weight.shape[0] % groups:
        raise InvalidArgumentError(
            f"`{name}` got x {describe_array(x)} with {channels} channels, "
            f"weight {describe_array(weight)} and groups={groups}",
            expected="x channels = weight.shape[1] * groups, and weight.shape[0] % groups = 0",
            fix="check data_format, groups and the weight's shape",
        )
    check_bias(bias, weight.shape[0], name)


def check_bias(bias: Any, channels: int, name: str) -> None:
    """Refuses a bias that has not one value per output channel."""
    if bias is not None and bias.shape not in ((channels,), (1, channels)):
        raise InvalidArgumentError(
            f"`bias` of `{name}` is {describe_array(bias)}",
            expected=f"shape [{channels}], one value per output channel",
            fix="reshape the bias",
        )


def add_bias(y: Array, bias: Array | None, last: bool) -> Array:
    """Adds one value per channel."""
    if bias is None:
        return y
    return y + bias.reshape((-1,) if last else (-1,) + (1,) * (y.ndim - 2))


def _check_room(sizes: Any, extent: Any, pads: Any, name: str) -> None:
    for size, kernel, (before, after) in zip(sizes, extent, pads, strict=True):
        if isinstance(size, int) and size + before + after < kernel:
            raise InvalidArgumentError(
                f"`{name}` got spatial sizes {list(sizes)}, padding {list(pads)} and a kernel "
                f"that reaches over {list(extent)}",
                expected="a padded input at least as large as the kernel",
                fix="pad more, or use a smaller kernel or dilation",
            )


def _lower(
    x: Array, weight: Array, steps: Any, pads: Any, dilations: Any, groups: int, last: bool
) -> Array:
    if on_cpu():
        if is_depthwise(x, weight, groups, last):
            return convolution(x, weight, steps, pads, dilations, last, depthwise=True)
        if is_pointwise(weight.shape[2:], pads, groups):
            x, steps = skipped(x, steps, last), (1,) * len(steps)
        known = is_constant(*spatial_sizes(x, last), *(v for pair in pads for v in pair))
        if groups == 1 and x.ndim == 4 and known:
            return convolution(x, weight, steps, pads, dilations, last, depthwise=False)
        if is_pointwise(weight.shape[2:], pads, groups):
            return pointwise(x, weight, steps, last)
    # Pairs of unknown extents come from 'SAME' alone, which lax can resolve later.
    known = is_constant(*(v for pair in pads for v in pair))
    return plain(x, weight, steps, pads if known else "SAME", dilations, groups, last)


def convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    data_format: str,
    name: str,
) -> Array:
    """The convolution behind `conv1d`, `conv2d` and `conv3d`; the rank is that of `name`."""
    rank = int(name[4])
    last = is_channel_last(data_format, rank, name)
    check_rank(x, rank, name)
    _check_channels(x, weight, bias, groups, last, name)
    steps = expand(stride, rank, "stride", name)
    dilations = expand(dilation, rank, "dilation", name)
    pads = expand_padding(padding, rank, last, name)
    if pads == "SAME":
        # Paddle's 'SAME' works on the undilated kernel and drops the dilation.
        dilations = (1,) * rank
    kernel = weight.shape[2:]
    extent = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True))
    sizes = spatial_sizes(x, last)
    pads = resolve_padding(pads, sizes, extent, steps)
    _check_room(sizes, extent, pads, name)
    dtype = jnp.promote_types(x.dtype, weight.dtype)
    x, weight = x.astype(dtype), weight.astype(dtype)
    y = _lower(x, weight, steps, pads, dilations, groups, last)
    return add_bias(y, bias, last)


@op(method=None, amp="white")
def conv1d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    dilation: Ints = 1,
    groups: int = 1,
    data_format: str = "NCL",
) -> Array:
    """Convolves sequences with a kernel [O, C / groups, K].

    out[n, o, t] = bias[o] + sum_(c, k) weight[o, c, k] * x[n, c, t*stride + k*dilation - padding]

    Args:
        x: floating tensor [N, C, L] (or [N, L, C], see `data_format`).
        weight: [O, C / groups, K], whatever the data format.
        bias: [O].
        stride: step of the window, in elements.
        padding: zeros at both ends: an integer, `[before, after]`, `'SAME'`, `'VALID'`, or
            pairs for all axes.
        dilation: distance between the kernel's elements; ignored with `'SAME'`, as in Paddle.
        groups: number of independent channel groups.
        data_format: `'NCL'` or `'NLC'`.

    Returns:
        Tensor of the input's format with O channels.

    Raises:
        InvalidArgumentError: channels, groups, padding or shapes do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> x = proa.to_tensor([[[1.0, 2.0, 4.0]]])
        >>> F.conv1d(x, proa.to_tensor([[[1.0, -1.0]]])).numpy().tolist()
        [[[-1.0, -2.0]]]
    """
    return convolve(x, weight, bias, stride, padding, dilation, groups, data_format, "conv1d")


@op(method=None, amp="white")
def conv2d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    dilation: Ints = 1,
    groups: int = 1,
    data_format: str = "NCHW",
) -> Array:
    """Convolves images with a kernel [O, C / groups, kernel height, kernel width].

    Args:
        x: floating tensor [N, C, H, W] (or [N, H, W, C], see `data_format`).
        weight: [O, C / groups, KH, KW], whatever the data format.
        bias: [O].
        stride: step of the window: an integer, or one for height and one for width.
        padding: zeros at the borders: an integer, `[height, width]`,
            `[top, bottom, left, right]`, `'SAME'`, `'VALID'`, or pairs for all axes.
        dilation: distance between the kernel's elements; ignored with `'SAME'`, as in Paddle.
        groups: number of independent channel groups; C for a depthwise convolution.
        data_format: `'NCHW'` or `'NHWC'`.

    Returns:
        Tensor of the input's format with O channels.

    Raises:
        InvalidArgumentError: channels, groups, padding or shapes do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> x = proa.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> F.conv2d(x, proa.to_tensor([[[[1.0, 1.0], [1.0, 1.0]]]])).item()
        10.0
    """
    return convolve(x, weight, bias, stride, padding, dilation, groups, data_format, "conv2d")


@op(method=None, amp="white")
def conv3d(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    dilation: Ints = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
) -> Array:
    """Convolves volumes with a kernel [O, C / groups, depth, height, width].

    Args:
        x: floating tensor [N, C, D, H, W] (or [N, D, H, W, C], see `data_format`).
        weight: [O, C / groups, KD, KH, KW], whatever the data format.
        bias: [O].
        stride: step of the window: an integer, or one per spatial axis.
        padding: zeros at the borders: an integer, three, six (before and after each axis),
            `'SAME'`, `'VALID'`, or pairs for all axes.
        dilation: distance between the kernel's elements; ignored with `'SAME'`, as in Paddle.
        groups: number of independent channel groups.
        data_format: `'NCDHW'` or `'NDHWC'`.

    Returns:
        Tensor of the input's format with O channels.

    Raises:
        InvalidArgumentError: channels, groups, padding or shapes do not fit.
    """
    return convolve(x, weight, bias, stride, padding, dilation, groups, data_format, "conv3d")
