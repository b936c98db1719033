"""MobileNet, second version."""

from __future__ import annotations

from typing import Any

from proa import nn, ops
from proa.core import Tensor

from ._blocks import ConvNormActivation, round_channels
from ._pretrained import with_weights

# Expansion, channels at scale 1, number of blocks, stride of the first.
_STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class _InvertedResidual(nn.Layer):
    """Widen, convolve each channel alone, narrow; with a way around where the shapes agree."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = int(round(inputs * expansion))
        self._has_way_around = stride == 1 and inputs == outputs
        layers: list[nn.Layer] = []
        if expansion != 1:
            layers.append(ConvNormActivation(inputs, hidden, 1, activation_layer=nn.ReLU6))
        depthwise = ConvNormActivation(
            hidden, hidden, 3, stride, groups=hidden, activation_layer=nn.ReLU6
        )
        layers += [depthwise, nn.Conv2D(hidden, outputs, 1, bias_attr=False)]
        self.conv = nn.Sequential(*layers, nn.BatchNorm2D(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x) if self._has_way_around else self.conv(x)


class MobileNetV2(nn.Layer):
    """Inverted residuals with linear bottlenecks (Sandler et al., 2018).

    Args:
        scale: factor of all numbers of channels.
        num_classes: size of the last layer; 0 or less leaves it out.
        with_pool: whether the last feature map is averaged.

    Example:
        >>> import proa
        >>> model = proa.vision.models.MobileNetV2(scale=0.25, num_classes=0)
        >>> model.features[18][0].weight.shape
        [1280, 80, 1, 1]

    References:
        arXiv:1801.04381. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = round_channels(32 * scale)
        last = round_channels(1280 * max(1.0, scale))
        layers: list[nn.Layer] = [
            ConvNormActivation(3, channels, stride=2, activation_layer=nn.ReLU6)
        ]
        for expansion, width, count, stride in _STAGES:
            outputs = round_channels(width * scale)
            for index in range(count):
                step = stride if index == 0 else 1
                layers.append(_InvertedResidual(channels, outputs, step, expansion))
                channels = outputs
        layers.append(ConvNormActivation(channels, last, 1, activation_layer=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, num_classes))

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(ops.flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v2(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV2:
    """MobileNet, second version.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        scale: factor of all numbers of channels.
        **kwargs: arguments of `MobileNetV2`.
    """
    model = MobileNetV2(scale=scale, **kwargs)
    return with_weights(model, f"mobilenet_v2_{scale}", pretrained)
