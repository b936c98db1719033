"""The basic block of a residual network as one layer."""

from __future__ import annotations

from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor
from proa.nn import functional as F

# What one convolution with its batch norm needs, in the order of Paddle's arguments.
_Unit = tuple[Any, Any, Any, Any, Any]


def _unit(
    x: Tensor, unit: _Unit, window: tuple[Any, Any, Any], norm: tuple[Any, ...], groups: int
) -> Tensor:
    weight, scale, bias, mean, variance = unit
    stride, padding, dilation = window
    training, momentum, eps, data_format, use_global_stats = norm
    made = F.conv2d(x, weight, None, stride, padding, dilation, groups, data_format)
    return F.batch_norm(
        made,
        mean,
        variance,
        scale,
        bias,
        training=training,
        momentum=momentum,
        epsilon=eps,
        data_format=data_format,
        use_global_stats=use_global_stats or None,
    )


def resnet_basic_block(
    x: Tensor,
    filter1: Tensor,
    scale1: Tensor,
    bias1: Tensor,
    mean1: Tensor,
    var1: Tensor,
    filter2: Tensor,
    scale2: Tensor,
    bias2: Tensor,
    mean2: Tensor,
    var2: Tensor,
    filter3: Tensor | None,
    scale3: Tensor | None,
    bias3: Tensor | None,
    mean3: Tensor | None,
    var3: Tensor | None,
    stride1: Any,
    stride2: Any,
    stride3: Any,
    padding1: Any,
    padding2: Any,
    padding3: Any,
    dilation1: Any,
    dilation2: Any,
    dilation3: Any,
    groups: int,
    momentum: float,
    eps: float,
    data_format: str,
    has_shortcut: bool,
    use_global_stats: bool | None = None,
    training: bool = False,
    trainable_statistics: bool = False,
    find_conv_max: bool = True,
) -> Tensor:
    """Two convolutions with batch norm, added to the input or to a third one.

    `relu(norm2(conv2(relu(norm1(conv1(x))))) + shortcut)`, where the shortcut is `x` or
    `norm3(conv3(x))`. XLA fuses what it can; Paddle has one kernel of its XPU for it.

    Args:
        x: images.
        filter1: weight of the first convolution.
        scale1: scale of the first batch norm.
        bias1: its shift.
        mean1: its running mean.
        var1: its running variance.
        filter2: as `filter1`, of the second one.
        scale2: as `scale1`.
        bias2: as `bias1`.
        mean2: as `mean1`.
        var2: as `var1`.
        filter3: as `filter1`, of the shortcut; not used without one.
        scale3: as `scale1`.
        bias3: as `bias1`.
        mean3: as `mean1`.
        var3: as `var1`.
        stride1: steps of the first convolution.
        stride2: steps of the second one.
        stride3: steps of the shortcut's.
        padding1: padding of the first convolution.
        padding2: padding of the second one.
        padding3: padding of the shortcut's.
        dilation1: dilation of the first convolution.
        dilation2: dilation of the second one.
        dilation3: dilation of the shortcut's.
        groups: parts that channels are split into.
        momentum: part of the running statistics that is kept.
        eps: added to variances.
        data_format: `"NCHW"`, or `"NHWC"`.
        has_shortcut: whether the shortcut has a convolution.
        use_global_stats: uses the running statistics in training too.
        training: whether the statistics are the batch's.
        trainable_statistics: whether they are so in evaluation too.
        find_conv_max: not used: it is about quantised kernels.
    """
    norm = (training or trainable_statistics, momentum, eps, data_format, use_global_stats)
    made = _unit(
        x,
        (filter1, scale1, bias1, mean1, var1),
        (stride1, padding1, dilation1),
        norm,
        groups,
    )
    second = (stride2, padding2, dilation2)
    made = _unit(F.relu(made), (filter2, scale2, bias2, mean2, var2), second, norm, groups)
    if has_shortcut:
        window = (stride3, padding3, dilation3)
        x = _unit(x, (filter3, scale3, bias3, mean3, var3), window, norm, groups)
    return F.relu(made + x)  # type: ignore[operator]


