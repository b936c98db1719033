"""Patches of images as columns and back, and channels exchanged with space."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, describe_array, op

from ._windows import check_rank, expand, is_channel_last, output_size, require_constant

if TYPE_CHECKING:
    from proa.core._types import Array, Ints


def _borders(paddings: Any, name: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Reads an integer, `[height, width]` or `[top, left, bottom, right]`."""
    values = paddings if isinstance(paddings, tuple) else (paddings,)
    values = values * 2 if len(values) == 1 else values
    values = values * 2 if len(values) == 2 else values
    if len(values) != 4 or not all(isinstance(v, int) and v >= 0 for v in values):
        raise InvalidArgumentError(
            f"`paddings` of `{name}` is {paddings!r}",
            expected="an integer, [height, width] or [top, left, bottom, right]",
            fix="give widths of at least 0",
        )
    top, left, bottom, right = values
    return (top, bottom), (left, right)


def _columns(
    x: Array, kernel: Any, strides: Any, paddings: Any, dilations: Any, name: str
) -> Array:
    kernel = expand(kernel, 2, "kernel_sizes", name)
    steps = expand(strides, 2, "strides", name)
    spread = expand(dilations, 2, "dilations", name)
    pads = _borders(paddings, name)
    sizes = x.shape[2:]
    require_constant("the spatial size", name, *sizes)
    extent = tuple((k - 1) * d + 1 for k, d in zip(kernel, spread, strict=True))
    counts = [output_size(*each, False) for each in zip(sizes, extent, pads, steps, strict=True)]
    if min(counts) < 1:
        raise InvalidArgumentError(
            f"`{name}` got spatial sizes {list(sizes)}, kernel_sizes {list(kernel)}, "
            f"dilations {list(spread)} and paddings {paddings}",
            expected="a padded image at least as large as the kernel",
            fix="pad more, or use a smaller kernel",
        )
    zero = jnp.zeros((), x.dtype)
    padded = lax.pad(x, zero, [(0, 0, 0), (0, 0, 0), *((low, high, 0) for low, high in pads)])
    patches = []
    for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
        begin = (i * spread[0], j * spread[1])
        end = [b + (n - 1) * s + 1 for b, n, s in zip(begin, counts, steps, strict=True)]
        patches.append(lax.slice(padded, (0, 0, *begin), (*x.shape[:2], *end), (1, 1, *steps)))
    stacked = jnp.stack(patches, axis=2)
    return stacked.reshape(x.shape[0], x.shape[1] * math.prod(kernel), counts[0] * counts[1])


@op(name="im2col", method=None)
def im2col(
    x: Array, kernel_sizes: Ints, strides: Ints = 1, paddings: Ints = 0, dilations: Ints = 1
) -> Array:
    """Patches of images as columns (`paddle.nn.functional.unfold`).

    Args:
        x: floating tensor [N, C, H, W].
        kernel_sizes: size of a patch, an integer or height and width.
        strides: step between patches.
        paddings: zeros: an integer, `[height, width]` or `[top, left, bottom, right]`.
        dilations: distance between the elements of a patch.

    Returns:
        Tensor [N, C * KH * KW, number of patches].

    Raises:
        InvalidArgumentError: the image is smaller than a patch.
    """
    check_rank(x, 2, "unfold")
    return _columns(x, kernel_sizes, strides, paddings, dilations, "unfold")


