"""The basic block of a residual network."""

from ._block import ResNetBasicBlock as ResNetBasicBlock
from ._block import resnet_basic_block as resnet_basic_block
