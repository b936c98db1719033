"""ONNX nodes of activations and softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._elementwise import compare, log1p
from ._graph import Graph, Ref
from ._rules import axis_of, floating, need, promoted, widened, writes

#: First opset with the operator `Gelu`.
_GELU_OPSET = 20


@writes("relu")
def _relu(g: Graph, x: Ref) -> Ref:
    return g.node("Relu", x)


def _clamp(g: Graph, x: Ref, low: float, high: float) -> Ref:
    return g.node("Clip", x, g.number(low, x), g.number(high, x))


@writes("relu6")
def _relu6(g: Graph, x: Ref) -> Ref:
    return _clamp(g, x, 0, 6)


@writes("hardtanh")
def _hardtanh(g: Graph, x: Ref, min: float, max: float) -> Ref:
    return _clamp(g, floating(g, x), min, max)


@writes("gelu")
def _gelu(g: Graph, x: Ref, approximate: Any) -> Ref:
    x = floating(g, x)
    by_tanh = approximate in (True, "tanh")
    if g.opset >= _GELU_OPSET:
        return g.node("Gelu", x, approximate="tanh" if by_tanh else None)
    half = g.node("Mul", x, g.number(0.5, x))
    if by_tanh:
        cube = g.node("Mul", g.node("Mul", x, x), g.node("Mul", x, g.number(0.044715, x)))
        inner = g.node("Mul", g.node("Add", x, cube), g.number(math.sqrt(2 / math.pi), x))
        share = g.node("Tanh", inner)
    else:
        share = g.node("Erf", g.node("Div", x, g.number(math.sqrt(2), x)))
    return g.node("Mul", half, g.node("Add", share, g.number(1, x)))


@writes("silu", "swish")
def _silu(g: Graph, x: Ref) -> Ref:
    return silu(g, floating(g, x))


def silu(g: Graph, x: Ref) -> Ref:
    """Adds x * sigmoid(x)."""
    return g.node("Mul", x, g.node("Sigmoid", x))


@writes("mish")
def _mish(g: Graph, x: Ref) -> Ref:
    return g.node("Mish", floating(g, x))


@writes("leaky_relu")
def _leaky_relu(g: Graph, x: Ref, negative_slope: float) -> Ref:
    return g.node("LeakyRelu", floating(g, x), alpha=float(negative_slope))


@writes("elu")
def _elu(g: Graph, x: Ref, alpha: float) -> Ref:
    return g.node("Elu", floating(g, x), alpha=float(alpha))


@writes("celu")
def _celu(g: Graph, x: Ref, alpha: float) -> Ref:
    return g.node("Celu", floating(g, x), alpha=float(alpha))


@writes("selu")
def _selu(g: Graph, x: Ref, scale: float, alpha: float) -> Ref:
    return g.node("Selu", floating(g, x), alpha=float(alpha), gamma=float(scale))


@writes("hardsigmoid")
def _hardsigmoid(g: Graph, x: Ref, slope: float, offset: float) -> Ref:
    return g.node("HardSigmoid", floating(g, x), alpha=float(slope), beta=float(offset))


@writes("hardswish")
def _hardswish(g: Graph, x: Ref) -> Ref:
    return g.node("HardSwish", floating(g, x))


@writes("hardshrink")
def _hardshrink(g: Graph, x: Ref, threshold: float) -> Ref:
    return g.node("Shrink", floating(g, x), lambd=float(threshold), bias=0.0)


@writes("softshrink")
def _softshrink(g: Graph, x: Ref, threshold: float) -> Ref:
    return g.node("Shrink", floating(g, x), lambd=float(threshold), bias=float(threshold))


@writes("tanhshrink")
def _tanhshrink(g: Graph, x: Ref) -> Ref:
    x = floating(g, x)
    return g.node("Sub", x, g.node("Tanh", x))


@writes("softplus")
def _softplus(g: Graph, x: Ref, beta: float, threshold: float) -> Ref:
    x = floating(g, x)
    scaled = x if beta == 1 else g.node("Mul", x, g.number(beta, x))
    curve = g.node("Softplus", scaled)
    curve = curve if beta == 1 else g.node("Div", curve, g.number(beta, x))
    is_linear = g.node("Greater", scaled, g.number(threshold, x), dtype=bool)
    return g.node("Where", is_linear, x, curve, dtype=x.dtype)


@writes("log_sigmoid")
def _log_sigmoid(g: Graph, x: Ref) -> Ref:
    # min(x, 0) - log(1 + exp(-|x|)): nothing overflows.
    x = widened(g, floating(g, x))
    rest = log1p(g, g.node("Exp", g.node("Neg", g.node("Abs", x))))
    return g.node("Sub", g.node("Min", x, g.number(0, x)), rest)


@writes("thresholded_relu")
def _thresholded_relu(g: Graph, x: Ref, threshold: float, value: float) -> Ref:
    x = floating(g, x)
    is_low = g.node("LessOrEqual", x, g.number(threshold, x), dtype=bool)
    return g.node("Where", is_low, g.number(value, x), x, dtype=x.dtype)


@writes("prelu")
def _prelu(g: Graph, x: Ref, weight: Ref, data_format: str) -> Ref:
    weight = g.cast(weight, x.dtype)
    last = data_format.endswith("C") and len(data_format) > 2
    axis = x.ndim - 1 if last else 1
    is_one = all(d == 1 for d in weight.extents)
    shape = () if is_one else tuple([-1 if i == axis else 1 for i in range(x.ndim)])
    slope = g.node("Reshape", weight, g.integers(shape))
    is_positive = g.node("Greater", x, g.number(0, x), dtype=bool)
    return g.node("Where", is_positive, x, g.node("Mul", slope, x), dtype=x.dtype)


def softmax(g: Graph, x: Ref, axis: int, kind: str = "Softmax") -> Ref:
    """Adds a softmax; an axis of a 0-d value is one element."""
    if not x.ndim:
        return g.number(1 if kind == "Softmax" else 0, x)
    return g.node(kind, x, axis=axis_of(axis, x.ndim), shape=x.shape)


@writes("softmax", "log_softmax")
def _softmax(g: Graph, x: Ref, axis: int, dtype: Any) -> Ref:
    x = floating(g, x) if dtype is None else g.cast(x, dtype.numpy)
    kind = "Softmax" if g.call.op.name == "softmax" else "LogSoftmax"
    return softmax(g, widened(g, x), axis, kind)


def _halves(g: Graph, x: Ref, axis: int) -> tuple[Ref, Ref]:
    place = axis_of(axis, x.ndim)
    return g.node("Split", x, outputs=2, axis=place, num_outputs=2)


@writes("glu")
def _glu(g: Graph, x: Ref, axis: int) -> Ref:
    first, second = _halves(g, x, axis)
    return g.node("Mul", first, g.node("Sigmoid", second))


@writes("swiglu")
def _swiglu(g: Graph, x: Ref, y: Ref | None) -> Ref:
    first, second = _halves(g, x, -1) if y is None else (x, y)
    first, second = promoted(g, silu(g, first), second)
    return g.node("Mul", first, second)


@writes("maxout")
def _maxout(g: Graph, x: Ref, groups: int, axis: int) -> Ref:
    place = axis_of(axis, x.ndim)
    shape = list(x.extents)
    need(isinstance(shape[place], int), "maxout along an axis of unknown extent")
    shape[place : place + 1] = [shape[place] // groups, groups]
    parts = g.reshape(x, shape)
    return g.node("ReduceMax", parts, g.integers([place + 1]), keepdims=0)


@writes("logit")
def _logit(g: Graph, x: Ref, eps: float | None) -> Ref:
    x = widened(g, floating(g, x))
    if eps:
        x = _clamp(g, x, eps, 1 - eps)
    return g.node("Sub", g.node("Log", x), log1p(g, g.node("Neg", x)))


@writes("heaviside")
def _heaviside(g: Graph, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    zero = g.number(0, x)
    step = g.cast(compare(g, "Greater", x, zero), x.dtype)
    step = g.node("Where", g.node("Equal", x, zero, dtype=bool), y, step, dtype=x.dtype)
    if x.is_integral:
        return step
    return g.node("Where", g.node("IsNaN", x, dtype=bool), x, step, dtype=np.dtype(x.dtype))
