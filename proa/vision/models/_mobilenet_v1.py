"""MobileNet, first version."""

from __future__ import annotations

from typing import Any

from proa import nn, ops
from proa.core import Tensor

from ._blocks import ConvNormActivation
from ._pretrained import with_weights

# Name, channels of input and output at scale 1, stride.
_BLOCKS = (
    ("conv2_1", 32, 64, 1),
    ("conv2_2", 64, 128, 2),
    ("conv3_1", 128, 128, 1),
    ("conv3_2", 128, 256, 2),
    ("conv4_1", 256, 256, 1),
    ("conv4_2", 256, 512, 2),
    *((f"conv5_{index}", 512, 512, 1) for index in range(1, 6)),
    ("conv5_6", 512, 1024, 2),
    ("conv6", 1024, 1024, 1),
)


class _DepthwiseSeparable(nn.Layer):
    """A 3×3 convolution of each channel alone, then a 1×1 convolution."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self._depthwise_conv = ConvNormActivation(
            in_channels, in_channels, 3, stride, groups=in_channels
        )
        self._pointwise_conv = ConvNormActivation(in_channels, out_channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(nn.Layer):
    """Depthwise separable convolutions (Howard et al., 2017).

    Args:
        scale: factor of all numbers of channels.
        num_classes: size of the last layer; 0 or less leaves it out.
        with_pool: whether the last feature map is averaged.

    Example:
        >>> import proa
        >>> model = proa.vision.models.MobileNetV1(scale=0.25, num_classes=0)
        >>> model(proa.ones([1, 3, 32, 32])).shape
        [1, 256, 1, 1]

    References:
        arXiv:1704.04861. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, 2, 1)
        for name, inputs, outputs, stride in _BLOCKS:
            block = _DepthwiseSeparable(int(inputs * scale), int(outputs * scale), stride)
            self.add_sublayer(name, block)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.conv1(x)
        for name, *_ in _BLOCKS:
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(ops.flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v1(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV1:
    """MobileNet, first version.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        scale: factor of all numbers of channels.
        **kwargs: arguments of `MobileNetV1`.
    """
    model = MobileNetV1(scale=scale, **kwargs)
    return with_weights(model, f"mobilenetv1_{scale}", pretrained)
