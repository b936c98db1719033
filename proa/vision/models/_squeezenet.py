"""SqueezeNet."""

from __future__ import annotations

from typing import Any

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor
from proa.nn import functional as F

from ._pretrained import with_weights

# Channels after squeezing of the eight fire modules; each expands to eight times as many.
_SQUEEZED = (16, 16, 32, 32, 48, 48, 64, 64)
# Window, channels and padding of the first convolution; fire modules that a pooling follows.
_VERSIONS = {"1.0": (7, 96, 0, (3, 7)), "1.1": (3, 64, 1, (2, 4))}


class _ConvReLU(nn.Layer):
    def __init__(self, inputs: int, outputs: int, kernel: int, padding: int = 0) -> None:
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self._conv(x))


class _Fire(nn.Layer):
    """1×1 to few channels, then 1×1 and 3×3 side by side."""

    def __init__(self, inputs: int, squeezed: int) -> None:
        super().__init__()
        self._conv = _ConvReLU(inputs, squeezed, 1)
        self._conv_path1 = _ConvReLU(squeezed, 4 * squeezed, 1)
        self._conv_path2 = _ConvReLU(squeezed, 4 * squeezed, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self._conv(x)
        return ops.concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


class SqueezeNet(nn.Layer):
    """Fire modules instead of large convolutions (Iandola et al., 2016).

    Args:
        version: `"1.0"`, or `"1.1"`, which takes less than half of the computation.
        num_classes: number of classes; 0 or less leaves the last convolution out.
        with_pool: whether the last feature map is averaged.

    Raises:
        InvalidArgumentError: there is no such version.

    References:
        arXiv:1602.07360. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        if version not in _VERSIONS:
            raise InvalidArgumentError(
                f"SqueezeNet: `version` is {version!r}",
                expected="'1.0' or '1.1'",
                fix="pass the text '1.1'",
            )
        kernel, channels, padding, self._pooled = _VERSIONS[version]
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        self._conv = nn.Conv2D(3, channels, kernel, stride=2, padding=padding)
        self._pool = nn.MaxPool2D(3, 2)
        for index, squeezed in enumerate(_SQUEEZED, 1):
            self.add_sublayer(f"_conv{index}", _Fire(channels, squeezed))
            channels = 8 * squeezed
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        self._conv9 = nn.Conv2D(512, num_classes, 1) if num_classes > 0 else None
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self._pool(F.relu(self._conv(inputs)))
        for index in range(1, len(_SQUEEZED) + 1):
            x = getattr(self, f"_conv{index}")(x)
            if index in self._pooled:
                x = self._pool(x)
        if self._conv9 is not None:
            x = self._conv9(self._drop(x))
        if self.with_pool:
            x = ops.squeeze(self._avg_pool(F.relu(x)), axis=[2, 3])
        return x


def squeezenet1_0(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.0.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `SqueezeNet`.
    """
    return with_weights(SqueezeNet("1.0", **kwargs), "squeezenet1_0", pretrained)


def squeezenet1_1(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.1.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `SqueezeNet`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.squeezenet1_1(num_classes=10)
        >>> model(proa.ones([1, 3, 32, 32])).shape
        [1, 10]
    """
    return with_weights(SqueezeNet("1.1", **kwargs), "squeezenet1_1", pretrained)
