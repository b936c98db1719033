"""Convolutions of images as primitives with kernels of their own on the CPU.

What each buys is in docs/design.md, "Native kernels". Other ranks, other dtypes and channels
last run as XLA's operations.

Axes in names: N batch, C channels in, O channels out.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from proa.native import bilinear_primitive, kernel_call

from ._conv_lowering import is_pointwise, plain, pointwise
from ._windows import spatial_sizes, with_spatial

if TYPE_CHECKING:
    from proa.core._types import Array


def _counts(sizes: Any, kernel: Any, steps: Any, pads: Any, dilations: Any) -> list[Any]:
    """Spatial sizes of the output."""
    return [
        (size + low + high - (k - 1) * d - 1) // step + 1
        for size, (low, high), k, d, step in zip(sizes, pads, kernel, dilations, steps, strict=True)
    ]


def _shifted(
    x: Array, weight: Array, *, steps: Any, pads: Any, dilations: Any, last: bool, sizes: Any
) -> Array:
    """The convolution as a sum of shifted, scaled slices."""
    channels = x.shape[-1 if last else 1]
    if weight.shape[0] != channels:
        x = jnp.repeat(x, weight.shape[0] // channels, axis=-1 if last else 1)
    kernel = weight.shape[2:]
    counts = _counts(spatial_sizes(x, last), kernel, steps, pads, dilations)
    around = with_spatial(pads, last, (0, 0), (0, 0))
    padded = lax.pad(x, jnp.zeros((), x.dtype), [(low, high, 0) for low, high in around])
    outer = (padded.shape[0], padded.shape[-1 if last else 1])
    total = None
    for tap in itertools.product(*(range(k) for k in kernel)):
        begin = tuple(t * d for t, d in zip(tap, dilations, strict=True))
        end = tuple(
            b + (count - 1) * step + 1 for b, count, step in zip(begin, counts, steps, strict=True)
        )
        piece = lax.slice(
            padded,
            with_spatial(begin, last, 0, 0),
            with_spatial(end, last, *outer),
            with_spatial(steps, last, 1, 1),
        )
        factor = weight[(slice(None), 0, *tap)]
        product = piece * factor.reshape((-1,) if last else (-1,) + (1,) * len(kernel))
        total = product if total is None else total + product
    return jnp.asarray(total)


def _dense(
    x: Array, weight: Array, *, steps: Any, pads: Any, dilations: Any, last: bool, sizes: Any
) -> Array:
    """The convolution in the form that XLA does best."""
    if is_pointwise(weight.shape[2:], pads, 1):
        return pointwise(x, weight, steps, last)
    return plain(x, weight, steps, pads, dilations, 1, last)


@dataclass(frozen=True)
class _Kernels:
    """Three directions of a convolution: forward, and the gradients of input and weight.

    Attributes:
        target: stem of the handlers' names.
        form: the forward direction in XLA's operations.
    """

    target: str
    form: Callable[..., Any]

    def input_form(self, dy: Array, weight: Array, *, sizes: Any, **rest: Any) -> Array:
        x = jax.ShapeDtypeStruct((dy.shape[0], *sizes[0]), dy.dtype)
        fn = functools.partial(self.form, sizes=sizes, **rest)
        return jax.linear_transpose(lambda x: fn(x, weight), x)(dy)[0]

    def weight_form(self, x: Array, dy: Array, *, sizes: Any, **rest: Any) -> Array:
        weight = jax.ShapeDtypeStruct(sizes[1], x.dtype)
        fn = functools.partial(self.form, sizes=sizes, **rest)
        return jax.linear_transpose(lambda weight: fn(x, weight), weight)(dy)[0]

    def forward_kernel(self, x: Array, weight: Array, **rest: Any) -> Array:
        if rest["last"] or x.ndim != 4:
            return self.form(x, weight, **rest)
        return kernel_call(self.target, _output_shape(x.shape[0], rest))(
            x, weight, **_attributes(rest)
        )

    def input_kernel(self, dy: Array, weight: Array, **rest: Any) -> Array:
        if rest["last"] or dy.ndim != 4:
            return self.input_form(dy, weight, **rest)
        call = kernel_call(f"{self.target}_input_gradient", (dy.shape[0], *rest["sizes"][0]))
        return call(dy, weight, **_attributes(rest))

    def weight_kernel(self, x: Array, dy: Array, **rest: Any) -> Array:
        if x.ndim != 4:
            return self.weight_form(x, dy, **rest)
        call = kernel_call(f"{self.target}_weight_gradient", rest["sizes"][1])
        if rest["last"]:
            # Two transposes cost a tenth of what XLA takes.
            x, dy = (jnp.moveaxis(array, -1, 1) for array in (x, dy))
        return call(x, dy, **_attributes(rest))


def _output_shape(batch: Any, rest: dict[str, Any]) -> tuple[Any, ...]:
    x_sizes, weight_sizes = rest["sizes"]
    arguments = (rest["steps"], rest["pads"], rest["dilations"])
    spatial = x_sizes[:-1] if rest["last"] else x_sizes[1:]
    counts = _counts(spatial, weight_sizes[2:], *arguments)
    if rest["last"]:
        return (batch, *counts, weight_sizes[0])
    return (batch, weight_sizes[0], *counts)


def _attributes(rest: dict[str, Any]) -> dict[str, np.ndarray]:
    before = [pair[0] for pair in rest["pads"]]
    named = {"strides": rest["steps"], "padding": before, "dilations": rest["dilations"]}
    return {name: np.array(value, np.int64) for name, value in named.items()}


def _family(kernels: _Kernels) -> Any:
    """Declares the three primitives of a convolution and returns the forward one.

    They are one form, linear in x, weight and dy, each solved for another of them.
    """
    forward = bilinear_primitive(
        kernels.target,
        lambda x, weight, **p: _output_shape(x.shape[0], p),
        kernels.form,
        kernels.forward_kernel,
        lambda ct, x, weight, **p: of_input.bind(ct, weight, **p),
        lambda ct, x, weight, **p: of_weight.bind(x, ct, **p),
    )
    of_input = bilinear_primitive(
        f"{kernels.target}_input_gradient",
        lambda dy, weight, *, sizes, **p: (dy.shape[0], *sizes[0]),
        kernels.input_form,
        kernels.input_kernel,
        lambda ct, dy, weight, **p: forward.bind(ct, weight, **p),
        lambda ct, dy, weight, **p: of_weight.bind(ct, dy, **p),
    )
    of_weight = bilinear_primitive(
        f"{kernels.target}_weight_gradient",
        lambda x, dy, *, sizes, **p: sizes[1],
        kernels.weight_form,
        kernels.weight_kernel,
        lambda ct, x, dy, **p: of_input.bind(dy, ct, **p),
        lambda ct, x, dy, **p: forward.bind(x, ct, **p),
    )
    return forward


_depthwise = _family(_Kernels("proa_depthwise", _shifted))
_convolution = _family(_Kernels("proa_convolution", _dense))


def convolution(
    x: Array,
    weight: Array,
    steps: tuple[int, ...],
    pads: Any,
    dilations: tuple[int, ...],
    last: bool,
    *,
    depthwise: bool,
) -> Array:
    """Convolves, all channels together or each by itself.

    Args:
        x: [N, C, ...], or [N, ..., C] where `last`; N may be symbolic.
        weight: [O, C, ...], or [O, 1, ...] where `depthwise`, of the dtype of `x`.
        steps: of the window, per spatial axis.
        pads: zeros (before, after) per spatial axis.
        dilations: per spatial axis.
        last: whether the channels of `x` come last.
        depthwise: whether each channel is convolved by itself; O is a multiple of C.

    Returns:
        The output in the layout of `x`, with O channels.
    """
    return (_depthwise if depthwise else _convolution).bind(
        x,
        weight,
        steps=tuple(steps),
        pads=tuple([tuple(pair) for pair in pads]),
        dilations=tuple(dilations),
        last=last,
        sizes=(tuple(x.shape[1:]), tuple(weight.shape)),
    )
