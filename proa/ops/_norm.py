"""Normalisations: statistics of a batch, layer, instance or group, and what is built on them.

Statistics of half-precision inputs are computed in float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from proa.core import (
    GradMode,
    InvalidArgumentError,
    OtherOrder,
    Tensor,
    composite,
    describe_array,
    op,
    write_inplace,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Shape

_BATCH_FORMATS = ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC")


def _wide(x: Array) -> Array:
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def _channel_axis(x: Any, data_format: str, name: str) -> int:
    if data_format not in _BATCH_FORMATS:
        raise InvalidArgumentError(
            f"`data_format` of `{name}` is {data_format!r}",
            expected="one of " + ", ".join(_BATCH_FORMATS),
            fix="name the axes of x in the order they have",
        )
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"`x` of `{name}` is {describe_array(x)}",
            expected="at least two axes, batch and channel",
            fix="add the missing axis",
        )
    return 1 if data_format.startswith("NC") else x.ndim - 1


def _per_channel(value: Array | None, x: Array, axis: int, what: str, name: str) -> Any:
    """Gives a vector of one value per channel the rank of `x`."""
    if value is None:
        return None
    if value.size != x.shape[axis]:
        raise InvalidArgumentError(
            f"`{what}` of `{name}` is {describe_array(value)} for x {describe_array(x)}",
            expected=f"one value for each of {x.shape[axis]} channels (axis {axis})",
            fix="check data_format and the number of features",
        )
    return value.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


def moments(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """Mean and biased variance over `axes`, kept as axes of extent 1."""
    mean = jnp.mean(x, axis=axes, keepdims=True)
    # Two passes: the one-pass form loses all digits when the mean is large.
    return mean, jnp.mean(lax.square(x - mean), axis=axes, keepdims=True)


def _affine(y: Array, weight: Any, bias: Any) -> Array:
    if weight is not None:
        y = y * _wide(weight)
    return y if bias is None else y + _wide(bias)


def _standardise(
    x: Array, mean: Array, variance: Array, weight: Any, bias: Any, epsilon: float
) -> Array:
    scale = lax.rsqrt(variance + epsilon)
    if weight is not None:
        scale = scale * _wide(weight)
    y = (x - mean) * scale
    return y if bias is None else y + _wide(bias)


@op(method=None, public=False)
def batch_norm_train(
    x: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array | None,
    bias: Array | None,
    momentum: float,
    epsilon: float,
    data_format: str,
) -> tuple[Array, Array, Array]:
    """Normalises by the batch's statistics and moves the running ones.

    Args:
        x: floating tensor [N, C, ...].
        running_mean: [C].
        running_var: [C].
        weight: [C].
        bias: [C].
        momentum: share of the running statistics that is kept.
        epsilon: added to the variance.
        data_format: where the channels are.

    Returns:
        The output, the new running mean and the new running variance (biased).
    """
    axis = _channel_axis(x, data_format, "batch_norm")
    weight = _per_channel(weight, x, axis, "weight", "batch_norm")
    bias = _per_channel(bias, x, axis, "bias", "batch_norm")
    _per_channel(running_mean, x, axis, "running_mean", "batch_norm")
    wide = _wide(x)
    mean, variance = moments(wide, tuple(i for i in range(x.ndim) if i != axis))
    y = _standardise(wide, mean, variance, weight, bias, epsilon).astype(x.dtype)

    def moved(running: Array, batch: Array) -> Array:
        batch = lax.stop_gradient(batch).reshape(running.shape)
        return (momentum * running + (1 - momentum) * batch).astype(running.dtype)

    return y, moved(running_mean, mean), moved(running_var, variance)


@op(method=None, public=False)
def batch_norm_infer(
    x: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array | None,
    bias: Array | None,
    epsilon: float,
    data_format: str,
) -> Array:
    """Normalises by given statistics.

    Args:
        x: floating tensor [N, C, ...].
        running_mean: [C].
        running_var: [C].
        weight: [C].
        bias: [C].
        epsilon: added to the variance.
        data_format: where the channels are.
    """
    axis = _channel_axis(x, data_format, "batch_norm")
    mean, variance, weight, bias = (
        _per_channel(value, x, axis, what, "batch_norm")
        for value, what in (
            (running_mean, "running_mean"),
            (running_var, "running_var"),
            (weight, "weight"),
            (bias, "bias"),
        )
    )
    return _standardise(_wide(x), _wide(mean), _wide(variance), weight, bias, epsilon).astype(
        x.dtype
    )


@composite
def batch_norm(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Batch normalisation: (x - mean) / sqrt(variance + epsilon) * weight + bias per channel.

    In training the statistics are the batch's, and the running ones move in place:
    running = momentum * running + (1 - momentum) * batch, the variance biased (divided by
    the count; torch stores the unbiased one, and its momentum is 1 - this one).

    Args:
        x: floating tensor [N, C, ...].
        running_mean: [C].
        running_var: [C].
        weight: [C].
        bias: [C].
        training: use and record the batch's statistics.
        momentum: share of the running statistics that is kept.
        epsilon: added to the variance.
        data_format: where the channels are: `'NC...'` or `'N...C'`.
        use_global_stats: use the running statistics; `not training` by default.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: a vector has not one value per channel.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> mean, variance = proa.zeros([1]), proa.ones([1])
        >>> y = F.batch_norm(proa.to_tensor([[1.0], [3.0]]), mean, variance, training=True)
        >>> round(mean.item(), 4)
        0.2
    """
    if use_global_stats is None:
        use_global_stats = not training
    if use_global_stats:
        return batch_norm_infer(x, running_mean, running_var, weight, bias, epsilon, data_format)
    y, new_mean, new_var = batch_norm_train(
        x, running_mean, running_var, weight, bias, momentum, epsilon, data_format
    )
    with GradMode(False):
        write_inplace(running_mean, new_mean)
        write_inplace(running_var, new_var)
    return y


