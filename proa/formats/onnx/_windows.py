"""ONNX nodes of ops on windows: convolutions, pools, resizing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import is_dimension
from proa.ops._windows import expand, expand_padding, is_channel_last, resolve_padding

from ._graph import Graph, Ref
from ._rules import known, need, promoted, widened, writes

_POOL_FORMATS = {1: "NCL", 2: "NCHW", 3: "NCDHW"}


def _channels_first(g: Graph, x: Ref, last: bool) -> Ref:
    return g.transpose(x, (0, x.ndim - 1, *range(1, x.ndim - 1))) if last else x


def _channels_back(g: Graph, y: Ref, last: bool, ndim: int) -> Ref:
    return g.node("Transpose", y, perm=(0, *range(2, ndim), 1)) if last else y


def _pads(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """ONNX' order: before each axis, then after each axis."""
    return [before for before, _ in pairs] + [after for _, after in pairs]


def _border(padding: Any, rank: int, last: bool, name: str) -> dict[str, Any]:
    """Attributes that say how an input is padded."""
    given = expand_padding(padding, rank, last, name)
    if given == "SAME":
        return {"auto_pad": "SAME_UPPER"}
    return {} if given == "VALID" else {"pads": _pads(given)}  # type: ignore[arg-type]


def _bias(g: Graph, bias: Ref | None, dtype: Any) -> Ref | None:
    return None if bias is None else g.reshape(g.cast(bias, dtype), (math.prod(bias.extents),))


@writes("conv1d", "conv2d", "conv3d")
def _conv(
    g: Graph, x: Ref, weight: Ref, bias: Ref | None, stride: Any, padding: Any, dilation: Any,
    groups: int, data_format: str,
) -> Ref:  # fmt: skip
    name = g.call.op.name
    rank = x.ndim - 2
    last = is_channel_last(data_format, rank, name)
    border = _border(padding, rank, last, name)
    dilations = expand(dilation, rank, "dilation", name)
    if "auto_pad" in border:
        # 'SAME' drops the dilation, as in Paddle.
        dilations = (1,) * rank
    x, weight = promoted(g, x, weight)
    y = g.node(
        "Conv", _channels_first(g, x, last), weight, _bias(g, bias, x.dtype),
        strides=expand(stride, rank, "stride", name), dilations=dilations, group=groups,
        kernel_shape=known(weight.extents[2:], "the kernel"), **border,
    )  # fmt: skip
    return _channels_back(g, y, last, x.ndim)


@writes("conv1d_transpose", "conv2d_transpose", "conv3d_transpose")
def _conv_transpose(
    g: Graph, x: Ref, weight: Ref, bias: Ref | None, stride: Any, padding: Any,
    output_padding: Any, dilation: Any, groups: int, output_size: Any, data_format: str,
) -> Ref:  # fmt: skip
    name = g.call.op.name
    rank = x.ndim - 2
    last = is_channel_last(data_format, rank, name)
    steps = expand(stride, rank, "stride", name)
    dilations = expand(dilation, rank, "dilation", name)
    given = expand_padding(padding, rank, last, name)
    if given == "SAME":
        dilations = (1,) * rank
    kernel = known(weight.extents[2:], "the kernel")
    extent = tuple([(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)])
    sizes = x.extents[1:-1] if last else x.extents[2:]
    if given == "SAME" and any(step > 1 for step in steps):
        known(sizes, "with padding='SAME' the input's size")
    pairs = resolve_padding(given, sizes, extent, steps)
    extra: Any = expand(output_padding, rank, "output_padding", name, least=0)
    if output_size is not None:
        wanted = expand(output_size, rank, "output_size", name)
        natural = [
            (size - 1) * step + reach - sum(pair)
            for size, step, reach, pair in zip(sizes, steps, extent, pairs, strict=True)
        ]
        extra = known([w - n for w, n in zip(wanted, natural, strict=True)], "the input's size")
    x, weight = promoted(g, x, weight)
    y = g.node(
        "ConvTranspose", _channels_first(g, x, last), weight, _bias(g, bias, x.dtype),
        strides=steps, dilations=dilations, group=groups, kernel_shape=kernel,
        pads=_pads(pairs), output_padding=extra if any(extra) else None,
    )  # fmt: skip
    return _channels_back(g, y, last, x.ndim)


def _window(kernel: Any, stride: Any, padding: Any, rank: int, last: bool, name: str) -> Any:
    extents = expand(kernel, rank, "kernel_size", name)
    steps = extents if stride is None else expand(stride, rank, "stride", name)
    return {
        "kernel_shape": extents,
        "strides": steps,
        **_border(padding, rank, last, name),
    }


