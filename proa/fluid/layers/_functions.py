"""Functions of Paddle 1 whose arguments differ from today's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor
from proa.nn import functional as F


def activated(made: Tensor, act: str | None) -> Tensor:
    """Applies the activation that layers of Paddle 1 take by name.

    Args:
        made: the tensor.
        act: name of a function of `nn.functional`, or `None`.

    Raises:
        InvalidArgumentError: there is no such function.
    """
    if act is None:
        return made
    function = getattr(F, act, None)
    if function is None:
        raise InvalidArgumentError(
            f"`act` is {act!r}",
            expected="the name of an activation, such as 'relu', 'tanh', 'sigmoid', 'softmax'",
            fix="correct it, or call the function on the result",
        )
    return function(made)


def fc(
    input: Tensor | Sequence[Tensor],
    size: int,
    num_flatten_dims: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """A linear map with new parameters at each call; several inputs are summed up.

    Args:
        input: tensor, or several; axes from `num_flatten_dims` on are one.
        size: number of outputs.
        num_flatten_dims: number of axes that stay.
        param_attr: settings of the weight.
        bias_attr: settings of the bias; `False` leaves it out.
        act: name of an activation.
        name: not used.
    """
    inputs: list[Any] = list(input) if isinstance(input, list | tuple) else [input]
    total: Any = None
    for each in inputs:
        axes = num_flatten_dims % each.ndim
        flat = ops.flatten(each, axes, -1) if each.ndim > axes + 1 else each
        weight: Any = nn.create_parameter([flat.shape[-1], size], each.dtype, attr=param_attr)
        product = ops.matmul(flat, weight)
        total = product if total is None else total + product
    if total is not None and bias_attr is not False:
        total = total + nn.create_parameter([size], total.dtype, attr=bias_attr, is_bias=True)
    return activated(total, act)  # type: ignore[arg-type]


def embedding(
    input: Tensor,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Tensor:
    """Rows of a new table at each call; a last axis of extent 1 of the ids is dropped.

    Args:
        input: integer tensor.
        size: [number of rows, features].
        is_sparse: makes no difference, as `is_distributed`.
        is_distributed: makes no difference.
        padding_idx: the row whose gradient is 0.
        param_attr: settings of the table.
        dtype: its dtype.
    """
    table: Any = nn.create_parameter(list(size), dtype, attr=param_attr)
    ids = ops.squeeze(input, -1) if input.ndim > 1 and input.shape[-1] == 1 else input
    return F.embedding(ids, table, padding_idx)


def softmax(
    input: Tensor, use_cudnn: bool = False, name: str | None = None, axis: int = -1
) -> Tensor:
    """Softmax over an axis.

    Args:
        input: the tensor.
        use_cudnn: makes no difference.
        name: not used.
        axis: the axis.
    """
    return F.softmax(input, axis)


def cross_entropy(
    input: Tensor, label: Tensor, soft_label: bool = False, ignore_index: int = -100
) -> Tensor:
    """Cross entropy of probabilities, [N, 1]; today's function takes logits and gives the mean.

    Args:
        input: probabilities, [N, classes].
        label: classes [N, 1] or [N]; with `soft_label` probabilities.
        soft_label: whether labels are probabilities.
        ignore_index: label that does not count.
    """
    if not soft_label and label.ndim == input.ndim - 1:
        label = ops.unsqueeze(label, -1)
    return F.cross_entropy(
        input, label, None, ignore_index, "none", soft_label, -1, use_softmax=False
    )


def _reduction(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(
        input: Tensor, dim: Any = None, keep_dim: bool = False, name: str | None = None
    ) -> Tensor:
        return function(input, axis=dim, keepdim=keep_dim)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"`{function.__name__}` over axes.\n\n    Args:\n" + (
        "        input: the tensor.\n        dim: axes; `None` for all.\n"
        "        keep_dim: whether they stay, with extent 1.\n        name: not used.\n    "
    )
    return reduce


reduce_all = _reduction("reduce_all", ops.all)
reduce_any = _reduction("reduce_any", ops.any)
reduce_max = _reduction("reduce_max", ops.max)
reduce_mean = _reduction("reduce_mean", ops.mean)
reduce_min = _reduction("reduce_min", ops.min)
reduce_prod = _reduction("reduce_prod", ops.prod)
reduce_sum = _reduction("reduce_sum", ops.sum)


def _elementwise(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def combine(
        x: Tensor, y: Tensor, axis: int = -1, act: str | None = None, name: str | None = None
    ) -> Tensor:
        if axis != -1:
            # The axes of `y` stand below those of `x` from `axis` on.
            behind = x.ndim - axis - y.ndim
            y = ops.reshape(y, [*y.shape, *[1] * behind])
        return activated(function(x, y), act)

    combine.__name__ = combine.__qualname__ = name
    combine.__doc__ = f"`{function.__name__}` of two tensors.\n\n    Args:\n" + (
        "        x: a tensor.\n        y: another one.\n"
        "        axis: axis of `x` that the first one of `y` belongs to; -1 aligns the last ones.\n"
        "        act: name of an activation.\n        name: not used.\n    "
    )
    return combine


elementwise_add = _elementwise("elementwise_add", ops.add)
elementwise_div = _elementwise("elementwise_div", ops.divide)
elementwise_max = _elementwise("elementwise_max", ops.maximum)
elementwise_min = _elementwise("elementwise_min", ops.minimum)
elementwise_mod = _elementwise("elementwise_mod", ops.remainder)
elementwise_mul = _elementwise("elementwise_mul", ops.multiply)
elementwise_pow = _elementwise("elementwise_pow", ops.pow)
elementwise_sub = _elementwise("elementwise_sub", ops.subtract)


def fill_constant(
    shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None, name: Any = None
) -> Tensor:
    """A tensor filled with one number.

    Args:
        shape: integers.
        dtype: dtype.
        value: the number.
        force_cpu: makes no difference.
        out: tensor that takes the result.
        name: not used.
    """
    return ops.full(shape, value, dtype, out=out)


def reshape(
    x: Tensor,
    shape: Any,
    actual_shape: Any = None,
    act: str | None = None,
    inplace: bool = False,
    name: str | None = None,
) -> Tensor:
    """Gives a tensor another shape.

    Args:
        x: the tensor.
        shape: extents; -1 is computed, 0 keeps one.
        actual_shape: used instead of `shape` if it is there.
        act: name of an activation.
        inplace: makes no difference.
        name: not used.
    """
    return activated(ops.reshape(x, shape if actual_shape is None else actual_shape), act)


def matmul(
    x: Tensor,
    y: Tensor,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """`alpha * x @ y`.

    Args:
        x: a tensor.
        y: another one.
        transpose_x: whether the last two axes of `x` are exchanged.
        transpose_y: the same of `y`.
        alpha: factor.
        name: not used.
    """
    made = ops.matmul(x, y, transpose_x, transpose_y)
    return made if alpha == 1.0 else made * alpha


def mul(
    x: Tensor, y: Tensor, x_num_col_dims: int = 1, y_num_col_dims: int = 1, name: Any = None
) -> Tensor:
    """Product of two matrices that tensors are read as.

    Args:
        x: a tensor; its first `x_num_col_dims` axes are the rows.
        y: a tensor; its first `y_num_col_dims` axes are the rows.
        x_num_col_dims: number of axes.
        y_num_col_dims: number of axes.
        name: not used.
    """
    left = ops.reshape(x, [-1, _count(x.shape[x_num_col_dims:])])
    right = ops.reshape(y, [_count(y.shape[:y_num_col_dims]), -1])
    made = ops.matmul(left, right)
    return ops.reshape(made, [*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:]])


def _count(extents: Sequence[int]) -> int:
    total = 1
    for extent in extents:
        total *= extent
    return total


def dropout(
    x: Tensor,
    dropout_prob: float,
    is_test: bool | None = None,
    seed: int | None = None,
    name: str | None = None,
    dropout_implementation: str = "downgrade_in_infer",
) -> Tensor:
    """Sets elements to zero at random.

    Args:
        x: the tensor.
        dropout_prob: probability.
        is_test: whether this is no training.
        seed: not used: draws come from the one stream.
        name: not used.
        dropout_implementation: `"downgrade_in_infer"` (elements shrink in tests) or
            `"upscale_in_train"`.
    """
    mode = dropout_implementation.replace("downgrade", "downscale")
    return F.dropout(x, dropout_prob, training=not is_test, mode=mode)


def one_hot(input: Tensor, depth: int, allow_out_of_range: bool = False) -> Tensor:
    """Rows with a single 1; a last axis of extent 1 is dropped.

    Args:
        input: integers.
        depth: number of classes.
        allow_out_of_range: whether other integers give rows of zeros.
    """
    ids = ops.squeeze(input, -1) if input.ndim > 1 and input.shape[-1] == 1 else input
    if allow_out_of_range:
        return ops.cast(ops.unsqueeze(ids, -1) == ops.arange(depth), "float32")
    return F.one_hot(ids, depth)


def smooth_l1(
    x: Any,
    y: Any,
    inside_weight: Tensor | None = None,
    outside_weight: Tensor | None = None,
    sigma: float = 1.0,
) -> Tensor:
    """Smooth L1 loss summed over each sample, [N, 1].

    Args:
        x: predictions, [N, ...].
        y: targets.
        inside_weight: factor of the differences.
        outside_weight: factor of the losses.
        sigma: below `1 / sigma**2` the loss is quadratic.
    """
    difference = ops.abs(x - y if inside_weight is None else (x - y) * inside_weight)
    square = sigma**2
    loss = ops.where(
        difference < 1 / square, 0.5 * square * difference**2, difference - 0.5 / square
    )
    loss = loss if outside_weight is None else loss * outside_weight
    return ops.sum(ops.reshape(loss, [loss.shape[0], -1]), 1, keepdim=True)


def pool2d(
    input: Tensor,
    pool_size: Any = -1,
    pool_type: str = "max",
    pool_stride: Any = 1,
    pool_padding: Any = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCHW",
) -> Tensor:
    """Largest elements or means of windows of images.

    Args:
        input: images.
        pool_size: size of the window.
        pool_type: `"max"` or `"avg"`.
        pool_stride: distance of windows.
        pool_padding: padding around images.
        global_pooling: whether the whole image is one window.
        use_cudnn: makes no difference.
        ceil_mode: whether a last window may reach over the edge.
        name: not used.
        exclusive: whether padding is left out of means.
        data_format: `"NCHW"` or `"NHWC"`.

    Raises:
        InvalidArgumentError: another `pool_type`.
    """
    if pool_type not in ("max", "avg"):
        raise InvalidArgumentError(
            f"`pool_type` is {pool_type!r}", expected="'max' or 'avg'", fix="choose one of them"
        )
    if global_pooling:
        axes = [2, 3] if data_format == "NCHW" else [1, 2]
        return (ops.max if pool_type == "max" else ops.mean)(input, axes, True)
    window = (input, pool_size, pool_stride, pool_padding)
    if pool_type == "max":
        return F.max_pool2d(*window, ceil_mode=ceil_mode, data_format=data_format)
    return F.avg_pool2d(*window, ceil_mode=ceil_mode, exclusive=exclusive, data_format=data_format)


def conv2d(
    input: Tensor,
    num_filters: int,
    filter_size: int | Sequence[int],
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Tensor:
    """A convolution with new parameters at each call.

    Args:
        input: images.
        num_filters: number of output channels.
        filter_size: size of the window.
        stride: distance of windows.
        padding: padding around images.
        dilation: distance of elements of a window.
        groups: groups of channels.
        param_attr: settings of the filters.
        bias_attr: settings of the bias; `False` leaves it out.
        use_cudnn: makes no difference.
        act: name of an activation.
        name: not used.
        data_format: `"NCHW"` or `"NHWC"`.
    """
    channels = input.shape[1 if data_format == "NCHW" else -1]
    size = [filter_size] * 2 if isinstance(filter_size, int) else list(filter_size)
    layer = nn.Conv2D(
        channels,
        num_filters,
        size,
        stride,
        padding,
        dilation,
        groups or 1,
        weight_attr=param_attr,
        bias_attr=bias_attr,
        data_format=data_format,
    )
    return activated(layer(input), act)
