"""Layers on sparse tensors."""

from . import functional as functional
from ._layers import BatchNorm as BatchNorm
from ._layers import LeakyReLU as LeakyReLU
from ._layers import ReLU as ReLU
from ._layers import ReLU6 as ReLU6
from ._layers import Softmax as Softmax
