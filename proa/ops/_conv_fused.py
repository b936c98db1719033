"""Convolution of images for inference: weights in another order, and what follows it in one op.

A pass makes such calls (`native_convolutions`); the kernel is `native/_fused_convolution.cc`.

Axes in names: N batch, C channels in, O channels out, B blocks of outputs, K channels times taps.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import op
from proa.native import forward_primitive, kernel_call

from ._conv_lowering import plain
from ._windows import (
    expand,
    expand_padding,
    is_constant,
    output_size,
    resolve_padding,
    spatial_sizes,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Ints, Shape

#: Activations with their numbers in the kernel, which are their places here.
ACTIVATIONS = ("", "relu", "clip", "hardswish", "hardsigmoid", "leaky_relu")
#: Rows of a block of packed weights.
_ROWS = 8


def pack_weight(weight: np.ndarray) -> np.ndarray:
    """Lays the weight [O, C, KH, KW] of a dense convolution out as [B, K, 8].

    Args:
        weight: float32 array.

    Returns:
        Eight output channels side by side, zeros where there are none.
    """
    w_OK = weight.reshape(weight.shape[0], math.prod(weight.shape[1:]))
    blocks = -(-w_OK.shape[0] // _ROWS)
    filled = np.zeros((blocks * _ROWS, w_OK.shape[1]), w_OK.dtype)
    filled[: w_OK.shape[0]] = w_OK
    return np.ascontiguousarray(filled.reshape(blocks, _ROWS, -1).transpose(0, 2, 1))


def _activated(x: Array, activation: str, alpha: float, beta: float) -> Array:
    if activation == "relu":
        return jnp.where(x < 0, jnp.zeros((), x.dtype), x)
    if activation == "clip":
        return jnp.clip(x, alpha, beta)
    if activation == "leaky_relu":
        return jnp.where(x < 0, alpha * x, x)
    if activation:
        gate = jnp.clip(alpha * x + beta, 0, 1)
        if activation == "hardsigmoid":
            return gate
        # Not a product where the gate is 0: x may be minus infinity.
        return jnp.where(gate <= 0, jnp.zeros((), x.dtype), x * gate)
    return x


def _form(x: Array, weight: Array, bias: Array, added: Array, **how: Any) -> Array:
    """What the kernel computes, in XLA's operations."""
    kernel = how["kernel"]
    if not how["depthwise"]:
        # Back to the usual order.
        weight = jnp.moveaxis(weight, 1, 2).reshape(-1, math.prod(kernel[1:]))[: kernel[0]]
    groups = x.shape[1] if how["depthwise"] else 1
    weight = weight.reshape(kernel)
    y = plain(x, weight, how["steps"], how["pads"], how["dilations"], groups, False)
    y = y + bias.reshape(-1, 1, 1)
    if added.shape != (0,):
        y = y + added
    return _activated(y, how["activation"], how["alpha"], how["beta"])


def _shape(x: Array, weight: Array, bias: Array, added: Array, **how: Any) -> tuple[Any, ...]:
    extents = [(k - 1) * d + 1 for k, d in zip(how["kernel"][2:], how["dilations"], strict=True)]
    sizes = zip(x.shape[2:], extents, how["pads"], how["steps"], strict=True)
    return (x.shape[0], how["kernel"][0], *[output_size(*each, False) for each in sizes])


def _kernel(x: Array, weight: Array, bias: Array, added: Array, **how: Any) -> Array:
    call = kernel_call("proa_fused_convolution", _shape(x, weight, bias, added, **how))
    named = {
        "kernel": how["kernel"],
        "strides": how["steps"],
        "padding": [pair[0] for pair in how["pads"]],
        "dilations": how["dilations"],
    }
    return call(
        *(x, weight, bias, added),
        **{name: np.array(value, np.int64) for name, value in named.items()},
        depthwise=how["depthwise"],
        activation=np.int64(ACTIVATIONS.index(how["activation"])),
        alpha=np.float32(how["alpha"]),
        beta=np.float32(how["beta"]),
    )


_fused = forward_primitive("proa_fused_convolution", _shape, _form, _kernel)


@op(method=None, public=False, differentiable=False)
def conv2d_fused(
    x: Array,
    weight: Array,
    bias: Array,
    added: Array | None,
    kernel: Shape,
    stride: Ints,
    padding: Any,
    dilation: Ints,
    depthwise: bool,
    activation: str,
    alpha: float,
    beta: float,
):
    """activation(conv2d(x, weight) + bias + added), for images with their channels first.

    Args:
        x: [N, C, H, W].
        weight: as `pack_weight` gives it; [O, 1, KH, KW] where `depthwise`.
        bias: [O].
        added: an image like the output.
        kernel: the shape of the weight before packing, [O, C, KH, KW].
        stride: as for `conv2d`.
        padding: as for `conv2d`.
        dilation: as for `conv2d`.
        depthwise: each channel is convolved by itself.
        activation: one of `ACTIVATIONS`.
        alpha: slope, or lower bound.
        beta: offset, or upper bound.
    """
    steps, dilations = expand(stride, 2, "stride", "conv2d"), expand(dilation, 2, "d", "conv2d")
    pads = expand_padding(padding, 2, False, "conv2d")
    if pads == "SAME":
        # As in `conv2d`, which says why.
        dilations = (1, 1)
    extents = tuple((k - 1) * d + 1 for k, d in zip(kernel[2:], dilations, strict=True))
    pads = resolve_padding(pads, spatial_sizes(x, False), extents, steps)
    how = {"kernel": tuple(kernel), "steps": tuple(steps), "dilations": tuple(dilations)}
    how |= {"depthwise": depthwise, "activation": activation, "alpha": alpha, "beta": beta}
    nothing = jnp.zeros((0,), x.dtype) if added is None else added
    known = is_constant(*(v for pair in pads for v in pair))
    how["pads"] = tuple([tuple(pair) for pair in pads]) if known else "SAME"
    # What is compiled has known sizes; before that only shapes matter, which lax knows best.
    if not is_constant(*x.shape[2:]):
        return _form(x, weight, bias, nothing, **how)
    return _fused.bind(x, weight, bias, nothing, **how)
