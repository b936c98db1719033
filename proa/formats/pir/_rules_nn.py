"""Rules of the Paddle writer: convolutions, pools, normalisation, resizing, recurrence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proa.core import is_dimension

from ._basic import (
    as_range,
    binary,
    cast,
    expand,
    full,
    matmul,
    product,
    reshape,
    scaled,
    transpose,
    unary,
)
from ._graph import Graph, Out, Unwritable
from ._rules import promoted, writes

_FORMATS = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _each(value: Any, rank: int) -> list[int]:
    values = list(value) if isinstance(value, tuple | list) else [value]
    return values * rank if len(values) == 1 else values


def _padding(padding: Any, rank: int, last: bool) -> tuple[list[int], str]:
    """Padding as Paddle's ops take it: amounts, and the name of a rule for them."""
    if isinstance(padding, str):
        return [0] * rank, padding.upper()
    values = list(padding) if isinstance(padding, tuple | list) else [padding]
    if values and isinstance(values[0], tuple | list):
        if len(values) == rank + 2:
            values = values[1:-1] if last else values[2:]
        return [int(v) for pair in values for v in pair], "EXPLICIT"
    return values * rank if len(values) == 1 else values, "EXPLICIT"


def _is_last(data_format: str) -> bool:
    return data_format.endswith("C") and len(data_format) > 2


def _with_axis(g: Graph, x: Out, last: bool) -> Out:
    """A sequence as an image of height 1."""
    place = 1 if last else 2
    return reshape(g, x, (*x.shape[:place], 1, *x.shape[place:]))


def _biased(g: Graph, y: Out, bias: Out | None, last: bool) -> Out:
    if bias is None:
        return y
    shape = [1] * y.ndim
    shape[-1 if last else 1] = product(bias.shape)
    return binary(g, "add", y, reshape(g, cast(g, bias, y.dtype), shape))


def _lifted(shape: Sequence[Any], last: bool) -> tuple[Any, ...]:
    place = 1 if last else 2
    return (*shape[:place], 1, *shape[place:])


@writes("conv1d", "conv2d", "conv3d")
def _conv(
    g: Graph, out: Any, x: Out, weight: Out, bias: Out | None, stride: Any, padding: Any,
    dilation: Any, groups: int, data_format: str,
) -> Out:  # fmt: skip
    rank, last = x.ndim - 2, _is_last(data_format)
    pads, algorithm = _padding(padding, rank, last)
    strides, dilations = _each(stride, rank), _each(dilation, rank)
    x, weight = promoted(g, x, weight)
    shape = out[0]
    if rank == 1:
        x, weight = _with_axis(g, x, last), _with_axis(g, weight, False)
        pads = [0, 0, *pads] if len(pads) == 2 else [0, *pads]
        strides, dilations, shape = [1, *strides], [1, *dilations], _lifted(shape, last)
    channels = x.shape[-1 if last else 1]
    name = "conv3d" if rank == 3 else "conv2d"
    if rank < 3 and groups == channels and groups > 1 and not last:
        name = "depthwise_conv2d"
    if algorithm == "SAME":
        dilations = [1] * len(dilations)
    made = g.call(
        name, x, weight, strides=strides, paddings=pads, padding_algorithm=algorithm,
        dilations=dilations, groups=groups, data_format=_FORMATS[max(rank, 2)][last],
        out=(shape, x.dtype),
    )  # fmt: skip
    return _biased(g, reshape(g, made, out[0]), bias, last)


@writes("conv1d_transpose", "conv2d_transpose", "conv3d_transpose")
def _conv_transpose(
    g: Graph, out: Any, x: Out, weight: Out, bias: Out | None, stride: Any, padding: Any,
    output_padding: Any, dilation: Any, groups: int, output_size: Any, data_format: str,
) -> Out:  # fmt: skip
    rank, last = x.ndim - 2, _is_last(data_format)
    pads, algorithm = _padding(padding, rank, last)
    strides, dilations = _each(stride, rank), _each(dilation, rank)
    extra = [] if output_size is not None else _each(output_padding, rank)
    wanted = [] if output_size is None else _each(output_size, rank)
    x, weight = promoted(g, x, weight)
    shape = out[0]
    if rank == 1:
        x, weight = _with_axis(g, x, last), _with_axis(g, weight, False)
        pads = [0, 0, *pads] if len(pads) == 2 else [0, *pads]
        strides, dilations, shape = [1, *strides], [1, *dilations], _lifted(shape, last)
        extra, wanted = [0, *extra] if extra else [], [1, *wanted] if wanted else []
    if any(is_dimension(v) for v in wanted):
        raise Unwritable("an output size that is not known")
    if algorithm == "SAME":
        dilations = [1] * len(dilations)
    made = g.call(
        "conv3d_transpose" if rank == 3 else "conv2d_transpose", x, weight, strides=strides,
        paddings=pads, output_padding=extra if any(extra) else [], output_size=wanted,
        padding_algorithm=algorithm, groups=groups, dilations=dilations,
        data_format=_FORMATS[max(rank, 2)][last], out=(shape, x.dtype),
    )  # fmt: skip
    return _biased(g, reshape(g, made, out[0]), bias, last)


