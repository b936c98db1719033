"""Layers on sparse tensors."""

from . import functional as functional
from ._conv import Conv2D as Conv2D
from ._conv import Conv3D as Conv3D
from ._conv import SubmConv2D as SubmConv2D
from ._conv import SubmConv3D as SubmConv3D
from ._layers import BatchNorm as BatchNorm
from ._layers import LeakyReLU as LeakyReLU
from ._layers import MaxPool3D as MaxPool3D
from ._layers import ReLU as ReLU
from ._layers import ReLU6 as ReLU6
from ._layers import Softmax as Softmax
from ._layers import SyncBatchNorm as SyncBatchNorm