def _trailing(x: Array, normalized_shape: tuple[Any, ...], name: str) -> tuple[int, ...]:
    count = len(normalized_shape)
    if count == 0 or count > x.ndim or tuple(x.shape[-count:]) != tuple(normalized_shape):
        raise InvalidArgumentError(
            f"`{name}` got x {describe_array(x)} and normalized_shape {list(normalized_shape)}",
            expected="the last extents of x",
            fix="pass x.shape[begin:]",
        )
    return tuple(range(x.ndim - count, x.ndim))


def _shaped_like(
    value: Array | None, normalized_shape: tuple[Any, ...], what: str, name: str
) -> Any:
    if value is None:
        return None
    total = 1
    for extent in normalized_shape:
        total *= extent
    if value.size != total:
        raise InvalidArgumentError(
            f"`{what}` of `{name}` is {describe_array(value)}",
            expected=f"{total} values, of shape {list(normalized_shape)}",
            fix="give one value per normalised element",
        )
    return value.reshape(normalized_shape)


@op(method=None, amp="black")
def layer_norm(
    x: Array,
    normalized_shape: Shape,
    weight: Array | None = None,
    bias: Array | None = None,
    epsilon: float = 1e-5,
) -> Array:
    """Layer normalisation: (x - mean) / sqrt(variance + epsilon) * weight + bias.

    Mean and variance run over the last axes.

    Args:
        x: floating tensor [..., *normalized_shape].
        normalized_shape: extents of the axes to normalise over, an integer or a list.
        weight: tensor of that shape.
        bias: tensor of that shape.
        epsilon: added to the (biased) variance.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.layer_norm(proa.to_tensor([[1.0, 3.0]]), 2, epsilon=0.0).tolist()
        [[-1.0, 1.0]]
    """
    axes = _trailing(x, normalized_shape, "layer_norm")
    weight = _shaped_like(weight, normalized_shape, "weight", "layer_norm")
    bias = _shaped_like(bias, normalized_shape, "bias", "layer_norm")
    wide = _wide(x)
    mean, variance = moments(wide, axes)
    y = (wide - mean) * lax.rsqrt(variance + epsilon)
    return _affine(y, weight, bias).astype(x.dtype)


@op(method=None, amp="black")
def rms_norm(
    input: Array, normalized_shape: Shape, weight: Array | None = None, eps: float = 1e-5
) -> Array:
    """Root-mean-square normalisation: x / sqrt(mean(x^2) + eps) * weight, over the last axes.

    Args:
        input: floating tensor [..., *normalized_shape].
        normalized_shape: extents of the axes to normalise over, an integer or a list.
        weight: tensor of that shape.
        eps: added to the mean square.

    Raises:
        InvalidArgumentError: the shapes do not fit.
    """
    axes = _trailing(input, normalized_shape, "rms_norm")
    weight = _shaped_like(weight, normalized_shape, "weight", "rms_norm")
    wide = _wide(input)
    scale = lax.rsqrt(jnp.mean(lax.square(wide), axis=axes, keepdims=True) + eps)
    return _affine(wide * scale, weight, None).astype(input.dtype)


@op(method=None, public=False)
def instance_norm_batch(
    x: Array, weight: Array | None, bias: Array | None, eps: float, data_format: str
) -> Array:
    """Normalises each channel of each sample by itself.

    Args:
        x: floating tensor [N, C, ...].
        weight: [C].
        bias: [C].
        eps: added to the variance.
        data_format: where the channels are.
    """
    axis = _channel_axis(x, data_format, "instance_norm")
    if x.ndim < 3:
        raise InvalidArgumentError(
            f"`x` of `instance_norm` is {describe_array(x)}",
            expected="batch, channel and at least one spatial axis",
            fix="use layer_norm or batch_norm for tensors without spatial axes",
        )
    weight = _per_channel(weight, x, axis, "weight", "instance_norm")
    bias = _per_channel(bias, x, axis, "bias", "instance_norm")
    wide = _wide(x)
    mean, variance = moments(wide, tuple(i for i in range(1, x.ndim) if i != axis))
    return _standardise(wide, mean, variance, weight, bias, eps).astype(x.dtype)


