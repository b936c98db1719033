"""Layers as functions: each call makes parameters of its own in the Program being built."""

from __future__ import annotations

from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor, UnsupportedError, run_eagerly
from proa.ops import maximum, minimum

from ._parts import activated, fitted, plain, with_norm

_Activation = str | None


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
        layer = nn.Linear(width, size, weight_attr=plain(weight_attr), bias_attr=bias)
        found = with_norm(fitted(layer, flat), weight_attr)(flat)
        total = found if total is None else total + found
    return activated(total, activation)


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
        dtype (str): dtype of the table.

    Returns:
        Tensor: the shape of `input`, then the columns.
    """
    rows, columns = size
    # The padding row is set to zero, which is no part of the Program.
    with run_eagerly():
        layer = nn.Embedding(rows, columns, padding_idx, weight_attr=param_attr, dtype=dtype)
    return layer(input)


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
    return activated(fitted(layer, input)(input), act)


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
    return activated(fitted(layer, input)(input), act)


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
        weight_attr=plain(param_attr),
        bias_attr=bias_attr,
        data_format=data_format,
    )
    return activated(with_norm(fitted(layer, input), param_attr)(input), act)


def group_norm(
    input: Tensor,
    groups: int,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: _Activation = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Normalises groups of channels of each sample.

    Args:
        input (Tensor): floating, [N, C, ...].
        groups (int): number of groups.
        epsilon (float): added to the variance.
        param_attr (ParamAttr | bool, optional): how the scale is made; `False` for none.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        act (str, optional): name of a function of `nn.functional`.
        data_layout (str): where the channels are.
        name (str, optional): kept for Paddle's signature.
    """
    layer = nn.GroupNorm(
        groups,
        input.shape[1 if data_layout.startswith("NC") else -1],
        epsilon,
        weight_attr=param_attr,
        bias_attr=bias_attr,
        data_format=data_layout,
    )
    return activated(fitted(layer, input)(input), act)


def instance_norm(
    input: Any,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normalises each channel of each sample.

    Args:
        input (Tensor): floating, [N, C], [N, C, L], [N, C, H, W] or [N, C, D, H, W].
        epsilon (float): added to the variance.
        param_attr (ParamAttr | bool, optional): how the scale is made; `False` for none.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidArgumentError: one of scale and bias without the other, or another rank.
    """
    if (param_attr is False) != (bias_attr is False):
        raise InvalidArgumentError(
            f"instance_norm: param_attr={param_attr!r} with bias_attr={bias_attr!r}",
            expected="both, or neither",
            fix="set both to False",
        )
    rank = len(input.shape)
    if not 2 <= rank <= 5:
        raise InvalidArgumentError(
            f"instance_norm of {rank} axes", expected="2 to 5", fix="reshape to [N, C, ...]"
        )
    kind = (nn.InstanceNorm1D, nn.InstanceNorm1D, nn.InstanceNorm2D, nn.InstanceNorm3D)[rank - 2]
    layer = kind(input.shape[1], epsilon, weight_attr=param_attr, bias_attr=bias_attr)
    layer = fitted(layer, input)
    if rank == 2:
        return layer(input.unsqueeze(-1)).squeeze(-1)
    return layer(input)


def spectral_norm(
    weight: Tensor, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: Any = None
) -> Tensor:
    """Divides a weight by its largest singular value, which power iterations find.

    Args:
        weight (Tensor): floating, at least 2-d; read as a matrix with the rows of `dim`.
        dim (int): the axis of the rows.
        power_iters (int): iterations of each run.
        eps (float): added to lengths.
        name (str, optional): kept for Paddle's signature.
    """
    return nn.SpectralNorm(weight.shape, dim, power_iters, eps, weight.dtype)(weight)


def bilinear_tensor_product(
    x: Tensor,
    y: Tensor,
    size: int,
    act: _Activation = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Tensor:
    """Bilinear forms of two vectors: `out[:, i] = x W[i] y + bias[i]`.

    Args:
        x (Tensor): floating, [N, features of x].
        y (Tensor): floating, [N, features of y].
        size (int): number of outputs.
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.
        param_attr (ParamAttr, optional): how W is made, [size, features of x, of y].
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
    """
    layer = nn.Bilinear(x.shape[-1], y.shape[-1], size, param_attr, bias_attr)
    return activated(fitted(layer, x)(x, y), act)


def prelu(
    x: Tensor, mode: str, param_attr: Any = None, data_format: str = "NCHW", name: Any = None
) -> Tensor:
    """`x` above 0, `slope * x` below, with learnt slopes that start at 0.25.

    Args:
        x (Tensor): floating, [N, ...].
        mode (str): `all`: one slope; `channel`: one for each channel; `element`: one for each
            element of a sample.
        param_attr (ParamAttr, optional): how the slopes are made.
        data_format (str): where the channels are.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidArgumentError: another mode.
    """
    rank = len(x.shape)
    channel = 1 if data_format.startswith("NC") else rank - 1
    shapes = {
        "all": [1],
        "channel": [e if axis == channel else 1 for axis, e in enumerate(x.shape)],
        "element": [1, *x.shape[1:]],
    }
    if mode not in shapes:
        raise InvalidArgumentError(
            f"prelu: `mode` is {mode!r}", expected=", ".join(shapes), fix="use 'all'"
        )
    start = nn.initializer.Constant(0.25)
    slope = nn.Layer("prelu").create_parameter(shapes[mode], param_attr, x.dtype, False, start)
    return maximum(x, 0.0) + slope * minimum(x, 0.0)


def sparse_embedding(
    input: Tensor,
    size: Any,
    padding_idx: int | None = None,
    is_test: bool = False,
    entry: Any = None,
    table_class: str = "MemorySparseTable",
    param_attr: Any = None,
    dtype: Any = "float32",
    slot: Any = None,
) -> Tensor:
    """Looks rows up in a table of its own, which is an ordinary parameter.

    In Paddle the table lives on parameter servers, and grows; here it has `size[0]` rows.

    Args:
        input (Tensor): integer indices below `size[0]`.
        size (list | tuple): rows and columns of the table.
        padding_idx (int, optional): the row that has no gradient.
        is_test (bool): kept for Paddle's signature.
        entry (Any): which rows may enter a growing table.
        table_class (str): kept for Paddle's signature.
        param_attr (ParamAttr, optional): how the table is made.
        dtype (str): dtype of the table.
        slot (int, optional): kept for Paddle's signature.

    Raises:
        UnsupportedError: `entry` is given.
    """
    if entry is not None:
        raise UnsupportedError(
            f"sparse_embedding: `entry` is {entry!r}",
            expected="None: a table of fixed rows has no rule for rows that enter",
            fix="leave it out, and filter rare ids before they are fed",
        )
    return embedding(input, size, padding_idx=padding_idx, param_attr=param_attr, dtype=dtype)
