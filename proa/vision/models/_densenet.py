"""DenseNet."""

from __future__ import annotations

import math
from typing import Any

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor

from ._blocks import even
from ._pretrained import with_weights

# Channels at the start, channels that a layer adds, layers of the four blocks.
_DEPTHS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
    264: (64, 32, (6, 12, 64, 48)),
}


class _ConvNorm(nn.Layer):
    """Convolution, batch normalisation, ReLU."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, padding: int) -> None:
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride, padding, bias_attr=False)
        self._batch_norm = nn.BatchNorm(outputs, act="relu")

    def forward(self, x: Tensor) -> Tensor:
        return self._batch_norm(self._conv(x))


class _NormConv(nn.Layer):
    """Batch normalisation, ReLU, convolution."""

    def __init__(self, inputs: int, outputs: int, kernel: int, padding: int = 0) -> None:
        super().__init__()
        self._batch_norm = nn.BatchNorm(inputs, act="relu")
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding, bias_attr=False)

    def forward(self, x: Tensor) -> Tensor:
        return self._conv(self._batch_norm(x))


class _DenseLayer(nn.Layer):
    """Adds `growth` channels to those that came in."""

    def __init__(self, inputs: int, growth: int, bn_size: int, dropout: float) -> None:
        super().__init__()
        self.bn_ac_func1 = _NormConv(inputs, bn_size * growth, 1)
        self.bn_ac_func2 = _NormConv(bn_size * growth, growth, 3, padding=1)
        self.dropout_func = nn.Dropout(dropout) if dropout else None

    def forward(self, x: Tensor) -> Tensor:
        added = self.bn_ac_func2(self.bn_ac_func1(x))
        if self.dropout_func is not None:
            added = self.dropout_func(added)
        return ops.concat([x, added], axis=1)


class _Transition(nn.Layer):
    """Halves the channels and the size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv_ac_func = _NormConv(channels, channels // 2, 1)
        self.pool2d_avg = nn.AvgPool2D(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.pool2d_avg(self.conv_ac_func(x))


class DenseNet(nn.Layer):
    """Each layer of a block sees the outputs of all layers before it (Huang et al., 2016).

    Args:
        layers: number of layers: 121, 161, 169, 201 or 264.
        bn_size: channels between the two convolutions of a layer, in multiples of what it adds.
        dropout: rate of the dropout after each layer.
        num_classes: size of the last layer; 0 or less leaves it out.
        with_pool: whether the last feature map is averaged.

    Raises:
        InvalidArgumentError: there is no such number of layers.

    References:
        arXiv:1608.06993. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(
        self,
        layers: int = 121,
        bn_size: int = 4,
        dropout: float = 0.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        if layers not in _DEPTHS:
            raise InvalidArgumentError(
                f"DenseNet: `layers` is {layers!r}",
                expected=f"one of {sorted(_DEPTHS)}",
                fix="choose the nearest of them",
            )
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth, counts = _DEPTHS[layers]
        self.conv1_func = _ConvNorm(3, channels, 7, 2, 3)
        self.pool2d_max = nn.MaxPool2D(3, 2, 1)
        self._stages: list[str] = []
        for stage, count in enumerate(counts, 2):
            block = nn.Sequential()
            for index in range(1, count + 1):
                layer = _DenseLayer(channels, growth, bn_size, dropout)
                block.add_sublayer(f"conv{stage}_{index}", layer)
                channels += growth
            self._add_stage(f"db_conv_{stage}", block)
            if stage < len(counts) + 1:
                self._add_stage(f"tr_conv{stage}_blk", _Transition(channels))
                channels //= 2
        self.batch_norm = nn.BatchNorm(channels, act="relu")
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.out = nn.Linear(channels, num_classes, **even(1 / math.sqrt(channels)))

    def _add_stage(self, name: str, layer: nn.Layer) -> None:
        self.add_sublayer(name, layer)
        self._stages.append(name)

    def forward(self, input: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.pool2d_max(self.conv1_func(input))
        for name in self._stages:
            x = getattr(self, name)(x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(ops.flatten(x, 1)) if self.num_classes > 0 else x


def densenet121(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 121 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `DenseNet` apart from `layers`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.densenet121(num_classes=10)
        >>> model.out.weight.shape
        [1024, 10]
    """
    return with_weights(DenseNet(layers=121, **kwargs), "densenet121", pretrained)


def densenet161(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 161 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `DenseNet` apart from `layers`.
    """
    return with_weights(DenseNet(layers=161, **kwargs), "densenet161", pretrained)


def densenet169(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 169 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `DenseNet` apart from `layers`.
    """
    return with_weights(DenseNet(layers=169, **kwargs), "densenet169", pretrained)


def densenet201(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 201 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `DenseNet` apart from `layers`.
    """
    return with_weights(DenseNet(layers=201, **kwargs), "densenet201", pretrained)


def densenet264(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 264 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `DenseNet` apart from `layers`.
    """
    return with_weights(DenseNet(layers=264, **kwargs), "densenet264", pretrained)
