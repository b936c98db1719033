"""Batch normalisation, and what else is affine per channel, inside convolution and linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import as_dtype

from .._program import Call, Program, Value
from ._pass import register_pass
from ._pattern import Match, Pattern, leaf, node, rewrite, weight
from ._rewrite import Builder, Graph, Notes, attribute, count

_CONVOLUTIONS = tuple([f"conv{n}d" for n in (1, 2, 3)])
_TRANSPOSED = tuple([f"conv{n}d_transpose" for n in (1, 2, 3)])
_AFFINE = (*_CONVOLUTIONS, *_TRANSPOSED, "linear")


@register_pass("conv_batch_norm_folding")
def conv_batch_norm_folding(program: Program) -> tuple[Program, Notes]:
    """Moves batch norm, scales and biases into the weights of the convolution before them.

    Also after transposed and depthwise convolutions and linear maps. It is written as arithmetic
    on weights, which `constant_folding` then computes if the weights are bound.
    """
    notes: Notes = {}
    return _folded(program, notes), notes


def _folded(program: Program, notes: Notes) -> Program:
    # One may clear the way for another: a scale stands before the bias that follows it.
    while True:
        before = program
        for what, rules in _RULES.items():
            program, done = rewrite(program, rules)
            count(notes, what, done)
        if program is before:
            return program


def channel_axis(call: Call) -> int:
    """Returns the axis of the output channels of a convolution or linear map."""
    layout = attribute(call, "data_format")
    rank = len(call.outputs[0].shape)
    return 1 if layout is not None and layout.startswith("NC") else rank - 1


def per_channel(value: Value, call: Call) -> bool:
    """Whether a Value has one element per channel of what a call gives, or one in all."""
    output, axis = call.outputs[0], channel_axis(call)
    shape = (1,) * (len(output.shape) - len(value.shape)) + value.shape
    if len(value.shape) > len(output.shape) or value.dtype != output.dtype:
        return False
    fits = [e == 1 or (i == axis and e == output.shape[i]) for i, e in enumerate(shape)]
    return all(fits)


class _Affine:
    """The weights of a convolution or linear map, to be scaled and shifted per channel."""

    def __init__(self, builder: Builder, call: Call) -> None:
        self.builder, self.call = builder, call
        given = call.arguments()
        self.x = builder.now(given["x"])
        self.weight = builder.now(given["weight"])
        self.bias = builder.now(given["bias"]) if given["bias"] is not None else None
        self.channels = call.outputs[0].shape[channel_axis(call)]
        self.like = call

    def vector(self, value: Value) -> Value:
        """Gives a Value with one element per channel, or one in all, one axis."""
        make = self.builder.call
        if value.shape == (self.channels,):
            return value
        flat = make("reshape", value, like=self.like, shape=(-1,))
        if flat.shape == (self.channels,):
            return flat
        return make("expand", flat, like=self.like, shape=(self.channels,))

    def scale(self, factor_O: Value) -> None:
        """Multiplies all outputs of a channel by a factor."""
        name, dtype = self.weight.name, self.weight.dtype
        made = self._scaled_weight(factor_O)
        self.weight = self._fit(made, dtype, f"{name}.folded" if name else "")
        if self.bias is not None:
            bias = self.vector(self.bias)
            made = self.builder.call("multiply", bias, factor_O, like=self.like)
            self.bias = self._fit(made, dtype, "")

    def _scaled_weight(self, factor_O: Value) -> Value:
        make, shape, like = self.builder.call, self.weight.shape, self.like
        if self.call.op.name in _TRANSPOSED:
            # [I, O / groups, ...]: the groups' outputs follow one another along I.
            groups = attribute(self.call, "groups")
            inner, rest = shape[1], (1,) * (len(shape) - 2)
            split = (groups, shape[0] // groups, inner, *shape[2:])
            weight = make("reshape", self.weight, like=like, shape=split)
            factor = make("reshape", factor_O, like=like, shape=(groups, 1, inner, *rest))
            product = make("multiply", weight, factor, like=like)
            return make("reshape", product, like=like, shape=shape)
        if self.call.op.name in _CONVOLUTIONS:
            tail = (self.channels, *(1,) * (len(shape) - 1))
            factor_O = make("reshape", factor_O, like=like, shape=tail)
        return make("multiply", self.weight, factor_O, like=like)

    def shift(self, added_O: Value) -> None:
        """Adds to all outputs of a channel."""
        dtype = self.weight.dtype
        made = added_O
        if self.bias is not None:
            bias = self.vector(self.bias)
            made = self.builder.call("add", bias, added_O, like=self.like)
        name = self.weight.name.removesuffix(".folded").removesuffix("weight")
        self.bias = self._fit(made, dtype, f"{name}bias.folded" if name else "")

    def _fit(self, value: Value, dtype: Any, name: str) -> Value:
        """Returns what was computed in the dtype of the weights; a new Value gets a name."""
        if value.dtype != dtype:
            value = self.builder.call("cast", value, like=self.like, dtype=as_dtype(dtype))
        if name and not value.name and value.number > self.call.outputs[0].number:
            value.name = name
        return value

    def result(self, like: Call) -> Value:
        """Adds the call with the new weights."""
        given = self.call.arguments()
        rest = {n: v for n, v in given.items() if n not in ("x", "weight", "bias")}
        arrays = (self.x, self.weight, self.bias)
        return self.builder.call(self.call.op.name, *arrays, like=like, **rest)


def _fold_norm(builder: Builder, match: Match, graph: Graph) -> Value | None:
    affine, norm = match.found["affine"], match.found["norm"]
    layout = attribute(norm, "data_format")
    rank = len(norm.outputs[0].shape)
    if channel_axis(affine) != (1 if layout.startswith("NC") else rank - 1):
        return None
    given = norm.arguments()
    statistics = [given[n] for n in ("running_mean", "running_var", "weight", "bias")]
    if not all(v is None or graph.is_weight(v) for v in statistics):
        return None
    mean, variance, scale, shift = [v and builder.now(v) for v in statistics]
    made = _Affine(builder, affine)
    make = builder.call
    small = builder.constant(np.asarray(given["epsilon"], variance.dtype))
    raised = make("add", made.vector(variance), small, like=affine)
    factor = make("rsqrt", raised, like=affine)
    if scale is not None:
        factor = make("multiply", factor, made.vector(scale), like=affine)
    moved = make("multiply", made.vector(mean), factor, like=affine)
    added = make("negative", moved, like=affine)
    if shift is not None:
        added = make("subtract", made.vector(shift), moved, like=affine)
    made.scale(factor)
    made.shift(added)
    return made.result(norm)


def _fold_scale(builder: Builder, match: Match, graph: Graph) -> Value | None:
    affine, factor = match.found["affine"], match.values["factor"]
    if not per_channel(factor, affine):
        return None
    made = _Affine(builder, affine)
    made.scale(made.vector(builder.now(factor)))
    return made.result(match.found["root"])


def _fold_shift(builder: Builder, match: Match, graph: Graph) -> Value | None:
    affine, added = match.found["affine"], match.values["added"]
    if not per_channel(added, affine):
        return None
    made = _Affine(builder, affine)
    made.shift(made.vector(builder.now(added)))
    return made.result(match.found["root"])


def _is_matrix(graph: Graph, value: Value) -> bool:
    return graph.is_weight(value) and len(value.shape) == 2


def _product_with_bias(builder: Builder, match: Match, graph: Graph) -> Value | None:
    product, added = match.found["product"], match.values["added"]
    x, matrix = builder.now(match.values["x"]), builder.now(match.values["matrix"])
    fits = added.shape == matrix.shape[1:] and len(x.shape) > 1
    if not fits or not x.dtype == matrix.dtype == added.dtype:
        return None
    return builder.call("linear", x, matrix, builder.now(added), like=product)


def _plain_product(call: Call) -> bool:
    return not attribute(call, "transpose_x") and not attribute(call, "transpose_y")


_affine = node(_AFFINE, name="affine", weight=weight("weight"))
_product: Pattern = node(
    "matmul", name="product", when=_plain_product, x=leaf("x"), y=leaf("matrix", _is_matrix)
)
_RULES = {
    "biases moved into a linear map": [
        (node("add", name="root", x=_product, y=weight("added")), _product_with_bias)
    ],
    "batch norms folded": [(node("batch_norm_infer", name="norm", x=_affine), _fold_norm)],
    "scales folded": [(node("multiply", name="root", x=_affine, y=weight("factor")), _fold_scale)],
    "biases folded": [(node("add", name="root", x=_affine, y=weight("added")), _fold_shift)],
}
