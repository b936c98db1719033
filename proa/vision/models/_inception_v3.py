"""Inception, third version."""

from __future__ import annotations

import math
from typing import Any

from proa import nn, ops
from proa.core import Tensor

from ._blocks import ConvNormActivation, even
from ._pretrained import with_weights

# Name, channels of input and output, window, stride, padding.
_Row = tuple[str, int, int, Any, int, Any]


class _Block(nn.Layer):
    """Convolutions by name; the blocks say how they are chained."""

    def __init__(self, rows: tuple[_Row, ...]) -> None:
        super().__init__()
        for name, inputs, outputs, kernel, stride, padding in rows:
            layer = ConvNormActivation(inputs, outputs, kernel, stride, padding)
            self.add_sublayer(name, layer)

    def _chain(self, x: Tensor, prefix: str, *names: str) -> Tensor:
        for name in names:
            x = getattr(self, f"{prefix}{name}")(x)
        return x


class _Stem(_Block):
    def __init__(self) -> None:
        super().__init__(
            (
                ("conv_1a_3x3", 3, 32, 3, 2, 0),
                ("conv_2a_3x3", 32, 32, 3, 1, 0),
                ("conv_2b_3x3", 32, 64, 3, 1, 1),
                ("conv_3b_1x1", 64, 80, 1, 1, 0),
                ("conv_4a_3x3", 80, 192, 3, 1, 0),
            )
        )
        self.max_pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.max_pool(self._chain(x, "conv_", "1a_3x3", "2a_3x3", "2b_3x3"))
        return self.max_pool(self._chain(x, "conv_", "3b_1x1", "4a_3x3"))


class _Pooled(_Block):
    """A block with a branch that averages 3×3 places."""

    def __init__(self, rows: tuple[_Row, ...]) -> None:
        super().__init__(rows)
        self.branch_pool = nn.AvgPool2D(3, 1, 1, exclusive=False)

    def _pooled(self, x: Tensor) -> Tensor:
        return self._chain(x, "branch_pool", "", "_conv")