def _pool(
    g: Graph, out: Any, x: Out, kind: str, kernel: Any, stride: Any, padding: Any, *,
    ceil: bool = False, exclusive: bool = True, adaptive: bool = False, data_format: str,
) -> Out:  # fmt: skip
    """A pool of any rank; sequences are pooled as images of height 1."""
    rank, last = x.ndim - 2, _is_last(data_format)
    kernel = _each(kernel, rank)
    strides = kernel if stride is None else _each(stride, rank)
    pads, algorithm = _padding(padding, rank, last)
    shape = out[0]
    if rank == 1:
        x, shape = _with_axis(g, x, last), _lifted(shape, last)
        kernel, strides = [1, *kernel], [1, *strides]
        pads = [0, 0, *pads] if len(pads) == 2 else [0, *pads]
    if ceil:
        pads, ceil = _ceiling(x, shape, kernel, strides, pads, last, kind, exclusive)
    made = g.call(
        "pool3d" if rank == 3 else "pool2d", x, kernel_size=kernel, strides=strides,
        paddings=pads, ceil_mode=ceil, exclusive=exclusive,
        data_format=_FORMATS[max(rank, 2)][last], pooling_type=kind, global_pooling=False,
        adaptive=adaptive, padding_algorithm=algorithm, out=(shape, x.dtype),
    )  # fmt: skip
    return reshape(g, made, out[0])


def _ceiling(
    x: Out, shape: Any, kernel: Any, strides: Any, pads: Any, last: bool, kind: str,
    exclusive: bool,
) -> tuple[list[int], bool]:  # fmt: skip
    """Padding in place of `ceil_mode`, where Paddle counts a window more or divides otherwise."""
    sizes = x.shape[1:-1] if last else x.shape[2:]
    wanted = shape[1:-1] if last else shape[2:]
    if any(is_dimension(s) for s in sizes):
        return pads, True
    pairs = pads if len(pads) == 2 * len(kernel) else [p for pad in pads for p in (pad, pad)]
    made = []
    for i, (size, count) in enumerate(zip(sizes, wanted, strict=True)):
        low, high = pairs[2 * i : 2 * i + 2]
        reach = (count - 1) * strides[i] + kernel[i] - size - low
        made += [low, max(reach, 0) if reach > high else high]
    if kind == "avg" and not exclusive and made != pairs:
        raise Unwritable("a mean over an incomplete last window with its padding counted")
    return made, False


