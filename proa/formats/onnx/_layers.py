"""ONNX nodes of layers: products, convolutions, norms, attention, recurrent layers, embeddings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._graph import Graph, Ref
from ._rules import floating, known, need, promoted, widened, writes

# Products.


def _swapped(g: Graph, x: Ref) -> Ref:
    order = list(range(x.ndim))
    order[-2:] = order[:-3:-1]
    return g.transpose(x, order)


@writes("matmul")
def _matmul(g: Graph, x: Ref, y: Ref, transpose_x: bool, transpose_y: bool) -> Ref:
    x, y = promoted(g, x, y)
    x = _swapped(g, x) if transpose_x and x.ndim > 1 else x
    y = _swapped(g, y) if transpose_y and y.ndim > 1 else y
    return g.node("MatMul", x, y)


@writes("mm", "bmm", "mv")
def _product(g: Graph, **arguments: Ref) -> Ref:
    return g.node("MatMul", *promoted(g, *arguments.values()))


@writes("dot")
def _dot(g: Graph, x: Ref, y: Ref) -> Ref:
    product = g.node("Mul", *promoted(g, x, y))
    return g.node("ReduceSum", product, g.integers([-1]), keepdims=0)


@writes("inner")
def _inner(g: Graph, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    need(x.ndim == 2 and y.ndim <= 2, "inner of more than two axes")
    return g.node("MatMul", x, _swapped(g, y) if y.ndim == 2 else y)


@writes("outer")
def _outer(g: Graph, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    column = g.node("Reshape", x, g.integers([-1, 1]))
    return g.node("Mul", column, g.node("Reshape", y, g.integers([1, -1])))


@writes("addmm", "baddbmm")
def _addmm(g: Graph, input: Ref, x: Ref, y: Ref, beta: float, alpha: float) -> Ref:
    input, x, y = promoted(g, input, x, y)
    product = g.node("MatMul", x, y)
    product = product if alpha == 1 else g.node("Mul", product, g.number(alpha, product))
    input = input if beta == 1 else g.node("Mul", input, g.number(beta, input))
    return g.node("Add", input, product)


@writes("einsum")
def _einsum(g: Graph, operands: list[Ref], equation: str) -> Ref:
    return g.node("Einsum", *promoted(g, *operands), equation=equation)


@writes("linear")
def _linear(g: Graph, x: Ref, weight: Ref, bias: Ref | None) -> Ref:
    x, weight = promoted(g, x, weight)
    y = g.node("MatMul", x, weight)
    return y if bias is None else g.node("Add", *promoted(g, y, bias))


@writes("embedding_lookup")
def _embedding(g: Graph, x: Ref, weight: Ref, padding_idx: int | None) -> Ref:
    rows = g.node("Gather", weight, x, axis=0)
    if padding_idx is None:
        return rows
    index = g.number(padding_idx, x)
    is_padding = g.unsqueeze(g.node("Equal", x, index, dtype=bool), [x.ndim])
    return g.node("Where", is_padding, g.number(0, rows), rows, dtype=rows.dtype)


# Norms.


def _channel_axis(x: Ref, data_format: str) -> int:
    return 1 if data_format.startswith("NC") else x.ndim - 1


def _per_channel(g: Graph, value: Ref, ndim: int, axis: int) -> Ref:
    shape = [1] * ndim
    (shape[axis],) = known((math.prod(value.extents),), "the number of channels")
    return g.reshape(widened(g, value), shape)


@writes("batch_norm_infer")
def _batch_norm(
    g: Graph,
    x: Ref,
    running_mean: Ref,
    running_var: Ref,
    weight: Ref | None,
    bias: Ref | None,
    epsilon: float,
    data_format: str,
) -> Ref:
    axis = _channel_axis(x, data_format)
    mean, variance = widened(g, running_mean), widened(g, running_var)
    count = known((math.prod(mean.extents),), "the number of channels")
    scale = g.constant(np.ones(count, mean.dtype)) if weight is None else widened(g, weight)
    shift = g.constant(np.zeros(count, mean.dtype)) if bias is None else widened(g, bias)
    wide = widened(g, x)
    if axis == 1:
        given = (scale, shift, mean, variance)
        return g.node("BatchNormalization", wide, *given, epsilon=float(epsilon))
    room = g.node("Sqrt", g.node("Add", variance, g.number(epsilon, variance)))
    factor = g.node("Div", scale, room)
    return g.node("Add", g.node("Mul", g.node("Sub", wide, mean), factor), shift)


@writes("layer_norm")
def _layer_norm(
    g: Graph, x: Ref, normalized_shape: Any, weight: Ref | None, bias: Ref | None, epsilon: float
) -> Ref:
    wide = widened(g, x)
    count = known(normalized_shape, "the normalised extents")
    scale = _filled(g, weight, 1, wide, count)
    shift = None if bias is None else _filled(g, bias, 0, wide, count)
    return g.node("LayerNormalization", wide, scale, shift, axis=-len(count),
                  epsilon=float(epsilon))  # fmt: skip


def _filled(g: Graph, value: Ref | None, fill: float, like: Ref, shape: Any) -> Ref:
    if value is None:
        return g.constant(np.full(shape, fill, like.dtype))
    return g.reshape(g.cast(value, like.dtype), shape)


@writes("rms_norm")
def _rms_norm(g: Graph, input: Ref, normalized_shape: Any, weight: Ref | None, eps: float) -> Ref:
    wide = widened(g, input)
    axes = g.integers(range(-len(normalized_shape), 0))
    power = g.node("ReduceMean", g.node("Mul", wide, wide), axes, keepdims=1)
    root = g.node("Sqrt", g.node("Add", power, g.number(eps, wide)))
    made = g.node("Div", wide, root)
    if weight is None:
        return made
    shape = known(normalized_shape, "the normalised extents")
    return g.node("Mul", made, _filled(g, weight, 1, wide, shape))


def _standardised(g: Graph, x: Ref, axes: Any, epsilon: float) -> Ref:
    where = g.integers(axes)
    rest = g.node("Sub", x, g.node("ReduceMean", x, where, keepdims=1))
    variance = g.node("ReduceMean", g.node("Mul", rest, rest), where, keepdims=1)
    return g.node("Div", rest, g.node("Sqrt", g.node("Add", variance, g.number(epsilon, x))))


def _affine(g: Graph, y: Ref, weight: Ref | None, bias: Ref | None, ndim: int, axis: int) -> Ref:
    if weight is not None:
        y = g.node("Mul", y, _per_channel(g, weight, ndim, axis))
    return y if bias is None else g.node("Add", y, _per_channel(g, bias, ndim, axis))


@writes("instance_norm_batch")
def _instance_norm(
    g: Graph, x: Ref, weight: Ref | None, bias: Ref | None, eps: float, data_format: str
) -> Ref:
    axis = _channel_axis(x, data_format)
    axes = [i for i in range(1, x.ndim) if i != axis]
    return _affine(g, _standardised(g, widened(g, x), axes, eps), weight, bias, x.ndim, axis)


@writes("group_norm")
def _group_norm(
    g: Graph,
    x: Ref,
    num_groups: int,
    epsilon: float,
    weight: Ref | None,
    bias: Ref | None,
    data_format: str,
) -> Ref:
    axis = _channel_axis(x, data_format)
    shape = list(x.extents)
    shape[axis : axis + 1] = [num_groups, shape[axis] // num_groups]
    grouped = g.reshape(widened(g, x), shape)
    axes = [i for i in range(1, len(shape)) if i != axis]
    made = g.reshape(_standardised(g, grouped, axes, epsilon), x.extents)
    return _affine(g, made, weight, bias, x.ndim, axis)


@writes("local_response_norm")
def _local_response_norm(
    g: Graph, x: Ref, size: int, alpha: float, beta: float, k: float, data_format: str
) -> Ref:
    # ONNX has more of an even window behind the centre, Proa before it.
    need(size % 2 == 1, "a window of even size")
    axis = _channel_axis(x, data_format)
    order = [0, axis, *[i for i in range(1, x.ndim) if i != axis]]
    made = g.node("LRN", g.transpose(x, order), size=size, alpha=float(alpha), beta=float(beta),
                  bias=float(k))  # fmt: skip
    return g.transpose(made, np.argsort(order).tolist())


@writes("normalize")
def _normalize(g: Graph, x: Ref, p: float, axis: int, epsilon: float) -> Ref:
    need(p == 2, "a norm other than that of order 2")
    x = floating(g, x)
    length = g.node("ReduceL2", x, g.integers([axis]), keepdims=1)
    return g.node("Div", x, g.node("Max", length, g.number(epsilon, length)))


# Attention. Axes in names: B batch, T queries, S keys, H query heads, K key heads, D width.


def _repeated(g: Graph, x: Ref, times: int) -> Ref:
    """Gives each group of query heads its key head: [B, K, ...] becomes [B, K * times, ...]."""
    if times == 1:
        return x
    batch, heads, *rest = x.extents
    wide = g.node("Expand", g.unsqueeze(x, [2]), g.integers([1, 1, times, 1, 1]))
    return g.reshape(wide, (batch, heads * times, *rest))


def _allowed(
    g: Graph, mask: Ref | None, causal: bool, scores: Ref, lengths: Any
) -> tuple[Any, Any]:
    """What restricts attention: allowed places, and values to add."""
    allowed, added = None, None
    if mask is not None and mask.dtype == np.bool_:
        allowed = mask
    elif mask is not None:
        added = g.cast(mask, scores.dtype)
        is_forbidden = g.node("IsInf", added, dtype=bool, detect_positive=0)
        if added.array is not None and np.isfinite(added.array).all():
            return allowed, added
        allowed = g.node("Not", is_forbidden)
        added = g.node("Where", allowed, added, g.number(0, added), dtype=added.dtype)
    if causal:
        zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
        rows, columns = (g.node("Range", zero, g.squeeze(g.size(n), [0]), one) for n in lengths)
        seen = g.node("LessOrEqual", columns, g.unsqueeze(Ref(rows.name, rows.dtype, (0,)), [1]),
                      dtype=bool)  # fmt: skip
        allowed = seen if allowed is None else g.node("And", allowed, seen)
    return allowed, added


@writes("attention")
def _attention(
    g: Graph,
    query: Ref,
    key: Ref,
    value: Ref,
    attn_mask: Ref | None,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
    softcap: float | None,
    also: str,
) -> Any:
    need(also in ("", "weights"), "logarithms of the sums of attention")
    heads, key_heads, width = known(
        (query.extents[2], key.extents[2], query.extents[3]), "heads and their width"
    )
    factor = 1 / math.sqrt(width) if scale is None else scale
    q_BHTD = widened(g, g.transpose(query, (0, 2, 1, 3)))
    k_BHDS = widened(g, _repeated(g, g.transpose(key, (0, 2, 3, 1)), heads // key_heads))
    v_BHSD = _repeated(g, g.transpose(value, (0, 2, 1, 3)), heads // key_heads)
    scores = g.node("MatMul", q_BHTD, k_BHDS)
    scores = g.node("Mul", scores, g.number(factor, scores))
    if softcap:
        cap = g.number(softcap, scores)
        scores = g.node("Mul", cap, g.node("Tanh", g.node("Div", scores, cap)))
    lengths = (query.extents[1], key.extents[1])
    allowed, added = _allowed(g, attn_mask, is_causal, scores, lengths)
    scores = scores if added is None else g.node("Add", scores, added)
    if allowed is not None:
        low = g.number(np.finfo(np.float32).min, scores)
        scores = g.node("Where", allowed, scores, low, dtype=scores.dtype)
    weights = g.node("Softmax", scores, axis=-1)
    if allowed is not None:
        # A query that may see nothing gets zeros, not the mean.
        weights = g.node("Where", allowed, weights, g.number(0, weights), dtype=weights.dtype)
    weights = g.cast(weights, value.dtype)
    out = g.transpose(g.node("MatMul", weights, v_BHSD), (0, 2, 1, 3))
    return (out, weights) if also else out


# Recurrent layers. Axes in names: T time, B batch, I input, H state, G gates.

#: Proa's gates in the order in which ONNX wants them.
_GATES = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "tanh": (0,), "relu": (0,)}
_KINDS = {"LSTM": "LSTM", "GRU": "GRU", "tanh": "RNN", "relu": "RNN"}


def _gates(g: Graph, weight: Ref, mode: str) -> Ref:
    """Reorders the gates of a weight or bias and adds the axis of directions."""
    order = _GATES[mode]

    def reorder(array: np.ndarray) -> np.ndarray:
        parts = np.split(array, len(order), axis=0)
        return np.concatenate([parts[i] for i in order], axis=0)[None]

    return g.arrange(weight, reorder, "a recurrent weight")


def _biases(g: Graph, b_ih: Ref | None, b_hh: Ref | None, like: Ref, mode: str) -> Ref | None:
    if b_ih is None and b_hh is None:
        return None
    zeros = np.zeros((known(like.extents, "the gates")[0],), like.dtype)
    made = [_gates(g, g.constant(zeros) if b is None else b, mode) for b in (b_ih, b_hh)]
    arrays = [m.array for m in made]
    return g.held(np.concatenate(arrays, axis=1), "recurrent_bias")  # type: ignore[arg-type]


def _recurrent_node(
    g: Graph, x_TBI: Ref, states: list[Ref], weights: tuple[Any, ...], mode: str,
    lengths: Ref | None, reverse: bool,
) -> tuple[Ref, ...]:  # fmt: skip
    """Adds the node; returns outputs [T, B, H] and last states [B, H]."""
    w_ih, w_hh, b_ih, b_hh, w_ho = weights
    need(w_ho is None, "an LSTM with projection")
    (hidden,) = known(w_hh.extents[1:], "the size of the state")
    bias = _biases(g, b_ih, b_hh, w_ih, mode)
    first = [g.unsqueeze(s, [0]) for s in states]
    attributes: dict[str, Any] = {
        "hidden_size": hidden,
        "direction": "reverse" if reverse else "forward",
    }
    if mode == "GRU":
        attributes["linear_before_reset"] = 1
    if mode in ("tanh", "relu"):
        attributes["activations"] = [mode.capitalize()]
    found = g.node(
        _KINDS[mode], x_TBI, _gates(g, w_ih, mode), _gates(g, w_hh, mode), bias, lengths, *first,
        dtype=x_TBI.dtype, outputs=1 + len(states), **attributes,
    )  # fmt: skip
    axes = g.integers([1]), g.integers([0])
    outputs = g.node("Squeeze", found[0], axes[0])
    return outputs, *[g.node("Squeeze", s, axes[1]) for s in found[1:]]


@writes("recurrent")
def _recurrent(
    g: Graph, x: Ref, h: Ref, c: Ref | None, w_ih: Ref, w_hh: Ref, b_ih: Ref | None,
    b_hh: Ref | None, w_ho: Ref | None, sequence_length: Ref | None, mode: str, reverse: bool,
    time_major: bool, zero_after_end: bool,
) -> tuple[Ref, ...]:  # fmt: skip
    need(sequence_length is None or zero_after_end, "outputs after the end of a sequence")
    lengths = None
    if sequence_length is not None:
        lengths = g.cast(g.node("Reshape", sequence_length, g.integers([-1])), np.int32)
    states = [h] if c is None else [h, c]
    x_TBI = x if time_major else g.transpose(x, (1, 0, 2))
    weights = (w_ih, w_hh, b_ih, b_hh, w_ho)
    out, *last = _recurrent_node(g, x_TBI, states, weights, mode, lengths, reverse)
    return (out if time_major else g.node("Transpose", out, perm=(1, 0, 2))), *last


@writes("recurrent_step")
def _recurrent_step(
    g: Graph, x: Ref, h: Ref, c: Ref | None, w_ih: Ref, w_hh: Ref, b_ih: Ref | None,
    b_hh: Ref | None, w_ho: Ref | None, mode: str,
) -> tuple[Ref, ...]:  # fmt: skip
    states = [h] if c is None else [h, c]
    weights = (w_ih, w_hh, b_ih, b_hh, w_ho)
    return _recurrent_node(g, g.unsqueeze(x, [0]), states, weights, mode, None, False)[1:]


@writes("cosine_similarity")
def _cosine_similarity(g: Graph, x1: Ref, x2: Ref, axis: int, eps: float) -> Ref:
    x1, x2 = promoted(g, x1, x2)
    where = g.integers([axis])
    product = g.node("ReduceSum", g.node("Mul", x1, x2), where, keepdims=0)
    lengths = [g.node("ReduceSum", g.node("Mul", x, x), where, keepdims=0) for x in (x1, x2)]
    room = g.node("Sqrt", g.node("Mul", *lengths))
    return g.node("Div", product, g.node("Max", room, g.number(eps, room)))


@writes("label_smooth")
def _label_smooth(g: Graph, label: Ref, prior_dist: Ref | None, epsilon: float) -> Ref:
    need(prior_dist is None, "a prior distribution")
    (count,) = known(label.extents[-1:], "the number of classes")
    kept = g.node("Mul", label, g.number(1 - epsilon, label))
    return g.node("Add", kept, g.number(epsilon / count, label))


@writes("length_mask")
def _length_mask(g: Graph, x: Ref, maxlen: Any, dtype: Any) -> Ref:
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    places = g.node("Range", zero, g.squeeze(g.size(g.shape[-1]), [0]), one)
    wide = g.unsqueeze(g.cast(x, np.int64), [x.ndim])
    return g.cast(g.node("Less", places, wide, dtype=bool), dtype.numpy)
