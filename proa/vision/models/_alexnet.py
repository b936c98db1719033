"""AlexNet."""

from __future__ import annotations

import math
from typing import Any

from proa import nn, ops
from proa.core import Tensor
from proa.nn import functional as F

from ._blocks import even
from ._pretrained import with_weights


def _even(inputs: int) -> dict[str, Any]:
    return even(1 / math.sqrt(inputs), bias=True)


class _ConvPool(nn.Layer):
    """Convolution, ReLU, maximum over 3×3 at step 2."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, padding: int) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        start = _even(inputs * kernel**2)
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride, padding, **start)
        self._pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self._pool(self.relu(self._conv(x)))


class AlexNet(nn.Layer):
    """Five convolutions and three linear layers (Krizhevsky, 2014), for images of 224×224.

    Args:
        num_classes: size of the last layer; 0 or less leaves the linear layers out.

    The dropout layers scale by their rate in evaluation, not in training, as Paddle's do.

    References:
        arXiv:1404.5997. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = _ConvPool(3, 64, 11, 4, 2)
        self._conv2 = _ConvPool(64, 192, 5, 1, 2)
        self._conv3 = nn.Conv2D(192, 384, 3, padding=1, **_even(192 * 9))
        self._conv4 = nn.Conv2D(384, 256, 3, padding=1, **_even(384 * 9))
        self._conv5 = _ConvPool(256, 256, 3, 1, 1)
        if num_classes > 0:
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = nn.Linear(256 * 6 * 6, 4096, **_even(256 * 36))
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = nn.Linear(4096, 4096, **_even(256 * 36))
            self._fc8 = nn.Linear(4096, num_classes, **_even(256 * 36))

    def forward(self, inputs: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, 224, 224]`."""
        x = self._conv2(self._conv1(inputs))
        x = F.relu(self._conv4(F.relu(self._conv3(x))))
        x = self._conv5(x)
        if self.num_classes > 0:
            x = self._drop1(ops.flatten(x, 1))
            x = self._drop2(F.relu(self._fc6(x)))
            x = self._fc8(F.relu(self._fc7(x)))
        return x


def alexnet(pretrained: bool = False, **kwargs: Any) -> AlexNet:
    """AlexNet.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `AlexNet`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.alexnet(num_classes=0)
        >>> model(proa.ones([1, 3, 67, 67])).shape
        [1, 256, 1, 1]
    """
    return with_weights(AlexNet(**kwargs), "alexnet", pretrained)
