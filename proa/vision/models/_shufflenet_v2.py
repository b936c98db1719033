"""ShuffleNet, second version."""

from __future__ import annotations

from typing import Any

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor
from proa.nn import functional as F

from ._blocks import ConvNormActivation
from ._pretrained import with_weights

_COUNTS = (4, 8, 4)
# Channels after the first convolution, of the three stages, and after the last convolution.
_WIDTHS = {
    0.25: (24, 24, 48, 96, 512),
    0.33: (24, 32, 64, 128, 512),
    0.5: (24, 48, 96, 192, 1024),
    1.0: (24, 116, 232, 464, 1024),
    1.5: (24, 176, 352, 704, 1024),
    2.0: (24, 224, 488, 976, 2048),
}
_ACTIVATIONS = {"relu": nn.ReLU, "swish": nn.Swish, None: None}


def _depthwise(channels: int, stride: int) -> ConvNormActivation:
    return ConvNormActivation(channels, channels, 3, stride, groups=channels, activation_layer=None)


class _Unit(nn.Layer):
    """Half of the channels pass as they are; then the halves are interleaved."""

    def __init__(self, channels: int, activation: Any) -> None:
        super().__init__()
        half = channels // 2
        self._conv_pw = ConvNormActivation(half, half, 1, activation_layer=activation)
        self._conv_dw = _depthwise(half, 1)
        self._conv_linear = ConvNormActivation(half, half, 1, activation_layer=activation)

    def forward(self, x: Tensor) -> Tensor:
        kept, changed = ops.split(x, 2, axis=1)
        changed = self._conv_linear(self._conv_dw(self._conv_pw(changed)))
        return F.channel_shuffle(ops.concat([kept, changed], axis=1), 2)


class _DownUnit(nn.Layer):
    """Halves the size; both halves of the output are convolutions of the whole input."""

    def __init__(self, inputs: int, outputs: int, activation: Any) -> None:
        super().__init__()
        half = outputs // 2
        self._conv_dw_1 = _depthwise(inputs, 2)
        self._conv_linear_1 = ConvNormActivation(inputs, half, 1, activation_layer=activation)
        self._conv_pw_2 = ConvNormActivation(inputs, half, 1, activation_layer=activation)
        self._conv_dw_2 = _depthwise(half, 2)
        self._conv_linear_2 = ConvNormActivation(half, half, 1, activation_layer=activation)

    def forward(self, x: Tensor) -> Tensor:
        first = self._conv_linear_1(self._conv_dw_1(x))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(x)))
        return F.channel_shuffle(ops.concat([first, second], axis=1), 2)


class ShuffleNetV2(nn.Layer):
    """Split, convolve one half, shuffle the channels (Ma et al., 2018).

    Args:
        scale: width: 0.25, 0.33, 0.5, 1.0, 1.5 or 2.0.
        act: activation, `"relu"` or `"swish"`; None for none.
        num_classes: size of the last layer; 0 or less leaves it out.
        with_pool: whether the last feature map is averaged.

    Raises:
        InvalidArgumentError: there is no such scale or activation.

    Example:
        >>> import proa
        >>> model = proa.vision.models.ShuffleNetV2(scale=0.25, num_classes=10)
        >>> model._fc.weight.shape
        [512, 10]

    References:
        arXiv:1807.11164. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(
        self,
        scale: float = 1.0,
        act: str | None = "relu",
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        for name, value, choices in (("scale", scale, _WIDTHS), ("act", act, _ACTIVATIONS)):
            if value not in choices:
                raise InvalidArgumentError(
                    f"ShuffleNetV2: `{name}` is {value!r}",
                    expected="one of " + ", ".join(map(repr, choices)),
                    fix="choose one of them",
                )
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        activation = _ACTIVATIONS[act]
        channels, *stages, last = _WIDTHS[scale]
        self._conv1 = ConvNormActivation(3, channels, 3, 2, 1, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(3, 2, 1)
        self._units: list[str] = []
        for stage, (width, count) in enumerate(zip(stages, _COUNTS, strict=True), 2):
            for index in range(1, count + 1):
                is_first = index == 1
                unit = _DownUnit(channels, width, activation) if is_first else None
                self.add_sublayer(f"{stage}_{index}", unit or _Unit(width, activation))
                self._units.append(f"{stage}_{index}")
            channels = width
        self._last_conv = ConvNormActivation(channels, last, 1, activation_layer=activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(last, num_classes)

    def forward(self, inputs: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self._max_pool(self._conv1(inputs))
        for name in self._units:
            x = getattr(self, name)(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(ops.flatten(x, 1)) if self.num_classes > 0 else x


def shufflenet_v2_x0_25(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 0.25.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.shufflenet_v2_x0_25(num_classes=10)
        >>> model(proa.ones([1, 3, 32, 32])).shape
        [1, 10]
    """
    model = ShuffleNetV2(scale=0.25, act="relu", **kwargs)
    return with_weights(model, "shufflenet_v2_x0_25", pretrained)


def shufflenet_v2_x0_33(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 0.33.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.
    """
    model = ShuffleNetV2(scale=0.33, act="relu", **kwargs)
    return with_weights(model, "shufflenet_v2_x0_33", pretrained)


def shufflenet_v2_x0_5(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 0.5.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.
    """
    model = ShuffleNetV2(scale=0.5, act="relu", **kwargs)
    return with_weights(model, "shufflenet_v2_x0_5", pretrained)


def shufflenet_v2_x1_0(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 1.0.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.
    """
    model = ShuffleNetV2(scale=1.0, act="relu", **kwargs)
    return with_weights(model, "shufflenet_v2_x1_0", pretrained)


def shufflenet_v2_x1_5(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 1.5.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.
    """
    model = ShuffleNetV2(scale=1.5, act="relu", **kwargs)
    return with_weights(model, "shufflenet_v2_x1_5", pretrained)


def shufflenet_v2_x2_0(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 2.0.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.
    """
    model = ShuffleNetV2(scale=2.0, act="relu", **kwargs)
    return with_weights(model, "shufflenet_v2_x2_0", pretrained)


def shufflenet_v2_swish(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet, second version, of width 1.0 with swish.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: `num_classes` and `with_pool` of `ShuffleNetV2`.
    """
    model = ShuffleNetV2(scale=1.0, act="swish", **kwargs)
    return with_weights(model, "shufflenet_v2_swish", pretrained)
