"""Rules for what layers of Paddle's networks call: activations, convolutions, norms, pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proa import ops
from proa.nn import functional as F

from ._rules import Unfit, host, ints, rule, scalar

if TYPE_CHECKING:
    from ._rules import Data

_ACTIVATIONS = {"logsigmoid": "log_sigmoid", "tanh_shrink": "tanhshrink", "softsign": "softsign"}
_ACTIVATIONS |= {n: n for n in ("relu", "relu6", "sigmoid", "silu", "tanh")}


def _activation(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data) -> Any:
        return function(x)

    return translate


for _name, _function in _ACTIVATIONS.items():
    rule(_name)(_activation(getattr(F, _function)))


@rule("swish")
def _swish(x: Data, *, beta: float = 1.0) -> Any:
    return F.swish(x) if beta == 1.0 else x * F.sigmoid(x * beta)


@rule("hardswish", desc="hard_swish")
def _hardswish(x: Data, *, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0) -> Any:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return F.hardswish(x)
    return x * ops.clip(x + offset, 0.0, threshold) / scale


@rule("hardsigmoid", desc="hard_sigmoid")
def _hardsigmoid(x: Data, *, slope: float = 0.2, offset: float = 0.5) -> Any:
    return F.hardsigmoid(x, slope, offset)


@rule("leaky_relu", alpha="negative_slope")
def _leaky_relu(x: Data, *, negative_slope: float = 0.02) -> Any:
    return F.leaky_relu(x, negative_slope)


@rule("rrelu")
def _rrelu(x: Data, *, lower: float = 0.125, upper: float = 1 / 3, is_test: bool = False) -> Any:
    if not is_test:
        raise Unfit("random slopes: a Program in a file computes the same for the same inputs")
    return F.leaky_relu(x, (lower + upper) / 2)


@rule("prelu")
def _prelu(x: Data, alpha: Data, *, data_format: str = "NCHW", mode: str = "all") -> Any:
    if mode == "element":
        return ops.where(x > 0, x, ops.reshape(alpha, [1, *alpha.shape[-x.ndim + 1 :]]) * x)
    return F.prelu(x, ops.reshape(alpha, [-1]), data_format)


@rule("gelu")
def _gelu(x: Data, *, approximate: bool = False) -> Any:
    return F.gelu(x, approximate)


@rule("mish")
def _mish(x: Data) -> Any:
    return F.mish(x)


@rule("elu")
def _elu(x: Data, *, alpha: float = 1.0) -> Any:
    return F.elu(x, alpha)


@rule("celu")
def _celu(x: Data, *, alpha: float = 1.0) -> Any:
    return F.celu(x, alpha)


@rule("selu")
def _selu(x: Data, *, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772) -> Any:
    return F.selu(x, scale, alpha)


@rule("softplus")
def _softplus(x: Data, *, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return F.softplus(x, beta, threshold)


_LAMBDA: Any = {"lambda": "threshold"}


@rule("softshrink", **_LAMBDA)
def _softshrink(x: Data, *, threshold: float = 0.5) -> Any:
    return F.softshrink(x, threshold)


@rule("hardshrink", desc="hard_shrink")
def _hardshrink(x: Data, *, threshold: float = 0.5) -> Any:
    return F.hardshrink(x, threshold)


@rule("hardtanh", desc="brelu")
def _hardtanh(x: Data, *, t_min: float = 0.0, t_max: float = 24.0) -> Any:
    return F.hardtanh(x, t_min, t_max)


@rule("thresholded_relu")
def _thresholded_relu(x: Data, *, threshold: float = 1.0, value: float = 0.0) -> Any:
    return F.thresholded_relu(x, threshold, value)


@rule("stanh")
def _stanh(x: Data, *, scale_a: float = 0.67, scale_b: float = 1.7159) -> Any:
    return ops.stanh(x, scale_a, scale_b)


@rule("maxout")
def _maxout(x: Data, *, groups: int, axis: int = 1) -> Any:
    return F.maxout(x, groups, axis)


@rule("softmax")
def _softmax(x: Data, *, axis: int = -1) -> Any:
    return F.softmax(x, axis)


@rule("log_softmax")
def _log_softmax(x: Data, *, axis: int = -1) -> Any:
    return F.log_softmax(x, axis)


@rule("dropout", dropout_prob="p", dropout_implementation="mode", Seed="seed_tensor")
def _dropout(
    x: Data, seed_tensor: Any = None, p: Any = 0.5, *, mode: str = "downgrade_in_infer"
) -> Any:
    # A model that is run is a model in evaluation, whatever the call was saved as.
    return x if mode == "upscale_in_train" else x * (1.0 - scalar(p))


def _padding(paddings: Any, algorithm: str) -> Any:
    if algorithm != "EXPLICIT":
        return algorithm
    sizes = [int(p) for p in paddings]
    return sizes[0] if len(set(sizes)) == 1 else sizes


@rule("conv2d", "depthwise_conv2d", "conv3d", outputs="Output")
def _conv(
    input: Data,
    filter: Data,
    *,
    strides: Any,
    paddings: Any,
    padding_algorithm: str = "EXPLICIT",
    dilations: Any = 1,
    groups: int = 1,
    data_format: str = "NCHW",
) -> Any:
    function = F.conv2d if filter.ndim == 4 else F.conv3d
    padding = _padding(paddings, padding_algorithm)
    layout = _channels(input, data_format)
    return function(input, filter, None, list(strides), padding, list(dilations), groups, layout)


@rule(
    "conv2d_transpose",
    "depthwise_conv2d_transpose",
    "conv3d_transpose",
    outputs="Output",
    Input="x",
)
def _conv_transpose(
    x: Data,
    filter: Data,
    output_size: Any = (),
    *,
    strides: Any,
    paddings: Any,
    output_padding: Any = (),
    padding_algorithm: str = "EXPLICIT",
    groups: int = 1,
    dilations: Any = (1,),
    data_format: str = "NCHW",
) -> Any:
    function = F.conv2d_transpose if filter.ndim == 4 else F.conv3d_transpose
    size = ints(output_size, "the output size")
    extra = [int(p) for p in output_padding]
    return function(
        x,
        filter,
        None,
        stride=list(strides),
        padding=_padding(paddings, padding_algorithm),
        output_padding=0 if size or not extra else extra,
        groups=groups,
        dilation=list(dilations),
        output_size=size or None,
        data_format=_channels(x, data_format),
    )


@rule("batch_norm", "sync_batch_norm", outputs="Y", data_layout="data_format")
def _batch_norm(
    x: Data,
    mean: Data,
    variance: Data,
    scale: Data = None,
    bias: Data = None,
    *,
    epsilon: float = 1e-5,
    data_format: str = "NCHW",
    is_test: bool = True,
    use_global_stats: bool = False,
) -> Any:
    if not (is_test or use_global_stats):
        # Saved in training: the statistics are those of the batch itself.
        last = _channels(x, data_format).endswith("C") and x.ndim > 2
        axes = [a for a in range(x.ndim) if a != (x.ndim - 1 if last else 1)]
        mean, variance = ops.mean(x, axes), ops.var(x, axes, unbiased=False)
    return F.batch_norm(
        x,
        mean,
        variance,
        scale,
        bias,
        training=False,
        epsilon=epsilon,
        data_format=_channels(x, data_format),
    )


def _channels(x: Any, data_format: str) -> str:
    """The layout with the axes that a tensor has: `NCHW` is said of any number of them."""
    last = data_format in ("NHWC", "NDHWC", "NLC")
    first = {2: "NC", 3: "NCL", 4: "NCHW", 5: "NCDHW"}
    return {3: "NLC", 4: "NHWC", 5: "NDHWC"}.get(x.ndim, "NC") if last else first[x.ndim]


@rule("layer_norm", outputs="Y")
def _layer_norm(
    x: Data,
    scale: Data = None,
    bias: Data = None,
    *,
    epsilon: float = 1e-5,
    begin_norm_axis: int = 1,
) -> Any:
    shape = x.shape[begin_norm_axis:]
    weight = None if scale is None else ops.reshape(scale, shape)
    return F.layer_norm(
        x, shape, weight, None if bias is None else ops.reshape(bias, shape), epsilon
    )


@rule("rms_norm", outputs="y")
def _rms_norm(
    x: Data, scale: Data = None, *, normalized_shape: Any = (), epsilon: float = 1e-5
) -> Any:
    axes = list(range(-len(normalized_shape), 0))
    power: Any = ops.mean(ops.square(x), axes, keepdim=True)
    made = x * ops.rsqrt(power + epsilon)
    return made if scale is None else made * scale


@rule("group_norm", outputs="Y", data_layout="data_format")
def _group_norm(
    x: Data,
    scale: Data = None,
    bias: Data = None,
    *,
    epsilon: float = 1e-5,
    groups: int,
    data_format: str = "NCHW",
) -> Any:
    return F.group_norm(x, groups, epsilon, scale, bias, _channels(x, data_format))


@rule("instance_norm", outputs="Y")
def _instance_norm(x: Data, scale: Data = None, bias: Data = None, *, epsilon: float = 1e-5) -> Any:
    return F.instance_norm(x, weight=scale, bias=bias, eps=epsilon)


@rule("affine_channel", data_layout="data_format")
def _affine_channel(x: Data, scale: Data, bias: Data, *, data_format: str = "NCHW") -> Any:
    shape = [1, -1, 1, 1] if data_format != "NHWC" else [1, 1, 1, -1]
    return x * ops.reshape(scale, shape) + ops.reshape(bias, shape)


@rule("pool2d", "pool3d", ksize="kernel_size")
def _pool(
    x: Data,
    kernel_size: Any,
    *,
    strides: Any,
    paddings: Any,
    ceil_mode: bool = False,
    exclusive: bool = True,
    data_format: str = "NCHW",
    pooling_type: str,
    global_pooling: bool = False,
    adaptive: bool = False,
    padding_algorithm: str = "EXPLICIT",
) -> Any:
    axes = x.ndim - 2
    sizes = ints(kernel_size, "the kernel size")
    layout = _channels(x, data_format)
    if global_pooling or adaptive:
        sizes = [1] * axes if global_pooling else sizes
        return _adaptive(x, sizes * (axes // len(sizes)), pooling_type, layout)
    padding = _padding(paddings, padding_algorithm)
    stride = [int(s) for s in strides]
    if pooling_type == "max":
        function = F.max_pool2d if axes == 2 else F.max_pool3d
        return function(x, sizes, stride, padding, ceil_mode=ceil_mode, data_format=layout)
    function = F.avg_pool2d if axes == 2 else F.avg_pool3d
    return function(
        x, sizes, stride, padding, ceil_mode=ceil_mode, exclusive=exclusive, data_format=layout
    )


def _adaptive(x: Any, sizes: list[Any], kind: str, layout: str) -> Any:
    spatial = list(range(1, x.ndim - 1)) if layout.endswith("C") else list(range(2, x.ndim))
    if all(size == 1 for size in sizes):
        return (ops.max if kind == "max" else ops.mean)(x, spatial, keepdim=True)
    if kind == "avg":
        function = F.adaptive_avg_pool2d if x.ndim == 4 else F.adaptive_avg_pool3d
        return function(x, sizes, layout)
    if layout.endswith("C"):
        raise Unfit("adaptive max pooling with channels last")
    return (F.adaptive_max_pool2d if x.ndim == 4 else F.adaptive_max_pool3d)(x, sizes)


@rule("max_pool2d_with_index", "max_pool3d_with_index", outputs="Out Mask", ksize="kernel_size")
def _max_pool_with_index(
    x: Data,
    *,
    kernel_size: Any,
    strides: Any = (1, 1),
    paddings: Any = (0, 0),
    global_pooling: bool = False,
    adaptive: bool = False,
    ceil_mode: bool = False,
) -> Any:
    axes = x.ndim - 2
    if global_pooling or adaptive:
        function = F.adaptive_max_pool2d if axes == 2 else F.adaptive_max_pool3d
        return function(x, [1] * axes if global_pooling else list(kernel_size), True)
    function = F.max_pool2d if axes == 2 else F.max_pool3d
    return function(x, list(kernel_size), list(strides), list(paddings), True, ceil_mode)


@rule("lp_pool2d", outputs="out", KernelSizeTensor="kernel_size")
def _lp_pool(
    x: Data,
    kernel_size: Any,
    *,
    strides: Any = (1, 1),
    paddings: Any = (0, 0),
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    norm_type: float,
) -> Any:
    sizes, stride = ints(kernel_size, "the kernel size"), [int(s) for s in strides]
    padding = _padding(paddings, "EXPLICIT")
    return F.lp_pool2d(x, norm_type, sizes, stride, padding, ceil_mode, data_format)


@rule(
    *("nearest_interp", "bilinear_interp", "bicubic_interp", "linear_interp", "trilinear_interp"),
    desc="nearest_interp_v2 bilinear_interp_v2 bicubic_interp_v2 linear_interp_v2 "
    "trilinear_interp_v2 nearest_interp bilinear_interp",
    data_layout="data_format",
    Scale="scale_tensor",
)
def _interpolate(
    x: Data,
    out_size: Any = None,
    size_tensor: Any = None,
    scale_tensor: Any = None,
    *,
    data_format: str = "NCHW",
    out_d: int = 0,
    out_h: int = 0,
    out_w: int = 0,
    scale: Any = (),
    interp_method: str,
    align_corners: bool = True,
    align_mode: int = 1,
) -> Any:
    if interp_method == "nearest" and align_corners:
        raise Unfit("nearest interpolation with aligned corners")
    axes = x.ndim - 2
    size: Any = [e for e in (out_d, out_h, out_w)[3 - axes :] if e > 0] or None
    factors: Any = None
    for given in (scale, scale_tensor):
        found = None if given is None else host(given)
        if found is not None and found.size and all(float(f) > 0 for f in found.ravel()):
            factors = [float(f) for f in found.ravel()] * (axes if found.size == 1 else 1)
    if size_tensor is not None or out_size is not None:
        size = ints(size_tensor if size_tensor is not None else out_size, "the output size")
        factors = None
    if factors is None and size is None:
        raise Unfit("the output size is computed from the elements of a tensor")
    return F.interpolate(
        x,
        None if factors is not None else size,
        factors,
        interp_method,
        align_corners,
        align_mode,
        data_format=_channels(x, data_format),
    )


@rule("pad3d", value="pad_value", Paddings="paddings")
def _pad3d(
    x: Data,
    paddings: Any,
    *,
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCDHW",
) -> Any:
    return F.pad(x, ints(paddings, "the padding"), mode, pad_value, data_format)


@rule("pad")
def _pad(x: Data, pad_value: Any = 0.0, *, paddings: Any) -> Any:
    return F.pad(x, [int(p) for p in paddings], "constant", scalar(pad_value))


@rule("embedding", desc="lookup_table_v2", Ids="x", W="weight")
def _embedding(x: Data, weight: Data, *, padding_idx: int = -1) -> Any:
    return F.embedding(x, weight, padding_idx if padding_idx >= 0 else None)


@rule(desc="lookup_table", Ids="x", W="weight")
def _embedding_v1(x: Data, weight: Data, *, padding_idx: int = -1) -> Any:
    made = F.embedding(x, weight, padding_idx if padding_idx >= 0 else None)
    return ops.squeeze(made, [-2])


@rule("grid_sample", desc="grid_sampler", outputs="Output")
def _grid_sample(
    x: Data,
    grid: Data,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Any:
    return F.grid_sample(x, grid, mode, padding_mode, align_corners)


@rule("affine_grid", outputs="Output", Theta="input", OutputShape="output_shape")
def _affine_grid(input: Data, output_shape: Any = (), *, align_corners: bool = True) -> Any:
    return F.affine_grid(input, ints(output_shape, "the output shape"), align_corners)


@rule("pixel_shuffle")
def _pixel_shuffle(x: Data, *, upscale_factor: int = 1, data_format: str = "NCHW") -> Any:
    return F.pixel_shuffle(x, upscale_factor, data_format)


@rule("pixel_unshuffle")
def _pixel_unshuffle(x: Data, *, downscale_factor: int = 1, data_format: str = "NCHW") -> Any:
    return F.pixel_unshuffle(x, downscale_factor, data_format)


@rule("channel_shuffle")
def _channel_shuffle(x: Data, *, groups: int, data_format: str = "NCHW") -> Any:
    return F.channel_shuffle(x, groups, data_format)


@rule("shuffle_channel", group="groups")
def _shuffle_channel(x: Data, *, groups: int = 1) -> Any:
    return F.channel_shuffle(x, groups)


@rule("unfold", outputs="Y")
def _unfold(x: Data, *, kernel_sizes: Any, strides: Any, paddings: Any, dilations: Any) -> Any:
    return F.unfold(x, list(kernel_sizes), list(strides), list(paddings), list(dilations))


@rule("fold", outputs="Y")
def _fold(
    x: Data,
    *,
    output_sizes: Any,
    kernel_sizes: Any,
    strides: Any,
    paddings: Any,
    dilations: Any,
) -> Any:
    return F.fold(
        x, list(output_sizes), list(kernel_sizes), list(strides), list(paddings), list(dilations)
    )


@rule("temporal_shift")
def _temporal_shift(
    x: Data, *, seg_num: int, shift_ratio: float = 0.25, data_format: str = "NCHW"
) -> Any:
    return F.temporal_shift(x, seg_num, shift_ratio, data_format=data_format)


@rule("flash_attn", outputs="out")
def _flash_attention(
    q: Data,
    k: Data,
    v: Data,
    fixed_seed_offset: Any = None,
    attn_mask: Data = None,
    *,
    causal: bool = False,
) -> Any:
    return F.scaled_dot_product_attention(q, k, v, attn_mask, 0.0, causal, training=False)


@rule("memory_efficient_attention", outputs="output")
def _efficient_attention(query: Data, key: Data, value: Data, bias: Data = None) -> Any:
    return F.scaled_dot_product_attention(query, key, value, bias, 0.0, False, training=False)


@rule("label_smooth", X="label", PriorDist="prior_dist")
def _label_smooth(label: Data, prior_dist: Data = None, *, epsilon: float = 0.0) -> Any:
    return F.label_smooth(label, prior_dist, epsilon)


@rule(
    "cross_entropy_with_softmax",
    desc="softmax_with_cross_entropy",
    outputs="Softmax Loss",
    Logits="input",
)
def _cross_entropy(
    input: Data,
    label: Data,
    *,
    soft_label: bool = False,
    use_softmax: bool = True,
    ignore_index: int = -100,
    axis: int = -1,
) -> Any:
    if not use_softmax:
        given = (None, ignore_index, "none", soft_label, axis, False)
        return input, F.cross_entropy(input, label, *given)
    loss, softmax = F.softmax_with_cross_entropy(
        input, label, soft_label, ignore_index, return_softmax=True, axis=axis
    )
    return softmax, loss