class ResNetBasicBlock(nn.Layer):
    """Two convolutions with batch norm, added to the input; see `resnet_basic_block`.

    Args:
        num_channels1: input channels of the first convolution.
        num_filter1: output channels of it.
        filter1_size: extent of its window.
        num_channels2: as `num_channels1`, of the second one.
        num_filter2: as `num_filter1`.
        filter2_size: as `filter1_size`.
        num_channels3: as `num_channels1`, of the shortcut.
        num_filter3: as `num_filter1`.
        filter3_size: as `filter1_size`.
        stride1: steps of the first convolution.
        stride2: steps of the second one.
        stride3: steps of the shortcut's.
        act: `"relu"`.
        momentum: part of the running statistics that is kept.
        eps: added to variances.
        data_format: `"NCHW"`.
        has_shortcut: whether the shortcut has a convolution.
        use_global_stats: uses the running statistics in training too.
        is_test: starts in evaluation mode.
        filter1_attr: settings of the first convolution's weight.
        scale1_attr: settings of the first batch norm's scale.
        bias1_attr: settings of its shift.
        moving_mean1_name: name of its running mean.
        moving_var1_name: name of its running variance.
        filter2_attr: as `filter1_attr`.
        scale2_attr: as `scale1_attr`.
        bias2_attr: as `bias1_attr`.
        moving_mean2_name: as `moving_mean1_name`.
        moving_var2_name: as `moving_var1_name`.
        filter3_attr: as `filter1_attr`.
        scale3_attr: as `scale1_attr`.
        bias3_attr: as `bias1_attr`.
        moving_mean3_name: as `moving_mean1_name`.
        moving_var3_name: as `moving_var1_name`.
        padding1: padding of the first convolution.
        padding2: padding of the second one.
        padding3: padding of the shortcut's.
        dilation1: dilation of the first convolution.
        dilation2: dilation of the second one.
        dilation3: dilation of the shortcut's.
        trainable_statistics: uses the batch's statistics in evaluation too.
        find_conv_max: not used.

    Raises:
        InvalidArgumentError: another activation, or another format.
    """

    def __init__(
        self,
        num_channels1: int,
        num_filter1: int,
        filter1_size: Any,
        num_channels2: int,
        num_filter2: int,
        filter2_size: Any,
        num_channels3: int,
        num_filter3: int,
        filter3_size: Any,
        stride1: Any = 1,
        stride2: Any = 1,
        stride3: Any = 1,
        act: str = "relu",
        momentum: float = 0.9,
        eps: float = 1e-5,
        data_format: str = "NCHW",
        has_shortcut: bool = False,
        use_global_stats: bool = False,
        is_test: bool = False,
        filter1_attr: Any = None,
        scale1_attr: Any = None,
        bias1_attr: Any = None,
        moving_mean1_name: str | None = None,
        moving_var1_name: str | None = None,
        filter2_attr: Any = None,
        scale2_attr: Any = None,
        bias2_attr: Any = None,
        moving_mean2_name: str | None = None,
        moving_var2_name: str | None = None,
        filter3_attr: Any = None,
        scale3_attr: Any = None,
        bias3_attr: Any = None,
        moving_mean3_name: str | None = None,
        moving_var3_name: str | None = None,
        padding1: Any = 0,
        padding2: Any = 0,
        padding3: Any = 0,
        dilation1: Any = 1,
        dilation2: Any = 1,
        dilation3: Any = 1,
        trainable_statistics: bool = False,
        find_conv_max: bool = True,
    ) -> None:
        super().__init__()
        if act != "relu" or data_format != "NCHW":
            raise InvalidArgumentError(
                f"ResNetBasicBlock with `act` {act!r} and `data_format` {data_format!r}",
                expected="'relu' and 'NCHW'",
                fix="leave them out, or use nn.Conv2D and nn.BatchNorm2D",
            )
        self._windows = (
            (stride1, padding1, dilation1),
            (stride2, padding2, dilation2),
            (stride3, padding3, dilation3),
        )
        self._momentum, self._eps, self._has_shortcut = momentum, eps, has_shortcut
        self._use_global_stats = use_global_stats
        self._trainable_statistics = trainable_statistics
        sizes = [
            (num_channels1, num_filter1, filter1_size),
            (num_channels2, num_filter2, filter2_size),
            (num_channels3, num_filter3, filter3_size),
        ]
        settings = [
            (filter1_attr, scale1_attr, bias1_attr, moving_mean1_name, moving_var1_name),
            (filter2_attr, scale2_attr, bias2_attr, moving_mean2_name, moving_var2_name),
            (filter3_attr, scale3_attr, bias3_attr, moving_mean3_name, moving_var3_name),
        ]
        for number in range(3 if has_shortcut else 2):
            self._add_unit(number + 1, sizes[number], settings[number])
        if is_test:
            self.training = False

    def _add_unit(self, number: int, size: tuple[Any, Any, Any], settings: _Unit) -> None:
        """Makes the parameters of one convolution and its batch norm, by Paddle's names."""
        filter_attr, scale_attr, bias_attr, mean_name, variance_name = settings
        conv = nn.Conv2D(*size, weight_attr=filter_attr, bias_attr=False)
        norm = nn.BatchNorm(
            size[1],
            param_attr=scale_attr,
            bias_attr=bias_attr,
            moving_mean_name=mean_name,
            moving_variance_name=variance_name,
        )
        setattr(self, f"filter_{number}", conv.weight)
        setattr(self, f"scale_{number}", norm.weight)
        setattr(self, f"bias_{number}", norm.bias)
        setattr(self, f"mean_{number}", norm._mean)
        setattr(self, f"var_{number}", norm._variance)

    def _unit(self, number: int) -> _Unit:
        if number == 3 and not self._has_shortcut:
            return (None, None, None, None, None)
        names = ("filter", "scale", "bias", "mean", "var")
        return tuple(getattr(self, f"{name}_{number}") for name in names)  # type: ignore[return-value]

    def forward(self, x: Tensor) -> Tensor:
        """Applies the block to images of shape [N, C, H, W]."""
        windows = [self._windows[i][kind] for kind in range(3) for i in range(3)]
        return resnet_basic_block(
            x,
            *self._unit(1),
            *self._unit(2),
            *self._unit(3),
            *windows,
            groups=1,
            momentum=self._momentum,
            eps=self._eps,
            data_format="NCHW",
            has_shortcut=self._has_shortcut,
            use_global_stats=self._use_global_stats,
            training=self.training,
            trainable_statistics=self._trainable_statistics,
        )