def _ceil(sizes: Sequence[Any], window: dict[str, Any], wanted: bool) -> int | None:
    """The attribute that counts incomplete last windows, where they begin inside the input.

    ONNX counts one that begins behind it as well, Proa does not (onnx/onnx#4958).
    """
    if not wanted:
        return None
    begins_inside = []
    rank = len(sizes)
    pads = window.get("pads", [0] * 2 * rank)
    steps = zip(sizes, window["kernel_shape"], window["strides"], strict=True)
    for axis, (size, extent, step) in enumerate(steps):
        before, after = pads[axis], pads[axis + rank]
        if is_dimension(size):
            begins_inside.append(True)
        elif (size + before + after - extent) % step:
            count = (size + before + after - extent) // step + 1
            begins_inside.append(count * step < size + before)
    need(len(set(begins_inside)) < 2, "ceil_mode that counts a window along some axes only")
    return 1 if begins_inside and begins_inside[0] else None


@writes("max_pool1d", "max_pool2d", "max_pool3d")
def _max_pool(
    g: Graph, x: Ref, kernel_size: Any, stride: Any, padding: Any, return_mask: bool,
    ceil_mode: bool, data_format: str | None = None,
) -> Any:  # fmt: skip
    name, rank = g.call.op.name, x.ndim - 2
    last = is_channel_last(data_format or _POOL_FORMATS[rank], rank, name)
    window = _window(kernel_size, stride, padding, rank, last, name)
    first = _channels_first(g, x, last)
    ceil = _ceil(first.extents[2:], window, ceil_mode)
    if not return_mask:
        return _channels_back(g, g.node("MaxPool", first, ceil_mode=ceil, **window), last, x.ndim)
    best, place = g.node("MaxPool", first, outputs=2, dtype=(x.dtype, np.int64), ceil_mode=ceil,
                         **window)  # fmt: skip
    # ONNX counts through the whole tensor, Proa within one map.
    size = g.squeeze(g.size(math.prod(x.extents[2:])), [0])
    return best, g.cast(g.node("Mod", place, size), np.int32)


@writes("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(
    g: Graph, x: Ref, kernel_size: Any, stride: Any, padding: Any, exclusive: bool,
    ceil_mode: bool, divisor_override: int | None = None, data_format: str | None = None,
) -> Ref:  # fmt: skip
    name, rank = g.call.op.name, x.ndim - 2
    last = is_channel_last(data_format or _POOL_FORMATS[rank], rank, name)
    window = _window(kernel_size, stride, padding, rank, last, name)
    counts_padding = not exclusive or divisor_override is not None
    need(divisor_override is None or not ceil_mode, "a divisor together with ceil_mode")
    first = widened(g, _channels_first(g, x, last))
    made = g.node("AveragePool", first, count_include_pad=1 if counts_padding else None,
                  ceil_mode=_ceil(first.extents[2:], window, ceil_mode), **window)  # fmt: skip
    if divisor_override is not None:
        factor = math.prod(window["kernel_shape"]) / divisor_override
        made = g.node("Mul", made, g.number(factor, made))
    return _channels_back(g, made, last, x.ndim)


# Pools that are defined by their output.


def _targets(output_size: Any, sizes: Sequence[Any]) -> tuple[Any, ...]:
    values = output_size if isinstance(output_size, tuple) else (output_size,) * len(sizes)
    values = values * len(sizes) if len(values) == 1 else values
    return tuple([s if v is None else v for v, s in zip(values, sizes, strict=True)])


