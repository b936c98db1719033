"""What several families of models are built of."""

from __future__ import annotations

from typing import Any

from proa import nn


def even(bound: float, bias: bool = False) -> dict[str, Any]:
    """Attributes of a layer whose weight starts evenly on ±`bound`.

    Args:
        bound: the largest start value.
        bias: whether its bias does so, too.
    """
    attributes: dict[str, Any] = {
        "weight_attr": nn.ParamAttr(initializer=nn.initializer.Uniform(-bound, bound))
    }
    if bias:
        attributes["bias_attr"] = nn.ParamAttr(initializer=nn.initializer.Uniform(-bound, bound))
    return attributes


def round_channels(value: float, divisor: int = 8) -> int:
    """Returns the multiple of `divisor` next to `value`, at most a tenth below it.

    Args:
        value: a number of channels after scaling.
        divisor: what the result is a multiple of; also the least result.
    """
    rounded = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


class ConvNormActivation(nn.Sequential):
    """Convolution, normalisation, activation; the last two can be left out.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the window.
        stride: step of the window.
        padding: places added at each side; None keeps the size for stride 1.
        groups: number of groups of the convolution.
        norm_layer: called with `out_channels`; None for none, and then the convolution has a bias.
        activation_layer: called without arguments; None for none.
        dilation: distance between the places of the window.
        bias: whether the convolution has a bias; None: only without `norm_layer`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any = 3,
        stride: int = 1,
        padding: Any = None,
        groups: int = 1,
        norm_layer: Any = nn.BatchNorm2D,
        activation_layer: Any = nn.ReLU,
        dilation: int = 1,
        bias: bool | None = None,
    ) -> None:
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        if bias is None:
            bias = norm_layer is None
        convolution = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation=dilation,
            groups=groups,
            bias_attr=None if bias else False,
        )
        layers: list[nn.Layer] = [convolution]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)
