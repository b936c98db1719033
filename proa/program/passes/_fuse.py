"""Fusing: several calls that one op, or one region, stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._control_flow import SubProgram
from .._program import Call, Program, Value
from .._region import FUSED, REGION
from ._batch_norm import per_channel
from ._pass import register_pass
from ._pattern import Match, Pattern, either, leaf, node, rewrite, scalar, weight
from ._rewrite import Builder, Graph, Notes, attribute, count


def with_rules(program: Program, rules: dict[str, Any], notes: Notes) -> Program:
    """Applies groups of rules one after the other."""
    for what, given in rules.items():
        program, done = rewrite(program, given)
        count(notes, what, done)
    return program


# Layer norm


@register_pass("fuse_layer_norm", inside="control flow")
def fuse_layer_norm(program: Program) -> tuple[Program, Notes]:
    """Finds layer and RMS norms that are written out, and makes them one op each."""
    notes: Notes = {}
    return with_rules(program, _NORM_RULES, notes), notes


def _trailing_axes(call: Call) -> int | None:
    """Number of last axes that a reduction runs over, which it keeps; `None` for others."""
    axis, rank = attribute(call, "axis"), len(call.inputs[0].shape)
    if axis is None or not attribute(call, "keepdim"):
        return None
    axes = sorted(a % rank for a in (axis if isinstance(axis, tuple) else (axis,)))
    known = all(isinstance(call.inputs[0].shape[a], int) for a in axes)
    return len(axes) if known and axes == list(range(rank - len(axes), rank)) else None


def _is_moment(call: Call) -> bool:
    if call.op.name == "var" and attribute(call, "correction") != 0:
        return False
    return _trailing_axes(call) is not None


def _is_power(exponent: float) -> Any:
    return lambda call: attribute(call, "exponent") == exponent


def _squared(x: Pattern) -> Pattern:
    return either(
        node("multiply", x=x, y=x),
        node("square", x=x),
        node("pow_constant", x=x, when=_is_power(2)),
    )


def _over_root(x: Pattern, raised: Pattern) -> list[Pattern]:
    root = either(node("sqrt", x=raised), node("pow_constant", x=raised, when=_is_power(0.5)))
    inverse = either(node("rsqrt", x=raised), node("pow_constant", x=raised, when=_is_power(-0.5)))
    return [
        node("divide", name="root", x=x, y=root),
        node("multiply", name="root", x=x, y=inverse),
    ]


_x = leaf("x")
_mean = node("mean", name="mean", x=_x, when=_is_moment)
_centred = node("subtract", x=_x, y=_mean)
_variance = either(
    node("mean", name="variance", x=_squared(_centred), when=_is_moment),
    node("var", name="variance", x=_x, when=_is_moment),
)
_square_mean = node("mean", name="variance", x=_squared(_x), when=_is_moment)


def _make_norm(builder: Builder, match: Match, graph: Graph) -> Value | None:
    over = _trailing_axes(match.found["variance"])
    x, epsilon = match.values["x"], graph.scalar(match.values["epsilon"])
    centre = match.found.get("mean")
    if over is None or epsilon is None or (centre and _trailing_axes(centre) != over):
        return None
    shape = tuple(x.shape[len(x.shape) - over :])
    root = match.found["root"]
    if root.outputs[0].dtype != x.dtype:
        return None
    if centre is None:
        return builder.call(
            "rms_norm", builder.now(x), like=root, normalized_shape=shape, eps=epsilon
        )
    return builder.call(
        "layer_norm", builder.now(x), like=root, normalized_shape=shape, epsilon=epsilon
    )


def _fits_norm(value: Value, norm: Call) -> bool:
    shape = attribute(norm, "normalized_shape")
    padded = (1,) * (len(shape) - len(value.shape)) + value.shape
    extra = len(padded) - len(shape)
    return (
        value.dtype == norm.outputs[0].dtype
        and len(padded) <= len(norm.outputs[0].shape)
        and padded[extra:] == tuple(shape)
        and all(e == 1 for e in padded[:extra])
    )


def _weigh_norm(builder: Builder, match: Match, graph: Graph) -> Value | None:
    return _extended(builder, match, "weight", match.values["factor"])


def _shift_norm(builder: Builder, match: Match, graph: Graph) -> Value | None:
    return _extended(builder, match, "bias", match.values["added"])


def _extended(builder: Builder, match: Match, name: str, value: Value) -> Value | None:
    norm = match.found["norm"]
    if not _fits_norm(value, norm):
        return None
    given: dict[str, Any] = {
        n: builder.now(v) if isinstance(v, Value) else v for n, v in norm.arguments().items()
    }
    given[name] = builder.now(value)
    arrays = [given.pop(p.name) for p in norm.op.arrays]  # type: ignore[attr-defined]
    return builder.call(norm.op.name, *arrays, like=match.found["root"], **given)


_either_norm = ("layer_norm", "rms_norm")
_NORM_RULES = {
    "layer norms made": [
        (each, _make_norm)
        for each in _over_root(_centred, node("add", x=_variance, y=scalar("epsilon")))
    ],
    "RMS norms made": [
        (each, _make_norm)
        for each in _over_root(_x, node("add", x=_square_mean, y=scalar("epsilon")))
    ],
    "weights of a norm taken in": [
        (
            node(
                "multiply",
                name="root",
                x=node(_either_norm, name="norm", absent=("weight", "bias")),
                y=weight("factor"),
            ),
            _weigh_norm,
        )
    ],
    "biases of a norm taken in": [
        (
            node(
                "add",
                name="root",
                x=node("layer_norm", name="norm", absent=("bias",)),
                y=weight("added"),
            ),
            _shift_norm,
        )
    ],
}


# Attention


@register_pass("fuse_attention", inside="control flow")
def fuse_attention(program: Program) -> tuple[Program, Notes]:
    """Finds softmax(query key^T * scale + mask) value, and makes it one attention op."""
    notes: Notes = {}
    return with_rules(program, _ATTENTION_RULES, notes), notes


def _is_last_softmax(call: Call) -> bool:
    rank = len(call.inputs[0].shape)
    return attribute(call, "axis") in (-1, rank - 1) and attribute(call, "dtype") is None


def _is_untransposed(call: Call) -> bool:
    return not attribute(call, "transpose_x") and not attribute(call, "transpose_y")


_scores = node(
    ("matmul", "bmm"),
    name="scores",
    when=lambda call: not attribute(call, "transpose_x"),
    x=leaf("query"),
    y=leaf("key"),
)
_scaled = either(
    node("multiply", name="times", x=_scores, y=scalar("factor")),
    node("divide", name="over", x=_scores, y=scalar("factor")),
    node("scale", name="times", x=_scores, scale=scalar("factor"), bias=scalar("nothing")),
    _scores,
)
_masked = either(node("add", name="masked", x=_scaled, y=leaf("mask")), _scaled)
_attention = node(
    ("matmul", "bmm"),
    name="root",
    when=_is_untransposed,
    x=node("softmax", name="softmax", x=_masked, when=_is_last_softmax),
    y=leaf("value"),
)


def _make_attention(builder: Builder, match: Match, graph: Graph) -> Value | None:
    scores, root = match.found["scores"], match.found["root"]
    query, key, value = (match.values[n] for n in ("query", "key", "value"))
    rank, is_kept = len(query.shape), attribute(scores, "transpose_y")
    if rank not in (3, 4) or {len(key.shape), len(value.shape)} != {rank}:
        return None
    lead = [v.shape[: rank - 2] for v in (query, key, value)]
    length = key.shape[-2] if is_kept else key.shape[-1]
    if lead[0] != lead[1] or lead[1] != lead[2] or length != value.shape[-2]:
        return None
    if graph.scalar(match.values["nothing"]) if "nothing" in match.values else 0.0:
        return None
    number = graph.scalar(match.values["factor"]) if "factor" in match.values else 1.0
    if not number:
        return None
    mask = match.values.get("mask")
    if mask is not None:
        masked = match.found["masked"].outputs[0]
        if masked.shape != scores.outputs[0].shape or mask.dtype != query.dtype:
            return None
    factor = 1 / number if "over" in match.found else number
    made = [
        _heads(builder, query, rank, False, root),
        _heads(builder, key, rank, not is_kept, root),
        _heads(builder, value, rank, False, root),
    ]
    if mask is not None:
        mask = builder.now(mask)
        if rank == 3 and len(mask.shape) == 3:
            mask = builder.call("unsqueeze", mask, like=root, axis=1)
    settings = {"is_causal": False, "scale": factor, "enable_gqa": False}
    out = builder.call("attention", *made, mask, like=root, softcap=None, also="", **settings)
    if rank == 3:
        return builder.call("squeeze", out, like=root, axis=2)
    return builder.call("transpose", out, like=root, perm=(0, 2, 1, 3))


def _heads(builder: Builder, value: Value, rank: int, is_turned: bool, like: Call) -> Value:
    """Lays [B, H, T, D] (or [B, T, D]) out as [B, T, H, D]; turned: it is [..., D, T]."""
    value = builder.now(value)
    if rank == 3:
        if is_turned:
            value = builder.call("transpose", value, like=like, perm=(0, 2, 1))
        return builder.call("unsqueeze", value, like=like, axis=2)
    perm = (0, 3, 1, 2) if is_turned else (0, 2, 1, 3)
    return builder.call("transpose", value, like=like, perm=perm)


_ATTENTION_RULES = {"attentions made": [(_attention, _make_attention)]}


# Bias and activation


# What is a region already stays one.
@register_pass("fuse_bias_activation", inside="control flow")
def fuse_bias_activation(program: Program) -> tuple[Program, Notes]:
    """Makes one region of a convolution or product, the bias added to it and its activation.

    XLA does the same when it compiles; as a region it shows in what a Program reads and writes.
    """
    notes: Notes = {}
    return with_rules(program, _BIAS_RULES, notes), notes


_PRODUCTS = (
    *[f"conv{n}d" for n in (1, 2, 3)],
    *[f"conv{n}d_transpose" for n in (1, 2, 3)],
    *("linear", "matmul", "mm", "bmm"),
)
_ACTIVATIONS = (
    *("relu", "relu6", "gelu", "silu", "swish", "mish", "sigmoid", "tanh", "elu", "softplus"),
    *("hardswish", "hardsigmoid", "leaky_relu"),
)
_product = node(_PRODUCTS, name="product")
_biased = node("add", name="sum", x=_product, y=weight("added"))


def make_region(
    builder: Builder, calls: Sequence[Call], outputs: Sequence[Value], kind: str, label: str
) -> tuple[Value, ...]:
    """Adds a region of some calls of the old Program.

    Args:
        builder: gets the call.
        calls: in their order.
        outputs: what the region gives, Values of the old Program.
        kind: what it is, `FUSED` or `RECOMPUTED`.
        label: what to call it.
    """
    made = {v for call in calls for v in call.outputs}
    read = [v for call in calls for v in call.inputs if v not in made]
    outer = list(dict.fromkeys(read))
    inner = {v: Value(v.shape, v.dtype, name=v.name) for v in outer}
    moved = []
    for call in calls:
        given = tuple([inner.get(v, v) for v in call.inputs])
        moved.append(
            Call(call.op, given, call.key, call.outputs, call.is_tuple, call.where, call.flows)
        )
    held = Program([inner[v] for v in outer], [], {}, moved, list(outputs))
    results = tuple([Value(v.shape, v.dtype, name=v.name) for v in outputs])
    inputs = tuple([builder.now(v) for v in outer])
    key = (SubProgram(held), kind, label)
    builder.calls.append(Call(REGION, inputs, key, results, True, calls[-1].where))
    return results


def _make_region(builder: Builder, match: Match, graph: Graph) -> Value | None:
    total = match.found.get("sum")
    if total is not None:
        product = match.found["product"]
        known = per_channel(match.values["added"], product)
        if not known:
            return None
    names = [match.found[n].op.name for n in ("product", "sum", "root") if n in match.found]
    label = " + ".join("bias" if name == "add" else name for name in names)
    ids = {id(call) for call in match.calls}
    ordered = [call for call in builder.program.calls if id(call) in ids]
    (made,) = make_region(builder, ordered, match.found["root"].outputs, FUSED, label)
    return made


_BIAS_RULES = {
    "regions made": [
        (node(_ACTIVATIONS, name="root", x=either(_biased, _product)), _make_region),
    ]
}
