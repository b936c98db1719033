"""Deformable convolution: each element of the kernel reads at a place of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, describe_array, op
from proa.nn import Layer
from proa.nn.initializer import Normal
from proa.ops._conv import add_bias, check_bias
from proa.ops._grid import blend_corners
from proa.ops._windows import check_rank, expand

if TYPE_CHECKING:
    from proa.core._types import Array, Ints

# Axes in names: N batch, D deformable groups, C channels, K elements of the kernel, P places.


def _check_deform(
    x: Array, offset: Array, weight: Array, mask: Any, groups: int, parts: int, space: Any
) -> None:
    check_rank(x, 2, "deform_conv2d")
    taps = weight.shape[2] * weight.shape[3] if weight.ndim == 4 else 0
    channels = x.shape[1]
    if not taps or groups < 1 or channels != weight.shape[1] * groups or weight.shape[0] % groups:
        raise InvalidArgumentError(
            f"`deform_conv2d` got x {describe_array(x)}, weight {describe_array(weight)} and "
            f"groups={groups}",
            expected="weight [O, C / groups, KH, KW], and groups that divide O",
            fix="check groups and the weight's shape",
        )
    if parts < 1 or channels % parts:
        raise InvalidArgumentError(
            f"`deformable_groups` of `deform_conv2d` is {parts} for {channels} channels",
            expected="a positive number that divides the channels",
            fix="change deformable_groups",
        )
    for name, given, count in (("offset", offset, 2), ("mask", mask, 1)):
        wanted = (x.shape[0], count * parts * taps, *space)
        if given is not None and given.shape != wanted:
            raise InvalidArgumentError(
                f"`{name}` of `deform_conv2d` is {describe_array(given)}",
                expected=f"shape {list(wanted)}: {count} value(s) per deformable group, element "
                "of the kernel and place of the output",
                fix="check the layer that makes it, and stride, padding and dilation",
            )


@op(method=None, amp="white")
def deform_conv2d(
    x: Array,
    offset: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    dilation: Ints = 1,
    deformable_groups: int = 1,
    groups: int = 1,
    mask: Array | None = None,
) -> Array:
    """A convolution whose kernel reads where `offset` says, linearly between pixels.

    y[n, o, p] = bias[o] + sum_(c, k) weight[o, c, k] * mask[n, k, p] * x[n, c, p*s + k*d - pad +
    offset[n, k, p]]; zeros are read outside.

    Args:
        x: floating tensor [N, C, H, W].
        offset: [N, 2 * deformable_groups * KH * KW, OH, OW]: for each element of the kernel one
            channel of shifts down and one of shifts to the right, in pixels.
        weight: [O, C / groups, KH, KW].
        bias: [O].
        stride: step of the window: an integer, or one for height and one for width.
        padding: zeros at the borders, likewise.
        dilation: distance between the kernel's elements, likewise.
        deformable_groups: groups of channels with offsets of their own.
        groups: groups of channels of the convolution.
        mask: [N, deformable_groups * KH * KW, OH, OW], factors (version 2); ones when left out.

    Returns:
        Tensor [N, O, OH, OW].

    Raises:
        InvalidArgumentError: shapes or groups that do not fit.

    Examples:
        >>> import proa
        >>> x, weight = proa.ones([1, 1, 4, 4]), proa.ones([1, 1, 3, 3])
        >>> offset = proa.zeros([1, 18, 2, 2])
        >>> proa.vision.ops.deform_conv2d(x, offset, weight).tolist()
        [[[[9.0, 9.0], [9.0, 9.0]]]]

    References:
        Dai et al., Deformable Convolutional Networks (2017); Zhu et al., Deformable ConvNets v2
        (2018).
    """
    steps = expand(stride, 2, "stride", "deform_conv2d")
    pads = expand(padding, 2, "padding", "deform_conv2d", least=0)
    dilations = expand(dilation, 2, "dilation", "deform_conv2d")
    check_rank(x, 2, "deform_conv2d")
    kernel, sizes = weight.shape[2:], x.shape[2:]
    space = tuple(
        (size + 2 * pad - (k - 1) * d - 1) // s + 1
        for size, pad, k, d, s in zip(sizes, pads, kernel, dilations, steps, strict=False)
    )
    _check_deform(x, offset, weight, mask, groups, deformable_groups, space)
    check_bias(bias, weight.shape[0], "deform_conv2d")
    dtype = jnp.promote_types(x.dtype, weight.dtype)
    samples_NCKP = _samples(
        x.astype(dtype), offset, mask, kernel, space, (steps, pads, dilations), deformable_groups
    )
    batch, taps, places = x.shape[0], math.prod(kernel), space[0] * space[1]
    channels, count = weight.shape[1], weight.shape[0] // groups
    columns = samples_NCKP.reshape(batch, groups, channels, taps, places)
    filters = weight.astype(dtype).reshape(groups, count, channels, taps)
    y = jnp.einsum("ngckp,gock->ngop", columns, filters)
    return add_bias(y.reshape(batch, weight.shape[0], *space), bias, last=False)


def _samples(
    x: Array, offset: Array, mask: Any, kernel: Any, space: Any, geometry: Any, parts: int
) -> Array:
    """What each element of the kernel reads at each place, [N, C, K, P]."""
    batch, channels = x.shape[:2]
    taps, places = math.prod(kernel), space[0] * space[1]
    wide = jnp.promote_types(x.dtype, jnp.float32)
    shift = offset.astype(wide).reshape(batch * parts, taps, 2, places)
    at = []
    for axis, (step, pad, gap) in enumerate(zip(*geometry, strict=True)):
        other = 1 - axis
        begin = jnp.arange(space[axis]) * step - pad
        tap = jnp.arange(kernel[axis]) * gap
        line_KS = tap[:, None] + begin
        grid = jnp.expand_dims(line_KS, (other, other + 2))
        grid = jnp.broadcast_to(grid, (*kernel, *space)).reshape(taps, places)
        at.append((shift[:, :, axis] + grid).reshape(batch * parts, taps * places))
    x_NCP = x.reshape(batch * parts, channels // parts, x.shape[2] * x.shape[3])
    values = blend_corners(x_NCP.astype(wide), at, x.shape[2:])
    values = values.reshape(batch * parts, channels // parts, taps, places)
    if mask is not None:
        values = values * mask.astype(wide).reshape(batch * parts, 1, taps, places)
    return values.reshape(batch, channels, taps, places).astype(x.dtype)


def _pair(value: Any, name: str) -> list[int]:
    entries = list(value) if isinstance(value, Sequence) else [value] * 2
    return list(expand(entries, 2, name, "DeformConv2D", least=0 if name == "padding" else 1))


class DeformConv2D(Layer):
    """Deformable convolution; called with `x`, `offset` and, for version 2, `mask`.

    Args:
        in_channels: C.
        out_channels: O.
        kernel_size: size of the window, one number or `[height, width]`.
        stride: step of the window.
        padding: zeros at the borders.
        dilation: distance between the kernel's elements.
        deformable_groups: groups of channels with offsets of their own.
        groups: groups of channels of the convolution.
        weight_attr: name, initialiser and more of the weight; normal with variance
            2 / (C * KH * KW) by default.
        bias_attr: likewise of the bias; zeros by default, no bias for `False`.

    Attributes:
        weight: [O, C / groups, KH, KW].
        bias: [O], or None.

    Raises:
        InvalidArgumentError: groups that do not divide both numbers of channels.

    Examples:
        >>> import proa
        >>> layer = proa.vision.ops.DeformConv2D(2, 4, 3)
        >>> layer(proa.ones([1, 2, 5, 5]), proa.zeros([1, 18, 3, 3])).shape
        [1, 4, 3, 3]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        deformable_groups: int = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise InvalidArgumentError(
                f"DeformConv2D: `groups` is {groups} with {in_channels} input and {out_channels} "
                "output channels",
                expected="a positive integer that divides both",
                fix="change groups or the numbers of channels",
            )
        if weight_attr is False:
            raise InvalidArgumentError(
                "`weight_attr` of DeformConv2D is False",
                expected="a ParamAttr, a name, an initialiser or None",
                fix="leave weight_attr out; for a fixed weight use ParamAttr(trainable=False)",
            )
        self._in_channels, self._out_channels = in_channels, out_channels
        self._kernel_size = _pair(kernel_size, "kernel_size")
        self._stride, self._padding = _pair(stride, "stride"), _pair(padding, "padding")
        self._dilation = _pair(dilation, "dilation")
        self._deformable_groups, self._groups = deformable_groups, groups
        shape = [out_channels, in_channels // groups, *self._kernel_size]
        spread = Normal(0.0, math.sqrt(2.0 / (in_channels * math.prod(self._kernel_size))))
        self.weight = self.create_parameter(shape, weight_attr, default_initializer=spread)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Tensor, offset: Tensor, mask: Tensor | None = None) -> Tensor:
        """Convolves `x` [N, C, H, W] at the places that `offset` says."""
        return deform_conv2d(
            x,
            offset,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._deformable_groups,
            self._groups,
            mask,
        )
