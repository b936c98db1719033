"""Convolutions that XLA's CPU backend does better in another form.

Measured there (2 cores, float32): a 1x1 kernel as a matrix product takes a third of the time
of the convolution, gradients included. `_conv_kernels.py` has what takes a kernel of its own.

Axes in names: N batch, C channels in, O channels out, S all spatial axes flattened.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax

from ._windows import is_constant, spatial_sizes, with_spatial

if TYPE_CHECKING:
    from proa.core._types import Array

#: Largest number of kernel elements that is unrolled into shifted products.
MAX_TAPS = 49


def on_cpu() -> bool:
    """Whether compiled code runs on the CPU by default."""
    return jax.default_backend() == "cpu"


def is_pointwise(kernel: tuple[int, ...], pads: Any, groups: int) -> bool:
    """Whether the kernel has one element and nothing is padded."""
    return groups == 1 and all(k == 1 for k in kernel) and not any(any(pair) for pair in pads)


def skipped(x: Array, steps: tuple[int, ...], last: bool) -> Array:
    """The elements of the input that a 1x1 kernel meets."""
    if all(step == 1 for step in steps):
        return x
    return lax.slice(x, [0] * x.ndim, x.shape, with_spatial(steps, last, 1, 1))


def pointwise(x: Array, weight: Array, steps: tuple[int, ...], last: bool) -> Array:
    """A 1x1 convolution as a matrix product."""
    x = skipped(x, steps, last)
    w_OC = weight.reshape(weight.shape[:2])
    if last:
        return lax.dot_general(x, w_OC, (((x.ndim - 1,), (1,)), ((), ())))
    sizes = x.shape[2:]
    batch, channels = x.shape[:2]
    total = math.prod(sizes)
    x_NCS = x.reshape(batch, channels, total)
    if is_constant(total) and total * 2 < max(w_OC.shape):
        # Few positions and many channels: one product over the batch beats one per sample.
        y = jnp.moveaxis(lax.dot_general(w_OC, x_NCS, (((1,), (1,)), ((), ()))), 0, 1)
    else:
        y = jnp.matmul(jnp.broadcast_to(w_OC, (batch, *w_OC.shape)), x_NCS)
    return y.reshape(batch, w_OC.shape[0], *sizes)


def is_depthwise(x: Array, weight: Array, groups: int, last: bool) -> bool:
    """Whether each channel is convolved by itself, with a kernel small enough to unroll."""
    return (
        groups > 1
        and weight.shape[1] == 1
        and math.prod(weight.shape[2:]) <= MAX_TAPS
        and is_constant(*spatial_sizes(x, last))
    )


def plain(
    x: Array, weight: Array, steps: Any, pads: Any, dilations: Any, groups: int, last: bool
) -> Array:
    """A convolution as XLA has it; `pads` are pairs, or `'SAME'`."""
    space = "DHW"[5 - x.ndim :]
    layout = f"N{space}C" if last else f"NC{space}"
    return lax.conv_general_dilated(
        x,
        weight,
        window_strides=steps,
        padding=pads,
        rhs_dilation=dilations,
        dimension_numbers=(layout, f"OI{space}", layout),
        feature_group_count=groups,
    )