@op(method=None)
def fold(
    x: Array,
    output_sizes: Ints,
    kernel_sizes: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
) -> Array:
    """Sums columns back into images: the adjoint of `unfold`.

    Args:
        x: floating tensor [N, C * KH * KW, number of patches].
        output_sizes: height and width of the images.
        kernel_sizes: size of a patch, an integer or height and width.
        strides: step between patches.
        paddings: as in `unfold`.
        dilations: distance between the elements of a patch.

    Returns:
        Tensor [N, C, H, W].

    Raises:
        InvalidArgumentError: the number of rows or patches does not fit.
    """
    sizes = expand(output_sizes, 2, "output_sizes", "fold")
    taps = math.prod(expand(kernel_sizes, 2, "kernel_sizes", "fold"))
    rows = x.shape[1] if x.ndim == 3 else 0
    image = jax.ShapeDtypeStruct((x.shape[0], rows // taps, *sizes), x.dtype)

    def columns(array: Array) -> Array:
        return _columns(array, kernel_sizes, strides, paddings, dilations, "fold")

    made = jax.eval_shape(columns, image)
    if x.ndim != 3 or rows % taps or made.shape != x.shape:
        raise InvalidArgumentError(
            f"`fold` got {describe_array(x)} for images of {list(sizes)}",
            expected=f"shape [N, channels * {taps}, {made.shape[-1]}]",
            fix="check output_sizes, kernel_sizes, strides and paddings",
        )
    (folded,) = jax.linear_transpose(columns, image)(x)
    return folded


def _images(x: Array, data_format: str, name: str) -> tuple[Array, bool]:
    """The images with the channels last, and whether they came so."""
    check_rank(x, 2, name)
    last = is_channel_last(data_format, 2, name)
    return (x if last else jnp.moveaxis(x, 1, 3)), last


def _back(x: Array, last: bool) -> Array:
    return x if last else jnp.moveaxis(x, 3, 1)


def _indivisible(x: Array, factor: int, name: str, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"`{name}` got {describe_array(x)} and the factor {factor}",
        expected=what,
        fix="choose another factor, or pad x",
    )


@op(method=None)
def pixel_shuffle(x: Array, upscale_factor: int, data_format: str = "NCHW") -> Array:
    """Moves channels into space: [N, C r^2, H, W] becomes [N, C, H r, W r].

    Args:
        x: tensor with a multiple of r^2 channels.
        upscale_factor: r.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: the channels are no multiple of r^2.
    """
    images, last = _images(x, data_format, "pixel_shuffle")
    batch, height, width, channels = images.shape
    r = upscale_factor
    if r < 1 or channels % (r * r):
        raise _indivisible(x, r, "pixel_shuffle", "channels that are a multiple of its square")
    parts = images.reshape(batch, height, width, channels // (r * r), r, r)
    parts = parts.transpose(0, 1, 4, 2, 5, 3)
    return _back(parts.reshape(batch, height * r, width * r, channels // (r * r)), last)


@op(method=None)
def pixel_unshuffle(x: Array, downscale_factor: int, data_format: str = "NCHW") -> Array:
    """Moves space into channels: [N, C, H r, W r] becomes [N, C r^2, H, W].

    Args:
        x: tensor with height and width that are multiples of r.
        downscale_factor: r.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: height or width is no multiple of r.
    """
    images, last = _images(x, data_format, "pixel_unshuffle")
    batch, height, width, channels = images.shape
    r = downscale_factor
    if r < 1 or height % r or width % r:
        raise _indivisible(x, r, "pixel_unshuffle", "height and width that are multiples of it")
    parts = images.reshape(batch, height // r, r, width // r, r, channels)
    parts = parts.transpose(0, 1, 3, 5, 2, 4)
    return _back(parts.reshape(batch, height // r, width // r, channels * r * r), last)


@op(method=None)
def channel_shuffle(x: Array, groups: int, data_format: str = "NCHW") -> Array:
    """Interleaves channels: the groups' first channels, then their second ones, and so on.

    Args:
        x: tensor with a multiple of `groups` channels.
        groups: number of groups.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: the channels are no multiple of `groups`.
    """
    images, last = _images(x, data_format, "channel_shuffle")
    channels = images.shape[3]
    if groups < 1 or channels % groups:
        raise _indivisible(x, groups, "channel_shuffle", "channels that are a multiple of it")
    parts = images.reshape(*images.shape[:3], groups, channels // groups)
    return _back(jnp.swapaxes(parts, 3, 4).reshape(images.shape), last)
