"""Layers as functions: each call makes parameters of its own in the Program being built."""

from __future__ import annotations

from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor

_Activation = str | None


def _activated(x: Tensor, activation: Any) -> Tensor:
    if activation is None:
        return x
    function = getattr(nn.functional, str(activation), None)
    if function is None:
        raise InvalidArgumentError(
            f"`activation` is {activation!r}",
            expected="the name of a function of nn.functional",
            fix="write 'relu', 'tanh' or 'softmax'",
        )
    return function(x)


def fc(
    x: Any,
    size: int,
    num_flatten_dims: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    activation: _Activation = None,
    name: str | None = None,
) -> Tensor:
    """A fully connected layer: `activation(flatten(x) @ weight + bias)`; of a list, the sum.

    Args:
        x (Tensor | list[Tensor]): floating, at least 2-d.
        size (int): number of outputs.
        num_flatten_dims (int): axes that are kept; those after them become one.
        weight_attr (ParamAttr, optional): how the weight is made.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        activation (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.

    Returns:
        Tensor: kept axes, then `size`.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     x = proa.static.data("x", [4, 2, 3])
        ...     proa.static.nn.fc(x, 5, activation="relu").shape
        [4, 5]
    """
    inputs = list(x) if isinstance(x, list | tuple) else [x]
    total: Any = None
    for position, each in enumerate(inputs):
        axis = num_flatten_dims % len(each.shape) if num_flatten_dims < 0 else num_flatten_dims
        width = 1
        for extent in each.shape[axis:]:
            width *= extent
        flat = each if axis == len(each.shape) - 1 else each.flatten(axis)
        bias = bias_attr if position == len(inputs) - 1 else False
        found = nn.Linear(width, size, weight_attr=weight_attr, bias_attr=bias)(flat)
        total = found if total is None else total + found
    return _activated(total, activation)


def embedding(
    input: Tensor,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Tensor:
    """Looks rows up in a table of its own.

    Args:
        input (Tensor): integer indices.
        size (list | tuple): rows and columns of the table.
        is_sparse (bool): kept for Paddle's signature.
        is_distributed (bool): kept for Paddle's signature.
        padding_idx (int, optional): the row that has no gradient.
        param_attr (ParamAttr, optional): how the table is made.
        dtype (str): kept for Paddle's signature.

    Returns:
        Tensor: the shape of `input`, then the columns.
    """
    return nn.Embedding(size[0], size[1], padding_idx, weight_attr=param_attr)(input)


def batch_norm(
    input: Tensor,
    act: _Activation = None,
    is_test: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
) -> Tensor:
    """Normalises channels by the batch's statistics, and keeps running ones.

    Args:
        input (Tensor): floating, [N, C, ...].
        act (str, optional): name of a function of `nn.functional`.
        is_test (bool): use the running statistics.
        momentum (float): share of the running statistics that is kept.
        epsilon (float): added to the variance.
        param_attr (ParamAttr, optional): how the scale is made.
        bias_attr (ParamAttr, optional): how the bias is made.
        data_layout (str): where the channels are.
        in_place (bool): kept for Paddle's signature.
        name (str, optional): kept for Paddle's signature.
        moving_mean_name (str, optional): name of the running mean.
        moving_variance_name (str, optional): name of the running variance.
        do_model_average_for_mean_and_var (bool): kept for Paddle's signature.
        use_global_stats (bool): use the running statistics in training too.
    """
    layer = nn.BatchNorm(
        input.shape[1 if data_layout.startswith("NC") else -1],
        is_test=is_test,
        momentum=momentum,
        epsilon=epsilon,
        param_attr=param_attr,
        bias_attr=bias_attr,
        data_layout=data_layout,
        moving_mean_name=moving_mean_name,
        moving_variance_name=moving_variance_name,
        use_global_stats=use_global_stats,
    )
    return _activated(layer(input), act)


def layer_norm(
    input: Tensor,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: _Activation = None,
    name: str | None = None,
) -> Tensor:
    """Normalises over the last axes.

    Args:
        input (Tensor): floating.
        scale (bool): whether there is a scale.
        shift (bool): whether there is a bias.
        begin_norm_axis (int): the first of the axes.
        epsilon (float): added to the variance.
        param_attr (ParamAttr, optional): how the scale is made.
        bias_attr (ParamAttr, optional): how the bias is made.
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.
    """
    layer = nn.LayerNorm(
        list(input.shape[begin_norm_axis:]),
        epsilon,
        weight_attr=param_attr if scale else False,
        bias_attr=bias_attr if shift else False,
    )
    return _activated(layer(input), act)


def conv2d(
    input: Tensor,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: _Activation = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Tensor:
    """A convolution with filters of its own.

    Args:
        input (Tensor): floating, [N, C, H, W], or as `data_format` says.
        num_filters (int): number of outputs.
        filter_size (int | list): height and width.
        stride (int | list): step.
        padding (int | list | str): rows and columns around.
        dilation (int | list): distance between the filter's elements.
        groups (int, optional): groups of channels.
        param_attr (ParamAttr, optional): how the filters are made.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        use_cudnn (bool): kept for Paddle's signature.
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.
        data_format (str): where the channels are.
    """
    channels = input.shape[1 if data_format == "NCHW" else -1]
    layer = nn.Conv2D(
        channels,
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups or 1,
        weight_attr=param_attr,
        bias_attr=bias_attr,
        data_format=data_format,
    )
    return _activated(layer(input), act)
