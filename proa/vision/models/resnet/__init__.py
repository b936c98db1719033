"""The blocks that residual networks are built of, for models of one's own."""

from __future__ import annotations

from proa.vision.models._resnet import BasicBlock as BasicBlock
from proa.vision.models._resnet import BottleneckBlock as BottleneckBlock
from proa.vision.models._resnet import ResNet as ResNet