@composite
def instance_norm(
    x: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-5,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Instance normalisation: each channel of each sample by its own mean and variance.

    Args:
        x: floating tensor [N, C, ...] with at least one spatial axis.
        running_mean: [C]; used only without `use_input_stats`, and never moved.
        running_var: [C]; the same for the variance.
        weight: [C].
        bias: [C].
        use_input_stats: normalise by the sample's own statistics.
        momentum: accepted for Paddle's signature.
        eps: added to the variance.
        data_format: where the channels are: `'NC...'` or `'N...C'`.

    Raises:
        InvalidArgumentError: shapes do not fit, or running statistics are needed and absent.
    """
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise InvalidArgumentError(
                "`instance_norm` got use_input_stats=False without running statistics",
                expected="running_mean and running_var",
                fix="pass both, or use the input's own statistics",
            )
        return batch_norm_infer(x, running_mean, running_var, weight, bias, eps, data_format)
    return instance_norm_batch(x, weight, bias, eps, data_format)


def _group_norm_by_weight(x: Any, num_groups: Any, epsilon: Any, **given: Any) -> Tensor:
    """`group_norm(x, num_groups, weight, bias, epsilon)`."""
    bias, last = given.pop("weight", None), given.pop("bias", 1e-5)
    if isinstance(last, Tensor):
        bias, last = last, 1e-5
    return group_norm(x, num_groups, last, epsilon, bias, **given)


@op(
    method=None,
    amp="black",
    other_order=OtherOrder(when="isinstance(epsilon, _Tensor)", call=_group_norm_by_weight),
)
def group_norm(
    x: Array,
    num_groups: int,
    epsilon: float = 1e-5,
    weight: Array | None = None,
    bias: Array | None = None,
    data_format: str = "NCHW",
) -> Array:
    """Group normalisation: the channels of a sample in groups, each by its own statistics.

    Args:
        x: floating tensor [N, C, ...].
        num_groups: number of groups; divides C.
        epsilon: added to the variance.
        weight: [C].
        bias: [C].
        data_format: where the channels are: `'NC...'` or `'N...C'`.

    Raises:
        InvalidArgumentError: `num_groups` does not divide C, or a vector does not fit.
    """
    axis = _channel_axis(x, data_format, "group_norm")
    channels = x.shape[axis]
    if num_groups < 1 or channels % num_groups:
        raise InvalidArgumentError(
            f"`group_norm` got num_groups={num_groups} for {channels} channels",
            expected="a positive divisor of the number of channels",
            fix="choose num_groups that divides it, or check data_format",
        )
    weight = _per_channel(weight, x, axis, "weight", "group_norm")
    bias = _per_channel(bias, x, axis, "bias", "group_norm")
    grouped = _wide(x).reshape(
        *x.shape[:axis], num_groups, channels // num_groups, *x.shape[axis + 1 :]
    )
    mean, variance = moments(grouped, tuple(i for i in range(1, grouped.ndim) if i != axis))
    y = ((grouped - mean) * lax.rsqrt(variance + epsilon)).reshape(x.shape)
    return _affine(y, weight, bias).astype(x.dtype)


@op(method=None)
def local_response_norm(
    x: Array,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
) -> Array:
    """Local response normalisation: x / (k + alpha * mean of x^2 over nearby channels)^beta.

    Args:
        x: floating tensor [N, C, ...] with at least one spatial axis.
        size: number of channels in the window around each channel.
        alpha: factor of the mean.
        beta: exponent.
        k: added constant.
        data_format: where the channels are: `'NC...'` or `'N...C'`.

    Raises:
        InvalidArgumentError: `x` has fewer than three axes, or `data_format` is unknown.
    """
    axis = _channel_axis(x, data_format, "local_response_norm")
    if x.ndim < 3 or size < 1:
        raise InvalidArgumentError(
            f"`local_response_norm` got x {describe_array(x)} and size={size}",
            expected="batch, channel and spatial axes, and a positive size",
            fix="add the missing axis",
        )
    window = [size if i == axis else 1 for i in range(x.ndim)]
    pads = [(size // 2, (size - 1) // 2) if i == axis else (0, 0) for i in range(x.ndim)]
    # NumPy's zero lets JAX see a sum, which has a gradient.
    zero = np.zeros((), x.dtype)
    total = lax.reduce_window(lax.square(x), zero, lax.add, window, [1] * x.ndim, pads)
    return x / (k + alpha * (total / size)) ** beta
