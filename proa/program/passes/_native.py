"""Native kernels for inference: convolutions with what follows them, and LSTMs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proa.native import has_kernels
from proa.ops._conv_fused import pack_weight
from proa.ops._lstm_fused import pack_gates

from .._program import Call, Program, Value, prune
from ._fuse import with_rules
from ._pass import register_pass
from ._pattern import Match, either, leaf, node, weight
from ._rewrite import Builder, Graph, Notes, attribute, count

#: Largest number of kernel elements of a depthwise convolution.
_MAX_TAPS = 49


@register_pass("native_convolutions")
def native_convolutions(program: Program) -> tuple[Program, Notes]:
    """Gives float32 convolutions of images to Proa's own kernel for the CPU.

    Their weights are packed now, so they must be constants; a bias, an image that is added and
    an activation are done while the result is in registers. It follows the folding of batch norms.
    """
    notes: Notes = {}
    if not any(_is_convolution(call) for call in program.calls) or not has_kernels():
        return program, notes
    return with_rules(program, _RULES, notes), notes


def _is_convolution(call: Call) -> bool:
    if call.op.name != "conv2d" or attribute(call, "data_format") != "NCHW":
        return False
    x, weight = call.inputs[:2]
    depthwise = weight.shape[1] == 1 and math.prod(weight.shape[2:]) <= _MAX_TAPS
    groups = attribute(call, "groups")
    fits = groups == 1 or (depthwise and groups == x.shape[1])
    return fits and all(v.dtype == np.float32 for v in (*call.inputs, *call.outputs))


def _numbers(call: Call | None) -> tuple[str, float, float] | None:
    """The kernel's activation with its two numbers; `None` where it has none such."""
    if call is None:
        return "", 0.0, 0.0
    name = call.op.name
    if name == "relu6":
        return "clip", 0.0, 6.0
    if name == "hardtanh":
        return "clip", attribute(call, "min"), attribute(call, "max")
    if name == "hardswish":
        return name, 1 / 6, 0.5
    if name == "hardsigmoid":
        return name, attribute(call, "slope"), attribute(call, "offset")
    if name == "leaky_relu":
        return name, attribute(call, "negative_slope"), 0.0
    return name, 0.0, 0.0


def _make(builder: Builder, match: Match, graph: Graph) -> Value | None:
    conv, numbers = match.found["conv"], _numbers(match.found.get("activation"))
    if numbers is None:
        return None
    given = conv.arguments()
    held = builder.program.constants.get(given["weight"])
    bias = given["bias"]
    offsets = None if bias is None else builder.program.constants.get(bias)
    if held is None or (bias is not None and offsets is None):
        return None
    added = match.values.get("added")
    if added is not None and added.shape != conv.outputs[0].shape:
        return None
    kernel = tuple(held.shape)
    depthwise = attribute(conv, "groups") > 1
    name = given["weight"].name
    packed = np.asarray(held) if depthwise else pack_weight(np.asarray(held))
    flat = np.zeros(kernel[0], np.float32) if offsets is None else np.reshape(offsets, -1)
    arrays: list[Any] = [
        builder.now(given["x"]),
        given["weight"] if depthwise else builder.constant(packed, name and f"{name}.packed"),
        builder.constant(flat, "" if bias is None else bias.name),
        None if added is None else builder.now(added),
    ]
    activation, alpha, beta = numbers
    return builder.call(
        "conv2d_fused",
        *arrays,
        like=match.found.get("activation") or match.found.get("sum") or conv,
        kernel=kernel,
        stride=given["stride"],
        padding=given["padding"],
        dilation=given["dilation"],
        depthwise=depthwise,
        activation=activation,
        alpha=float(alpha),
        beta=float(beta),
    )


_conv = node("conv2d", name="conv", weight=weight("weight"), when=_is_convolution)
_sum = node("add", name="sum", x=_conv, y=leaf("added"))
_activation = node(
    ("relu", "relu6", "hardtanh", "hardswish", "hardsigmoid", "leaky_relu"),
    name="activation",
    x=either(_sum, _conv),
)
# The longest first: a convolution stands before what follows it.
_RULES = {
    "convolutions with what follows": [(_activation, _make)],
    "convolutions and sums": [(_sum, _make)],
    "convolutions": [(_conv, _make)],
}


@register_pass("native_lstm")
def native_lstm(program: Program) -> tuple[Program, Notes]:
    """Gives float32 LSTMs to Proa's own kernel for the CPU, which is for a few sequences.

    Their weights are packed now, so they must be constants.
    """
    notes: Notes = {}
    if not has_kernels():
        return program, notes
    return _with_native_lstm(program, notes), notes


def _with_native_lstm(program: Program, notes: Notes) -> Program:
    if not any(_lstm_weights(program, call) for call in program.calls):
        return program
    builder = Builder(program)
    for call in program.calls:
        found = _lstm_weights(program, call)
        if not found:
            builder.keep(call)
            continue
        given, w_hh, bias = call.arguments(), *found
        name = given["w_hh"].name
        arrays = [builder.now(given[n]) for n in ("x", "h", "c", "w_ih")]
        arrays.append(builder.constant(pack_gates(w_hh), name and f"{name}.packed"))
        arrays.append(builder.constant(bias))
        how = {n: given[n] for n in ("reverse", "time_major")}
        made = builder.call_many("lstm_fused", *arrays, like=call, **how)
        builder.renamed.update(zip(call.outputs, made, strict=True))
        count(notes, "LSTMs")
    return prune(builder.finish())


def _lstm_weights(program: Program, call: Call) -> tuple[np.ndarray, np.ndarray] | None:
    """The recurrent weight and the sum of both biases of an LSTM that the kernel can run."""
    if call.op.name != "recurrent" or attribute(call, "mode") != "LSTM":
        return None
    given = call.arguments()
    if given["w_ho"] is not None or given["sequence_length"] is not None:
        return None
    if any(v.dtype != np.float32 for v in (*call.inputs, *call.outputs)):
        return None
    weight = program.constants.get(given["w_hh"])
    biases = [given[n] for n in ("b_ih", "b_hh") if given[n] is not None]
    known = [program.constants.get(v) for v in biases]
    if weight is None or any(b is None for b in known):
        return None
    total = np.zeros(weight.shape[0], np.float32)
    for bias in known:
        total = total + np.asarray(bias)
    return np.asarray(weight), total