class _InceptionA(_Pooled):
    def __init__(self, channels: int, pooled: int) -> None:
        super().__init__(
            (
                ("branch1x1", channels, 64, 1, 1, 0),
                ("branch5x5_1", channels, 48, 1, 1, 0),
                ("branch5x5_2", 48, 64, 5, 1, 2),
                ("branch3x3dbl_1", channels, 64, 1, 1, 0),
                ("branch3x3dbl_2", 64, 96, 3, 1, 1),
                ("branch3x3dbl_3", 96, 96, 3, 1, 1),
                ("branch_pool_conv", channels, pooled, 1, 1, 0),
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        branches = [
            self.branch1x1(x),
            self._chain(x, "branch5x5_", "1", "2"),
            self._chain(x, "branch3x3dbl_", "1", "2", "3"),
            self._pooled(x),
        ]
        return ops.concat(branches, axis=1)


class _InceptionB(_Block):
    def __init__(self, channels: int) -> None:
        super().__init__(
            (
                ("branch3x3", channels, 384, 3, 2, 0),
                ("branch3x3dbl_1", channels, 64, 1, 1, 0),
                ("branch3x3dbl_2", 64, 96, 3, 1, 1),
                ("branch3x3dbl_3", 96, 96, 3, 2, 0),
            )
        )
        self.branch_pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        double = self._chain(x, "branch3x3dbl_", "1", "2", "3")
        return ops.concat([self.branch3x3(x), double, self.branch_pool(x)], axis=1)


class _InceptionC(_Pooled):
    def __init__(self, channels: int, inner: int) -> None:
        wide, high = {"kernel": (1, 7), "padding": (0, 3)}, {"kernel": (7, 1), "padding": (3, 0)}
        chains = {"branch7x7": (wide, high), "branch7x7dbl": (high, wide, high, wide)}
        rows: list[_Row] = [("branch1x1", channels, 192, 1, 1, 0)]
        for name, windows in chains.items():
            rows.append((f"{name}_1", channels, inner, 1, 1, 0))
            for index, window in enumerate(windows, 2):
                outputs = 192 if index == len(windows) + 1 else inner
                rows.append(
                    (f"{name}_{index}", inner, outputs, window["kernel"], 1, window["padding"])
                )
        rows.append(("branch_pool_conv", channels, 192, 1, 1, 0))
        super().__init__(tuple(rows))

    def forward(self, x: Tensor) -> Tensor:
        branches = [
            self.branch1x1(x),
            self._chain(x, "branch7x7_", "1", "2", "3"),
            self._chain(x, "branch7x7dbl_", "1", "2", "3", "4", "5"),
            self._pooled(x),
        ]
        return ops.concat(branches, axis=1)


class _InceptionD(_Block):
    def __init__(self, channels: int) -> None:
        super().__init__(
            (
                ("branch3x3_1", channels, 192, 1, 1, 0),
                ("branch3x3_2", 192, 320, 3, 2, 0),
                ("branch7x7x3_1", channels, 192, 1, 1, 0),
                ("branch7x7x3_2", 192, 192, (1, 7), 1, (0, 3)),
                ("branch7x7x3_3", 192, 192, (7, 1), 1, (3, 0)),
                ("branch7x7x3_4", 192, 192, 3, 2, 0),
            )
        )
        self.branch_pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        three = self._chain(x, "branch3x3_", "1", "2")
        seven = self._chain(x, "branch7x7x3_", "1", "2", "3", "4")
        return ops.concat([three, seven, self.branch_pool(x)], axis=1)


class _InceptionE(_Pooled):
    def __init__(self, channels: int) -> None:
        super().__init__(
            (
                ("branch1x1", channels, 320, 1, 1, 0),
                ("branch3x3_1", channels, 384, 1, 1, 0),
                ("branch3x3_2a", 384, 384, (1, 3), 1, (0, 1)),
                ("branch3x3_2b", 384, 384, (3, 1), 1, (1, 0)),
                ("branch3x3dbl_1", channels, 448, 1, 1, 0),
                ("branch3x3dbl_2", 448, 384, 3, 1, 1),
                ("branch3x3dbl_3a", 384, 384, (1, 3), 1, (0, 1)),
                ("branch3x3dbl_3b", 384, 384, (3, 1), 1, (1, 0)),
                ("branch_pool_conv", channels, 192, 1, 1, 0),
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3_1(x)
        double = self._chain(x, "branch3x3dbl_", "1", "2")
        branches = [
            self.branch1x1(x),
            self.branch3x3_2a(three),
            self.branch3x3_2b(three),
            self.branch3x3dbl_3a(double),
            self.branch3x3dbl_3b(double),
            self._pooled(x),
        ]
        return ops.concat(branches, axis=1)


class InceptionV3(nn.Layer):
    """Inception modules of factorised convolutions (Szegedy et al., 2015).

    Args:
        num_classes: size of the last layer; 0 or less leaves it out.
        with_pool: whether the last feature map is averaged.

    Images of 299×299 are usual; 75×75 is the least.

    References:
        arXiv:1512.00567. Names of parameters: PaddlePaddle 3.3.1.
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inception_stem = _Stem()
        blocks = [
            *(_InceptionA(192, 32), _InceptionA(256, 64), _InceptionA(288, 64)),
            _InceptionB(288),
            *(_InceptionC(768, inner) for inner in (128, 160, 160, 192)),
            _InceptionD(768),
            *(_InceptionE(1280), _InceptionE(2048)),
        ]
        self.inception_block_list = nn.LayerList(blocks)
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = nn.Linear(2048, num_classes, **even(1 / math.sqrt(2048)))

    def forward(self, x: Tensor) -> Tensor:
        """Returns the scores of the classes for images `[n, 3, h, w]`."""
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        return self.fc(self.dropout(ops.flatten(x, 1))) if self.num_classes > 0 else x


def inception_v3(pretrained: bool = False, **kwargs: Any) -> InceptionV3:
    """Inception, third version.

    Args:
        pretrained: True, or a path, to load weights from a local file.
        **kwargs: arguments of `InceptionV3`.

    Example:
        >>> import proa
        >>> model = proa.vision.models.inception_v3(num_classes=10)
        >>> model.fc.weight.shape
        [2048, 10]
    """
    return with_weights(InceptionV3(**kwargs), "inception_v3", pretrained)
