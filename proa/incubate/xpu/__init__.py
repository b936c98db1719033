"""Layers that Paddle has one kernel of its XPU for; here they run everywhere."""

from . import resnet_block as resnet_block
from .resnet_block import ResNetBasicBlock as ResNetBasicBlock
