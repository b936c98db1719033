"""MobileNet, third version, large and small."""

from __future__ import annotations

from functools import partial
from typing import Any

from proa import nn, ops
from proa.core import Tensor

from ._blocks import ConvNormActivation, round_channels
from ._pretrained import with_weights

# A row: window, channels inside, channels of the output (all at scale 1), squeeze and excitation,
# hard swish instead of ReLU, stride. Tables 1 and 2 of the paper.
_Row = tuple[int, int, int, bool, bool, int]
_LARGE: tuple[_Row, ...] = (
    (3, 16, 16, False, False, 1),
    (3, 64, 24, False, False, 2),
    (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2),
    (5, 120, 40, True, False, 1),
    (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2),
    (3, 200, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 480, 112, True, True, 1),
    (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2),
    (5, 960, 160, True, True, 1),
    (5, 960, 160, True, True, 1),
)
_SMALL: tuple[_Row, ...] = (
    (3, 16, 16, True, False, 2),
    (3, 72, 24, False, False, 2),
    (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2),
    (5, 240, 40, True, True, 1),
    (5, 240, 40, True, True, 1),
    (5, 120, 48, True, True, 1),
    (5, 144, 48, True, True, 1),
    (5, 288, 96, True, True, 2),
    (5, 576, 96, True, True, 1),
    (5, 576, 96, True, True, 1),
)
_norm = partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)


class _SqueezeExcitation(nn.Layer):
    """Scales each channel by a number from 0 to 1 that depends on the averages of all channels."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(channels, squeezed, 1)
        self.fc2 = nn.Conv2D(squeezed, channels, 1)
        self.activation = nn.ReLU()
        self.scale_activation = nn.Hardsigmoid()

    def forward(self, x: Tensor) -> Tensor:
        scale = self.activation(self.fc1(self.avgpool(x)))
        return x * self.scale_activation(self.fc2(scale))


class _InvertedResidual(nn.Layer):
    """One row of the tables, from `inputs` channels, at a scale."""

    def __init__(self, inputs: int, row: _Row, scale: float) -> None:
        super().__init__()
        kernel, inside, outputs, squeezes, is_swish, stride = row
        hidden, outputs = round_channels(inside * scale), round_channels(outputs * scale)
        activation = nn.Hardswish if is_swish else nn.ReLU
        self._has_way_around = stride == 1 and inputs == outputs
        self._widens, self._squeezes = inputs != hidden, squeezes
        if self._widens:
            self.expand_conv = ConvNormActivation(
                inputs, hidden, 1, norm_layer=_norm, activation_layer=activation
            )
        self.bottleneck_conv = ConvNormActivation(
            hidden,
            hidden,
            kernel,
            stride,
            groups=hidden,
            norm_layer=_norm,
            activation_layer=activation,
        )
        if squeezes:
            self.mid_se = _SqueezeExcitation(hidden, round_channels(hidden // 4))
        self.linear_conv = ConvNormActivation(
            hidden, outputs, 1, norm_layer=_norm, activation_layer=None
        )

    def forward(self, x: Tensor) -> Tensor:
        out = self.expand_conv(x) if self._widens else x
        out = self.bottleneck_conv(out)
        if self._squeezes:
            out = self.mid_se(out)
        out = self.linear_conv(out)
        return x + out if self._has_way_around else out


class _MobileNetV3(nn.Layer):
    """What both sizes share."""

    def __init__(
        self,
        rows: tuple[_Row, ...],
        last: int,
        scale: float,
        num_classes: int,
        with_pool: bool,
    ) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        channels = round_channels(16 * scale)
        swish = {"norm_layer": _norm, "activation_layer": nn.Hardswish}
        self.conv = ConvNormActivation(3, channels, 3, 2, 1, **swish)
        blocks = []
        for row in rows:
            blocks.append(_InvertedResidual(channels, row, scale))
            channels = round_channels(row[2] * scale)
        self.blocks = nn.Sequential(*blocks)
        self.lastconv = ConvNormActivation(channels, channels * 6, 1, **swish)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(channels * 6, last),
                nn.Hardswish(),
                nn.Dropout(0.2),
                nn.Linear(last, num_classes),
            )

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(ops.flatten(x, 1)) if self.num_classes > 0 else x


class MobileNetV3Small(_MobileNetV3):
    """MobileNet, third version, small (Howard et al., 2019).

    Args:
        scale: factor of all numbers of channels.
        num_classes: size of the last layer; 0 or less leaves the linear layers out.
        with_pool: whether the last feature map is averaged.

    Example:
        >>> import proa
        >>> model = proa.vision.models.MobileNetV3Small(scale=0.5, num_classes=10)
        >>> model.classifier[3].weight.shape
        [512, 10]

    References:
        arXiv:1905.02244. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(_SMALL, round_channels(1024 * scale), scale, num_classes, with_pool)


class MobileNetV3Large(_MobileNetV3):
    """MobileNet, third version, large (Howard et al., 2019).

    Args:
        scale: factor of all numbers of channels.
        num_classes: size of the last layer; 0 or less leaves the linear layers out.
        with_pool: whether the last feature map is averaged.

    Example:
        >>> import proa
        >>> model = proa.vision.models.MobileNetV3Large(scale=0.5, num_classes=10)
        >>> model.classifier[3].weight.shape
        [640, 10]

    References:
        arXiv:1905.02244. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(_LARGE, round_channels(1280 * scale), scale, num_classes, with_pool)


def mobilenet_v3_small(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV3Small:
    """MobileNet, third version, small.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        scale: factor of all numbers of channels.
        **kwargs: arguments of `MobileNetV3Small`.
    """
    model = MobileNetV3Small(scale=scale, **kwargs)
    return with_weights(model, f"mobilenet_v3_small_x{scale}", pretrained)


def mobilenet_v3_large(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV3Large:
    """MobileNet, third version, large.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        scale: factor of all numbers of channels.
        **kwargs: arguments of `MobileNetV3Large`.
    """
    model = MobileNetV3Large(scale=scale, **kwargs)
    return with_weights(model, f"mobilenet_v3_large_x{scale}", pretrained)
