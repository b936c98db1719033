"""VGG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import nn, ops
from proa.core import Tensor

from ._pretrained import with_weights

_WIDTHS = (64, 128, 256, 512, 512)
_COUNTS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


class VGG(nn.Layer):
    """Stacks of 3×3 convolutions and three linear layers (Simonyan and Zisserman, 2014).

    Args:
        features: the layers before the linear ones; their output has 512 channels.
        num_classes: size of the last layer; 0 or less leaves the linear layers out.
        with_pool: whether the features are averaged to 7×7.

    References:
        arXiv:1409.1556. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, features: nn.Layer, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.features = features
        self.num_classes, self.with_pool = num_classes, with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, num_classes),
            )

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(ops.flatten(x, 1)) if self.num_classes > 0 else x


def make_layers(cfg: Sequence[int | str], batch_norm: bool = False) -> nn.Sequential:
    """The features of a VGG, for a model of one's own.

    Args:
        cfg: output channels of each convolution, and `"M"` for each pool.
        batch_norm: whether a batch normalisation follows each convolution.

    Examples:
        >>> from proa.vision.models.vgg import VGG, make_layers
        >>> model = VGG(make_layers([8, "M", 512, "M"]), num_classes=0, with_pool=False)
        >>> len(model.features)
        6
    """
    layers: list[nn.Layer] = []
    channels = 3
    for width in cfg:
        if isinstance(width, str):
            layers.append(nn.MaxPool2D(2, 2))
            continue
        layers.append(nn.Conv2D(channels, width, 3, padding=1))
        layers += [nn.BatchNorm2D(width), nn.ReLU()] if batch_norm else [nn.ReLU()]
        channels = width
    return nn.Sequential(*layers)


def _features(depth: int, batch_norm: bool) -> nn.Sequential:
    stages = zip(_WIDTHS, _COUNTS[depth], strict=True)
    return make_layers([each for w, count in stages for each in (*[w] * count, "M")], batch_norm)


def _vgg(depth: int, pretrained: bool, batch_norm: bool, kwargs: Any) -> VGG:
    name = f"vgg{depth}_bn" if batch_norm else f"vgg{depth}"
    return with_weights(VGG(_features(depth, batch_norm), **kwargs), name, pretrained)


def vgg11(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 11 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        batch_norm: whether a batch normalisation follows each convolution.
        **kwargs: arguments of `VGG`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.vgg11(num_classes=0, with_pool=False)
        >>> model(proa.ones([1, 3, 32, 32])).shape
        [1, 512, 1, 1]
    """
    return _vgg(11, pretrained, batch_norm, kwargs)


def vgg13(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 13 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        batch_norm: whether a batch normalisation follows each convolution.
        **kwargs: arguments of `VGG`.
    """
    return _vgg(13, pretrained, batch_norm, kwargs)


def vgg16(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 16 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        batch_norm: whether a batch normalisation follows each convolution.
        **kwargs: arguments of `VGG`.
    """
    return _vgg(16, pretrained, batch_norm, kwargs)


def vgg19(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 19 layers.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        batch_norm: whether a batch normalisation follows each convolution.
        **kwargs: arguments of `VGG`.
    """
    return _vgg(19, pretrained, batch_norm, kwargs)