@writes("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def _adaptive_avg_pool(g: Graph, x: Ref, output_size: Any, data_format: str = "NC") -> Ref:
    return adaptive_average(g, x, output_size, data_format.endswith("C"))


def adaptive_average(g: Graph, x: Ref, output_size: Any, last: bool) -> Ref:
    """Averages windows that cover the input evenly."""
    first = 1 if last else 2
    sizes = x.extents[1:-1] if last else x.extents[2:]
    targets = _targets(output_size, sizes)
    wide = widened(g, x)
    if all(not is_dimension(t) and t == 1 for t in targets):
        if not last:
            return g.node("GlobalAveragePool", wide)
        return g.node("ReduceMean", wide, g.integers(range(first, first + len(sizes))), keepdims=1)
    sizes = known(sizes, "the input's size")
    if not last and all(size % count == 0 for size, count in zip(sizes, targets, strict=True)):
        steps = [size // count for size, count in zip(sizes, targets, strict=True)]
        return g.node("AveragePool", wide, kernel_shape=steps, strides=steps)
    for i, (size, count) in enumerate(zip(sizes, targets, strict=True)):
        begin, end = _bounds(size, count)
        places = np.arange(size)[:, None]
        weights = ((places >= begin) & (places < end)) / (end - begin)
        wide = _along(g, wide, first + i, weights, x.ndim)
    return wide


def _bounds(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    index = np.arange(count)
    return index * size // count, -(-(index + 1) * size // count)


def _along(g: Graph, x: Ref, axis: int, matrix: np.ndarray, ndim: int) -> Ref:
    """Multiplies one axis with a matrix [extent, new extent]."""
    order = [i for i in range(ndim) if i != axis] + [axis]
    made = g.node("Transpose", x, perm=tuple(order)) if axis != ndim - 1 else x
    made = g.node("MatMul", made, g.constant(matrix.astype(x.dtype)))
    if axis == ndim - 1:
        return made
    return g.node("Transpose", made, perm=tuple(int(i) for i in np.argsort(order)))


@writes("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max_pool(g: Graph, x: Ref, output_size: Any, return_mask: bool) -> Ref:
    need(not return_mask, "positions of an adaptive maximum")
    sizes = x.extents[2:]
    targets = _targets(output_size, sizes)
    if all(t == 1 for t in targets):
        return g.node("GlobalMaxPool", x)
    made = x
    for axis, (size, count) in enumerate(zip(known(sizes, "the size"), targets, strict=True), 2):
        begin, end = _bounds(size, count)
        longest = int((end - begin).max())
        # A short window repeats its last element, which changes no maximum.
        index = np.minimum(begin[:, None] + np.arange(longest), end[:, None] - 1)
        windows = g.node("Gather", made, g.constant(index, np.int64), axis=axis)
        made = g.node("ReduceMax", windows, g.integers([axis + 1]), keepdims=0)
    return made


# Resizing.


@writes("resize")
def _resize(
    g: Graph, x: Ref, sizes: Any, ratios: Any, mode: str, align_corners: bool, align_mode: int,
    data_format: str, antialias: bool,
) -> Ref:  # fmt: skip
    last = is_channel_last(data_format, x.ndim - 2, "interpolate")
    if mode == "area":
        return adaptive_average(g, x, tuple(sizes), last)
    need(not antialias, "resizing with antialias")
    made = widened(g, _channels_first(g, x, last))
    extents = x.extents[1:-1] if last else x.extents[2:]
    out = g.shape[1:-1] if last else g.shape[2:]
    if mode == "nearest":
        made = _nearest(g, made, extents, out, ratios)
    else:
        made = _smooth(g, made, extents, out, ratios, mode, align_corners, align_mode)
    return _channels_back(g, made, last, x.ndim)


def _nearest(g: Graph, x: Ref, extents: Any, out: Any, ratios: Any) -> Ref:
    factors = [_multiple(*each) for each in zip(extents, out, ratios, strict=True)]
    if all(factors):
        scales = g.constant([1, 1, *factors], np.float32)
        return g.node("Resize", x, None, scales, mode="nearest", nearest_mode="floor",
                      coordinate_transformation_mode="asymmetric")  # fmt: skip
    for axis, (size, target, ratio) in enumerate(zip(extents, out, ratios, strict=True), 2):
        x = g.node("Gather", x, _sources(g, size, target, ratio), axis=axis)
    return x


def _sources(g: Graph, size: Any, target: Any, ratio: float | None) -> Ref:
    """The places that are taken along an axis; ONNX itself would round them in float32."""
    if not is_dimension(size) and not is_dimension(target):
        share = size / target if ratio is None else ratio
        index = np.minimum(np.floor(np.arange(target) * share), size - 1)
        return g.constant(index, np.int64)
    need(ratio is None, "resizing an unknown size by other than a whole number")
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    places = g.node("Range", zero, g.squeeze(g.size(target), [0]), one)
    return g.node("Div", g.node("Mul", places, g.size(size)), g.size(target))


def _multiple(size: Any, target: Any, ratio: float | None) -> int | None:
    """The whole number by which a size grows, if it is one."""
    if ratio is None and (is_dimension(size) or is_dimension(target)):
        return None
    share = size / target if ratio is None else ratio
    factor = round(1 / share) if share <= 1 else 0
    if not factor or share * factor != 1:
        return None
    return factor if is_dimension(size) or target == size * factor else None


_MODES = {"linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}


def _smooth(
    g: Graph, x: Ref, extents: Any, out: Any, ratios: Any, mode: str, corners: bool,
    align_mode: int,
) -> Ref:  # fmt: skip
    place = "align_corners" if corners else "half_pixel"
    if align_mode == 1 and not corners and mode != "bicubic":
        place = "asymmetric"
    attributes: dict[str, Any] = {
        "mode": _MODES[mode],
        "coordinate_transformation_mode": place,
    }
    if mode == "bicubic":
        attributes["cubic_coeff_a"] = -0.75
    # Sizes say all where the ratio is that of the sizes; else the ratio does.
    by_size = corners or all(
        ratio is None or (not is_dimension(size) and not is_dimension(target)
                          and math.isclose(size / target, ratio, rel_tol=1e-6))
        for size, target, ratio in zip(extents, out, ratios, strict=True)
    )  # fmt: skip
    if by_size:
        channels = x.extents[:2]
        return g.node("Resize", x, None, None, g.extents([*channels, *out]), **attributes)
    scales = g.constant([1, 1, *[1 / r for r in ratios]], np.float32)
    return g.node("Resize", x, None, scales, **attributes)
