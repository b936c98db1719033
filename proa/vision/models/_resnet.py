"""Residual networks: ResNet, ResNeXt and wide ResNet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor

from ._pretrained import with_weights

_BLOCKS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}


class BasicBlock(nn.Layer):
    """Two 3×3 convolutions and a way around them: `relu(f(x) + x)`.

    Args:
        inplanes: channels of the input.
        planes: channels of the output.
        stride: step of the first convolution.
        downsample: makes the input fit the output on the way around; None where it fits.
        groups: must be 1.
        base_width: must be 64.
        dilation: must be 1.
        norm_layer: called with a number of channels; None for `BatchNorm2D`.
    """

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        if (groups, base_width, dilation) != (1, 64, 1):
            raise InvalidArgumentError(
                f"BasicBlock: groups {groups}, base_width {base_width}, dilation {dilation}",
                expected="groups 1, base_width 64, dilation 1",
                fix="use BottleneckBlock (depth 50 or more)",
            )
        norm_layer = norm_layer or nn.BatchNorm2D
        self.conv1 = nn.Conv2D(inplanes, planes, 3, stride, 1, bias_attr=False)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, 1, 1, bias_attr=False)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Returns `[n, planes, h / stride, w / stride]`."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        around = x if self.downsample is None else self.downsample(x)
        return self.relu(out + around)


class BottleneckBlock(nn.Layer):
    """A 3×3 convolution between two of 1×1, and a way around them.

    Args:
        inplanes: channels of the input.
        planes: a quarter of the channels of the output.
        stride: step of the 3×3 convolution.
        downsample: makes the input fit the output on the way around; None where it fits.
        groups: groups of the 3×3 convolution.
        base_width: its channels a group, in 64ths of `planes`.
        dilation: distance between the places of its window.
        norm_layer: called with a number of channels; None for `BatchNorm2D`.
    """

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm_layer(width)
        self.conv2 = nn.Conv2D(width, width, 3, stride, dilation, dilation, groups, bias_attr=False)
        self.bn2 = norm_layer(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Returns `[n, 4 planes, h / stride, w / stride]`."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        around = x if self.downsample is None else self.downsample(x)
        return self.relu(out + around)


class ResNet(nn.Layer):
    """Residual network (He et al., 2015), with groups ResNeXt, with more width wide ResNet.

    Args:
        block: `BasicBlock` or `BottleneckBlock`.
        depth: number of layers: 18, 34, 50, 101 or 152.
        width: channels of a group in the first stage.
        num_classes: size of the last layer; 0 or less leaves it out.
        with_pool: whether the last feature map is averaged.
        groups: groups of the 3×3 convolutions.

    Raises:
        InvalidArgumentError: there is no such depth.

    Example:
        >>> import proa
        >>> from proa.vision.models import ResNet
        >>> from proa.vision.models.resnet import BottleneckBlock
        >>> model = ResNet(BottleneckBlock, 50, num_classes=10)
        >>> model.fc.weight.shape
        [2048, 10]

    References:
        arXiv:1512.03385, 1611.05431, 1605.07146. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(
        self,
        block: Any,
        depth: int = 50,
        width: int = 64,
        num_classes: int = 1000,
        with_pool: bool = True,
        groups: int = 1,
    ) -> None:
        super().__init__()
        if depth not in _BLOCKS:
            raise InvalidArgumentError(
                f"ResNet: `depth` is {depth!r}",
                expected=f"one of {sorted(_BLOCKS)}",
                fix="choose the nearest of them",
            )
        self.groups, self.base_width = groups, width
        self.num_classes, self.with_pool = num_classes, with_pool
        self._norm_layer = nn.BatchNorm2D
        self.inplanes, self.dilation = 64, 1
        self.conv1 = nn.Conv2D(3, 64, kernel_size=7, stride=2, padding=3, bias_attr=False)
        self.bn1 = self._norm_layer(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        counts = _BLOCKS[depth]
        self.layer1 = self._make_layer(block, 64, counts[0])
        self.layer2 = self._make_layer(block, 128, counts[1], stride=2)
        self.layer3 = self._make_layer(block, 256, counts[2], stride=2)
        self.layer4 = self._make_layer(block, 512, counts[3], stride=2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block: Any, planes: int, count: int, stride: int = 1) -> nn.Sequential:
        downsample = None
        outplanes = planes * block.expansion
        if stride != 1 or self.inplanes != outplanes:
            downsample = nn.Sequential(
                nn.Conv2D(self.inplanes, outplanes, 1, stride, bias_attr=False),
                self._norm_layer(outplanes),
            )
        shared = {
            "groups": self.groups,
            "base_width": self.base_width,
            "norm_layer": self._norm_layer,
        }
        layers = [block(self.inplanes, planes, stride, downsample, **shared)]
        self.inplanes = outplanes
        layers += [block(outplanes, planes, **shared) for _ in range(1, count)]
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(ops.flatten(x, 1)) if self.num_classes > 0 else x


def _resnet(name: str, block: Any, depth: int, pretrained: bool | str | Path, **kwargs: Any) -> Any:
    return with_weights(ResNet(block, depth, **kwargs), name, pretrained)


def resnet18(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 18 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.resnet18(num_classes=10)
        >>> model(proa.ones([1, 3, 32, 32])).shape
        [1, 10]
    """
    return _resnet("resnet18", BasicBlock, 18, pretrained, **kwargs)


def resnet34(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 34 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    return _resnet("resnet34", BasicBlock, 34, pretrained, **kwargs)


def resnet50(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 50 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    return _resnet("resnet50", BottleneckBlock, 50, pretrained, **kwargs)


def resnet101(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 101 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    return _resnet("resnet101", BottleneckBlock, 101, pretrained, **kwargs)


def resnet152(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 152 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    return _resnet("resnet152", BottleneckBlock, 152, pretrained, **kwargs)


def resnext50_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 50 layers with 32 groups of 4 channels.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["groups"] = 32
    kwargs["width"] = 4
    return _resnet("resnext50_32x4d", BottleneckBlock, 50, pretrained, **kwargs)


def resnext50_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 50 layers with 64 groups of 4 channels.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["groups"] = 64
    kwargs["width"] = 4
    return _resnet("resnext50_64x4d", BottleneckBlock, 50, pretrained, **kwargs)


def resnext101_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 101 layers with 32 groups of 4 channels.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["groups"] = 32
    kwargs["width"] = 4
    return _resnet("resnext101_32x4d", BottleneckBlock, 101, pretrained, **kwargs)


def resnext101_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 101 layers with 64 groups of 4 channels.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["groups"] = 64
    kwargs["width"] = 4
    return _resnet("resnext101_64x4d", BottleneckBlock, 101, pretrained, **kwargs)


def resnext152_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 152 layers with 32 groups of 4 channels.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["groups"] = 32
    kwargs["width"] = 4
    return _resnet("resnext152_32x4d", BottleneckBlock, 152, pretrained, **kwargs)


def resnext152_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 152 layers with 64 groups of 4 channels.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["groups"] = 64
    kwargs["width"] = 4
    return _resnet("resnext152_64x4d", BottleneckBlock, 152, pretrained, **kwargs)


def wide_resnet50_2(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 50 layers whose 3×3 convolutions are twice as wide.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["width"] = 128
    return _resnet("wide_resnet50_2", BottleneckBlock, 50, pretrained, **kwargs)


def wide_resnet101_2(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 101 layers whose 3×3 convolutions are twice as wide.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `ResNet`.
    """
    kwargs["width"] = 128
    return _resnet("wide_resnet101_2", BottleneckBlock, 101, pretrained, **kwargs)
