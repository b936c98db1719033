"""LeNet."""

from __future__ import annotations

from proa import nn, ops
from proa.core import Tensor


class LeNet(nn.Layer):
    """Two convolutions and three linear layers, for grey images of 28×28 (LeCun et al., 1998).

    Args:
        num_classes: size of the last layer; 0 or less leaves the linear layers out.

    The input is `[n, 1, 28, 28]`, the output `[n, num_classes]` without softmax.

    Example:
        >>> import proa
        >>> model = proa.vision.models.LeNet()
        >>> model(proa.ones([2, 1, 28, 28])).shape
        [2, 10]
    """

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, stride=1, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5, stride=1, padding=0),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        if num_classes > 0:
            self.fc = nn.Sequential(
                nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes)
            )

    def forward(self, inputs: Tensor) -> Tensor:
        """Returns the scores of the classes, or the features without `fc`."""
        features = self.features(inputs)
        return self.fc(ops.flatten(features, 1)) if self.num_classes > 0 else features
