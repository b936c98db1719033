"""Layers that tutorials of Paddle 1 use together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import static
from proa.core import Tensor
from proa.fluid.layers._functions import activated, conv2d, dropout, pool2d


def simple_img_conv_pool(
    input: Tensor,
    num_filters: int,
    filter_size: Any,
    pool_size: Any,
    pool_stride: Any,
    pool_padding: Any = 0,
    pool_type: str = "max",
    global_pooling: bool = False,
    conv_stride: Any = 1,
    conv_padding: Any = 0,
    conv_dilation: Any = 1,
    conv_groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    use_cudnn: bool = True,
) -> Tensor:
    """A convolution and a pooling.

    Args:
        input: images, [N, C, H, W].
        num_filters: outputs of the convolution.
        filter_size: its height and width.
        pool_size: size of the pooling's window.
        pool_stride: its step.
        pool_padding: padding around images.
        pool_type: `"max"` or `"avg"`.
        global_pooling: whether the whole image is one window.
        conv_stride: step of the convolution.
        conv_padding: padding of the convolution.
        conv_dilation: distance between the filter's elements.
        conv_groups: groups of channels.
        param_attr: settings of the filters.
        bias_attr: settings of the bias.
        act: name of an activation, after the convolution.
        use_cudnn: makes no difference.
    """
    settings = conv_stride, conv_padding, conv_dilation, conv_groups, param_attr, bias_attr
    made = conv2d(input, num_filters, filter_size, *settings, act=act)
    return pool2d(made, pool_size, pool_type, pool_stride, pool_padding, global_pooling)


def img_conv_group(
    input: Tensor,
    conv_num_filter: Sequence[int],
    pool_size: Any,
    conv_padding: Any = 1,
    conv_filter_size: Any = 3,
    conv_act: str | None = None,
    param_attr: Any = None,
    conv_with_batchnorm: Any = False,
    conv_batchnorm_drop_rate: Any = 0.0,
    pool_stride: Any = 1,
    pool_type: str = "max",
    use_cudnn: bool = True,
) -> Tensor:
    """Convolutions, each with batch normalisation and dropout where asked for, and a pooling.

    Args:
        input: images, [N, C, H, W].
        conv_num_filter: outputs of each convolution.
        pool_size: size of the pooling's window.
        conv_padding: padding, of each or of all.
        conv_filter_size: height and width, of each or of all.
        conv_act: name of an activation.
        param_attr: settings of the filters.
        conv_with_batchnorm: whether to normalise, after each or all.
        conv_batchnorm_drop_rate: share that is dropped after that, of each or of all.
        pool_stride: step of the pooling.
        pool_type: `"max"` or `"avg"`.
        use_cudnn: makes no difference.
    """
    count = len(conv_num_filter)

    def each(value: Any) -> list[Any]:
        return list(value) if isinstance(value, list | tuple) else [value] * count

    made = input
    columns = conv_num_filter, each(conv_filter_size), each(conv_padding)
    norms, rates = each(conv_with_batchnorm), each(conv_batchnorm_drop_rate)
    for filters, size, padding, norm, rate in zip(*columns, norms, rates, strict=True):
        act = None if norm else conv_act
        made = conv2d(made, filters, size, padding=padding, param_attr=param_attr, act=act)
        if norm:
            made = static.nn.batch_norm(made, act=conv_act)
            made = dropout(made, rate) if rate else made
    return pool2d(made, pool_size, pool_type, pool_stride)


def sequence_conv_pool(
    input: Any,
    num_filters: int,
    filter_size: int,
    param_attr: Any = None,
    act: str = "sigmoid",
    pool_type: str = "max",
    bias_attr: Any = None,
) -> Tensor:
    """A convolution along sequences and one row of each.

    Args:
        input: rows in sequences.
        num_filters: outputs of the convolution.
        filter_size: rows that a filter sees.
        param_attr: settings of the filters.
        act: name of an activation.
        pool_type: as for `sequence_pool`.
        bias_attr: settings of the bias.
    """
    settings = {"param_attr": param_attr, "bias_attr": bias_attr, "act": act}
    made = static.nn.sequence_conv(input, num_filters, filter_size, **settings)
    return static.nn.sequence_pool(made, pool_type)


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half of an axis, weighted by the sigmoid of the second.

    Args:
        input: tensor with an even extent on the axis.
        dim: the axis.
    """
    first, second = input.chunk(2, dim)
    return first * activated(second, "sigmoid")