@writes("max_pool1d", "max_pool2d", "max_pool3d")
def _max_pool(
    g: Graph, out: Any, x: Out, kernel_size: Any, stride: Any, padding: Any, return_mask: bool,
    ceil_mode: bool, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    if not return_mask:
        return _pool(
            g, out, x, "max", kernel_size, stride, padding, ceil=ceil_mode,
            data_format=data_format if x.ndim > 3 else "NCL",
        )  # fmt: skip
    rank = x.ndim - 2
    kernel = _each(kernel_size, rank)
    strides = kernel if stride is None else _each(stride, rank)
    pads, algorithm = _padding(padding, rank, False)
    if algorithm != "EXPLICIT" or len(pads) != rank or ceil_mode:
        raise Unwritable("places of maxima with uneven or named padding, or an incomplete window")
    return _with_places(g, out, x, kernel, strides=strides, paddings=pads)


def _with_places(g: Graph, out: Any, x: Out, kernel: Any, **given: Any) -> list[Out]:
    rank = x.ndim - 2
    specs = list(out)
    if rank == 1:
        x, kernel = _with_axis(g, x, False), [1, *kernel]
        specs = [(_lifted(s, False), d) for s, d in out]
        first = {"strides": 1, "paddings": 0}
        given = {n: [first[n], *v] if n in first else v for n, v in given.items()}
    name = "max_pool3d_with_index" if rank == 3 else "max_pool2d_with_index"
    best, places = g.call(
        name, x, kernel_size=kernel, out=[specs[0], (specs[1][0], np.int32)], **given
    )
    return [reshape(g, best, out[0][0]), cast(g, reshape(g, places, out[1][0]), out[1][1])]


@writes("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(
    g: Graph, out: Any, x: Out, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    exclusive: bool, divisor_override: Any = None, data_format: str = "NCHW",
) -> Out:  # fmt: skip
    if divisor_override is not None:
        exclusive = False
    made = _pool(
        g, out, x, "avg", kernel_size, stride, padding, ceil=ceil_mode, exclusive=exclusive,
        data_format=data_format if x.ndim > 3 else "NCL",
    )  # fmt: skip
    if divisor_override is None:
        return made
    return scaled(g, made, product(_each(kernel_size, x.ndim - 2)) / divisor_override)


def _adaptive_sizes(x: Out, output_size: Any, last: bool) -> list[int]:
    sizes = x.shape[1:-1] if last else x.shape[2:]
    found = [
        s if w is None else w for s, w in zip(sizes, _each(output_size, len(sizes)), strict=True)
    ]
    if any(is_dimension(s) for s in found):
        raise Unwritable("an adaptive pool that keeps an unknown size")
    return found


@writes("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def _adaptive_avg(g: Graph, out: Any, x: Out, output_size: Any, data_format: str = "NCL") -> Out:
    sizes = _adaptive_sizes(x, output_size, _is_last(data_format))
    return _pool(
        g, out, x, "avg", sizes, [1] * len(sizes), 0, adaptive=True, data_format=data_format
    )


@writes("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max(g: Graph, out: Any, x: Out, output_size: Any, return_mask: bool) -> Any:
    sizes = _adaptive_sizes(x, output_size, False)
    specs = list(out) if return_mask else [out, (out[0], np.int32)]
    ones, zeros = [1] * len(sizes), [0] * len(sizes)
    made = _with_places(g, specs, x, sizes, strides=ones, paddings=zeros, adaptive=True)
    return made if return_mask else made[0]


def _vector(g: Graph, value: Out | None, size: Any, default: float, dtype: Any) -> Out:
    """A weight or bias of a normalisation as one axis."""
    if value is None:
        return g.constant(np.full((size,), default, dtype))
    return cast(g, reshape(g, value, (size,)), dtype)


@writes("batch_norm_infer")
def _batch_norm(
    g: Graph, out: Any, x: Out, running_mean: Out, running_var: Out, weight: Any, bias: Any,
    epsilon: float, data_format: str,
) -> Out:  # fmt: skip
    last = _is_last(data_format)
    size = x.shape[-1 if last else 1]
    mean, variance = (_vector(g, v, size, 0.0, np.float32) for v in (running_mean, running_var))
    weight = _vector(g, weight, size, 1.0, np.float32)
    bias = _vector(g, bias, size, 0.0, np.float32)
    spec = ((size,), np.float32)
    return g.call(
        "batch_norm_", x, mean, variance, weight, bias, is_test=True, momentum=0.9,
        epsilon=epsilon, data_format="NHWC" if last else "NCHW", use_global_stats=True,
        trainable_statistics=False, out=[out, spec, spec, spec, spec, ((None,), np.uint8)],
    )[0]  # fmt: skip


@writes("layer_norm")
def _layer_norm(
    g: Graph, out: Any, x: Out, normalized_shape: Any, weight: Any, bias: Any, epsilon: float
) -> Any:
    shape = normalized_shape if isinstance(normalized_shape, tuple) else (normalized_shape,)
    lead, size = x.ndim - len(shape), product(shape)
    if x.dtype.kind != "f" or is_dimension(size) or lead == 0:
        return None
    weight, bias = (
        None if v is None else _vector(g, v, size, 0.0, x.dtype) for v in (weight, bias)
    )
    moments = ((product(x.shape[:lead]),), np.float32)
    return g.call(
        "layer_norm", x, weight, bias, epsilon=epsilon, begin_norm_axis=lead,
        out=[out, moments, moments],
    )[0]  # fmt: skip


@writes("group_norm")
def _group_norm(
    g: Graph, out: Any, x: Out, num_groups: int, epsilon: float, weight: Any, bias: Any,
    data_format: str,
) -> Any:  # fmt: skip
    last = _is_last(data_format)
    if x.ndim != 4 or last:
        return None
    size = x.shape[1]
    weight, bias = (
        None if v is None else _vector(g, v, size, 0.0, x.dtype) for v in (weight, bias)
    )
    moments = ((x.shape[0], num_groups), x.dtype)
    return g.call(
        "group_norm", x, weight, bias, epsilon=epsilon, groups=num_groups, data_format="NCHW",
        out=[out, moments, moments],
    )[0]  # fmt: skip


@writes("instance_norm_batch")
def _instance_norm(
    g: Graph, out: Any, x: Out, weight: Any, bias: Any, eps: float, data_format: str
) -> Any:
    if _is_last(data_format):
        return None
    size = x.shape[1]
    weight = _vector(g, weight, size, 1.0, x.dtype)
    bias = _vector(g, bias, size, 0.0, x.dtype)
    moments = ((product(x.shape[:2]),), x.dtype)
    return g.call("instance_norm", x, weight, bias, epsilon=eps, out=[out, moments, moments])[0]


@writes("local_response_norm")
def _local_response_norm(
    g: Graph, out: Any, x: Out, size: int, alpha: float, beta: float, k: float, data_format: str
) -> Any:
    if _is_last(data_format):
        return None
    spatial = product(x.shape[2:])
    lines = reshape(g, binary(g, "multiply", x, x), (x.shape[0], 1, x.shape[1], spatial))
    mean = g.call(
        "pool2d", lines, kernel_size=[size, 1], strides=[1, 1],
        paddings=[size // 2, (size - 1) // 2, 0, 0], ceil_mode=False, exclusive=False,
        data_format="NCHW", pooling_type="avg", global_pooling=False, adaptive=False,
        padding_algorithm="EXPLICIT", out=(lines.shape, x.dtype),
    )  # fmt: skip
    base = scaled(g, reshape(g, mean, x.shape), alpha, k)
    return binary(g, "divide", x, unary(g, "pow", base, y=beta))


def _softmax(name: str) -> Callable[..., Any]:
    def rule(g: Graph, out: Any, x: Out, axis: int, dtype: Any) -> Any:
        return unary(g, name, cast(g, x, out[1]), axis=axis % x.ndim) if x.ndim else None

    return writes(name)(rule)


for _name in ("softmax", "log_softmax"):
    _softmax(_name)


@writes("linear")
def _linear(g: Graph, out: Any, x: Out, weight: Out, bias: Out | None) -> Out:
    x, weight = cast(g, x, out[1]), cast(g, weight, out[1])
    row = x if x.ndim > 1 else reshape(g, x, (1, *x.shape))
    made = matmul(g, row, weight)
    if bias is not None:
        made = binary(g, "add", made, cast(g, bias, out[1]))
    return reshape(g, made, out[0])


@writes("embedding_lookup")
def _embedding(g: Graph, out: Any, x: Out, weight: Out, padding_idx: int | None) -> Out:
    row = -1 if padding_idx is None else padding_idx
    return g.call("embedding", x, weight, padding_idx=row, sparse=False, out=out)


_RESIZING = {
    ("nearest", 2): "nearest_interp", ("nearest", 3): "nearest_interp",
    ("linear", 1): "linear_interp", ("bilinear", 2): "bilinear_interp",
    ("trilinear", 3): "trilinear_interp", ("bicubic", 2): "bicubic_interp",
}  # fmt: skip


@writes("resize")
def _resize(
    g: Graph, out: Any, x: Out, sizes: Any, ratios: Any, mode: str, align_corners: bool,
    align_mode: int, data_format: str, antialias: bool,
) -> Any:  # fmt: skip
    rank, last = x.ndim - 2, _is_last(data_format)
    if mode == "area":
        ones = [1] * rank
        return _pool(g, out, x, "avg", sizes, ones, 0, adaptive=True, data_format=data_format)
    shape = out[0]
    if mode == "nearest" and rank == 1:
        x, rank, shape = _with_axis(g, x, last), 2, _lifted(shape, last)
        sizes, ratios = (1, *sizes), (1.0, *ratios)
    # Paddle 3.3.1 takes the corner for an output of one element, Proa the centre.
    to_one = mode != "nearest" and not align_corners and any(s == 1 for s in sizes)
    if (mode, rank) not in _RESIZING or antialias or to_one:
        return None
    extents = x.shape[1:-1] if last else x.shape[2:]
    scales = [_factor(r, s, e) for r, s, e in zip(ratios, sizes, extents, strict=True)]
    by_scale = all(s is not None for s in scales)
    if not by_scale and any(is_dimension(s) for s in sizes):
        raise Unwritable("a size to resize to that is not known")
    wanted = dict.fromkeys(("out_d", "out_h", "out_w"), -1)
    names = ("out_d", "out_h", "out_w")[3 - rank :]
    if not by_scale:
        wanted |= dict(zip(names, sizes, strict=True))
    formats = ("NCHW", "NHWC") if rank < 3 else ("NCDHW", "NDHWC")
    made = g.call(
        _RESIZING[mode, rank], x, None, None, None, data_format=formats[last],
        scale=scales if by_scale else [], interp_method=mode, align_corners=align_corners,
        align_mode=align_mode, out=(shape, x.dtype), **wanted,
    )  # fmt: skip
    return reshape(g, made, out[0])


def _factor(ratio: Any, size: Any, extent: Any) -> float | None:
    """Output size / input size, where it was given and the size follows from it."""
    if ratio is None:
        return None
    factor = 1.0 / ratio
    if is_dimension(extent):
        return factor
    return factor if int(extent * factor) == size else None


@writes("pixel_shuffle")
def _pixel_shuffle(g: Graph, out: Any, x: Out, upscale_factor: int, data_format: str) -> Out:
    return g.call(
        "pixel_shuffle", x, upscale_factor=upscale_factor, data_format=data_format, out=out
    )


@writes("pixel_unshuffle")
def _pixel_unshuffle(g: Graph, out: Any, x: Out, downscale_factor: int, data_format: str) -> Out:
    return g.call(
        "pixel_unshuffle", x, downscale_factor=downscale_factor, data_format=data_format, out=out
    )


@writes("grid_sample")
def _grid_sample(
    g: Graph, out: Any, x: Out, grid: Out, mode: str, padding_mode: str, align_corners: bool
) -> Out:
    return g.call(
        "grid_sample", x, grid, mode=mode, padding_mode=padding_mode,
        align_corners=align_corners, out=out,
    )  # fmt: skip


@writes("im2col")
def _im2col(
    g: Graph, out: Any, x: Out, kernel_sizes: Any, strides: Any, paddings: Any, dilations: Any
) -> Out:
    pads = _each(paddings, 2)
    return g.call(
        "unfold", x, kernel_sizes=_each(kernel_sizes, 2), strides=_each(strides, 2),
        paddings=pads * 2 if len(pads) == 2 else pads, dilations=_each(dilations, 2), out=out,
    )  # fmt: skip


@writes("fold")
def _fold(
    g: Graph, out: Any, x: Out, output_sizes: Any, kernel_sizes: Any, strides: Any,
    paddings: Any, dilations: Any,
) -> Out:  # fmt: skip
    pads = _each(paddings, 2)
    return g.call(
        "fold", x, output_sizes=_each(output_sizes, 2), kernel_sizes=_each(kernel_sizes, 2),
        strides=_each(strides, 2), paddings=pads * 2 if len(pads) == 2 else pads,
        dilations=_each(dilations, 2), out=out,
    )  # fmt: skip


@writes("attention")
def _attention(
    g: Graph, out: Any, query: Out, key: Out, value: Out, attn_mask: Out | None,
    is_causal: bool, scale: float | None, enable_gqa: bool, softcap: float | None, also: str,
) -> Any:  # fmt: skip
    if also or query.dtype.itemsize < 4:
        return None
    factor = query.shape[3] ** -0.5 if scale is None else scale
    query, key, value = (transpose(g, v, [0, 2, 1, 3]) for v in (query, key, value))
    key, value = (_repeated_heads(g, v, query.shape[1]) for v in (key, value))
    scores = matmul(g, scaled(g, query, factor), key, transpose_b=True)
    if softcap:
        scores = scaled(g, unary(g, "tanh", scaled(g, scores, 1 / softcap)), softcap)
    allowed = None
    if attn_mask is not None and attn_mask.dtype.kind == "b":
        allowed = attn_mask
    elif attn_mask is not None:
        allowed = unary(g, "logical_not", unary(g, "isinf", attn_mask, np.bool_))
        added = g.call(
            "where", allowed, attn_mask, full(g, attn_mask.shape, 0, attn_mask.dtype),
            out=(attn_mask.shape, attn_mask.dtype),
        )  # fmt: skip
        scores = binary(g, "add", scores, cast(g, added, scores.dtype))
    if is_causal:
        ahead = _ahead(g, scores.shape[-2], scores.shape[-1])
        allowed = ahead if allowed is None else binary(g, "logical_and", allowed, ahead, np.bool_)
    weights = _masked_softmax(g, scores, allowed)
    return transpose(g, matmul(g, weights, cast(g, value, scores.dtype)), [0, 2, 1, 3])


def _repeated_heads(g: Graph, x: Out, heads: int) -> Out:
    if x.shape[1] == heads:
        return x
    batch, held, length, width = x.shape
    wide = (batch, held, heads // held, length, width)
    apart = expand(g, reshape(g, x, (batch, held, 1, length, width)), wide)
    return reshape(g, apart, (batch, heads, length, width))


def _ahead(g: Graph, rows: Any, columns: Any) -> Out:
    """Which keys each query may see, itself the last."""
    row = reshape(g, as_range(g, rows), (rows, 1))
    column = reshape(g, as_range(g, columns), (1, columns))
    return binary(g, "less_equal", column, row, np.bool_)


def _masked_softmax(g: Graph, scores: Out, allowed: Out | None) -> Out:
    """Softmax over what is allowed; a row without any gives zeros, not Paddle's NaN."""
    if allowed is None:
        return unary(g, "softmax", scores, axis=scores.ndim - 1)
    allowed = expand(g, allowed, scores.shape)
    lowest = float(np.finfo(scores.dtype).min)
    low, none = (full(g, scores.shape, v, scores.dtype) for v in (lowest, 0.0))
    spec = (scores.shape, scores.dtype)
    guarded = g.call("where", allowed, scores, low, out=spec)
    weights = unary(g, "softmax", guarded, axis=scores.ndim - 1)
    return g.call("where", allowed, weights, none, out=spec)


_CELLS = {"tanh": "RNN_TANH", "relu": "RNN_RELU", "LSTM": "LSTM", "GRU": "GRU"}


@writes("recurrent")
def _recurrent(
    g: Graph, out: Any, x: Out, h: Out, c: Out | None, w_ih: Out, w_hh: Out, b_ih: Any,
    b_hh: Any, w_ho: Any, sequence_length: Any, mode: str, reverse: bool, time_major: bool,
    zero_after_end: bool,
) -> list[Out]:  # fmt: skip
    if w_ho is not None:
        raise Unwritable("an LSTM with a projection")
    if sequence_length is not None and (reverse or not zero_after_end):
        raise Unwritable("a recurrence over sequences of their own lengths, backwards or masked")
    if not time_major:
        x = transpose(g, x, [1, 0, 2])
    if reverse:
        x = unary(g, "flip", x, axis=[0])
    hidden, dtype = h.shape[-1], x.dtype
    biases = [
        g.constant(np.zeros((w_ih.shape[0],), dtype)) if b is None else b for b in (b_ih, b_hh)
    ]
    states = [reshape(g, s, (1, *s.shape)) for s in (h, c) if s is not None]
    states = [expand(g, s, (1, x.shape[1], hidden)) for s in states]
    lengths = None if sequence_length is None else cast(g, sequence_length, np.int32)
    made, _, last, _ = g.call(
        "rnn", x, states, [w_ih, w_hh, *biases], lengths, g.constant(np.zeros((), np.uint8)),
        dropout_prob=0.0, is_bidirec=False, input_size=x.shape[-1], hidden_size=hidden,
        num_layers=1, mode=_CELLS[mode], seed=0, is_test=True,
        out=[
            ((x.shape[0], x.shape[1], hidden), dtype), ((), np.uint8),
            [(s.shape, dtype) for s in states], ((), dtype),
        ],
    )  # fmt: skip
    if reverse:
        made = unary(g, "flip", made, axis=[0])
    if not time_major:
        made = transpose(g, made, [1, 0, 2])
    return [made, *[reshape(g, s, (x.shape[1], hidden)) for s in last]]
