"""GoogLeNet."""

from __future__ import annotations

import math
from typing import Any

from proa import nn, ops
from proa.core import Tensor
from proa.nn import functional as F

from ._blocks import even
from ._pretrained import with_weights

# Channels: input; 1×1; before 3×3, 3×3; before 5×5, 5×5; after the pooling.
_INCEPTIONS = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}


class _Conv(nn.Layer):
    """A convolution without bias that keeps the size at stride 1."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1) -> None:
        super().__init__()
        self._conv = nn.Conv2D(
            inputs, outputs, kernel, stride, padding=(kernel - 1) // 2, bias_attr=False
        )

    def forward(self, x: Tensor) -> Tensor:
        return self._conv(x)


class _Inception(nn.Layer):
    """Windows of 1×1, 3×3, 5×5 and a pooling side by side."""

    def __init__(self, channels: tuple[int, ...]) -> None:
        super().__init__()
        inputs, single, before3, three, before5, five, pooled = channels
        self._conv1 = _Conv(inputs, single, 1)
        self._conv3r = _Conv(inputs, before3, 1)
        self._conv3 = _Conv(before3, three, 3)
        self._conv5r = _Conv(inputs, before5, 1)
        self._conv5 = _Conv(before5, five, 5)
        self._pool = nn.MaxPool2D(3, 1, 1)
        self._convprj = _Conv(inputs, pooled, 1)

    def forward(self, x: Tensor) -> Tensor:
        branches = [
            self._conv1(x),
            self._conv3(self._conv3r(x)),
            self._conv5(self._conv5r(x)),
            self._convprj(self._pool(x)),
        ]
        return F.relu(ops.concat(branches, axis=1))


class GoogLeNet(nn.Layer):
    """Inception modules with two extra outputs for training (Szegedy et al., 2014).

    Args:
        num_classes: size of the last layers; 0 or less leaves them out.
        with_pool: whether the last feature maps are averaged.

    The input is `[n, 3, 224, 224]`; a call returns the scores and those of the two extra outputs.

    References:
        arXiv:1409.4842. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv = _Conv(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(3, 2)
        self._conv_1 = _Conv(64, 64, 1)
        self._conv_2 = _Conv(64, 192, 3)
        for name, channels in _INCEPTIONS.items():
            self.add_sublayer(f"_ince{name}", _Inception(channels))
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(5, 3)
            self._pool_o2 = nn.AvgPool2D(5, 3)
        if num_classes > 0:
            self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = nn.Linear(1024, num_classes, **even(math.sqrt(3 / 1024)))
            for index, inputs in ((1, 512), (2, 528)):
                self.add_sublayer(f"_conv_o{index}", _Conv(inputs, 128, 1))
                self.add_sublayer(
                    f"_fc_o{index}", nn.Linear(1152, 1024, **even(math.sqrt(3 / 2048)))
                )
                drop = nn.Dropout(0.7, mode="downscale_in_infer")
                self.add_sublayer(f"_drop_o{index}", drop)
                out = nn.Linear(1024, num_classes, **even(math.sqrt(3 / 1024)))
                self.add_sublayer(f"_out{index}", out)

    def _extra(self, x: Tensor, index: int) -> Tensor:
        if self.with_pool:
            x = getattr(self, f"_pool_o{index}")(x)
        if self.num_classes > 0:
            x = getattr(self, f"_conv_o{index}")(x)
            x = getattr(self, f"_fc_o{index}")(ops.flatten(x, 1))
            if index == 1:
                # Weights trained with Paddle expect no ReLU in the second extra output.
                x = F.relu(x)
            x = getattr(self, f"_out{index}")(getattr(self, f"_drop_o{index}")(x))
        return x

    def forward(self, inputs: Tensor) -> list[Tensor]:
        """Returns the scores of the classes, then those of the two extra outputs."""
        x = self._pool(self._conv(inputs))
        x = self._pool(self._conv_2(self._conv_1(x)))
        extras = {}
        for name in _INCEPTIONS:
            x = getattr(self, f"_ince{name}")(x)
            if name in ("4a", "4d"):
                extras[name] = x
            elif name in ("3b", "4e"):
                x = self._pool(x)
        if self.with_pool:
            x = self._pool_5(x)
        if self.num_classes > 0:
            x = self._fc_out(ops.squeeze(self._drop(x), axis=[2, 3]))
        return [x, self._extra(extras["4a"], 1), self._extra(extras["4d"], 2)]


def googlenet(pretrained: bool = False, **kwargs: Any) -> GoogLeNet:
    """GoogLeNet.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `GoogLeNet`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.googlenet(num_classes=10)
        >>> model._out2.weight.shape
        [1024, 10]
    """
    return with_weights(GoogLeNet(**kwargs), "googlenet", pretrained)
