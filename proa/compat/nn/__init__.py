"""Layers with PyTorch's arguments and layouts of parameters."""

from . import functional as functional
from ._attention import MultiheadAttention as MultiheadAttention
from ._layers import AvgPool1D as AvgPool1D
from ._layers import AvgPool1d as AvgPool1d
from ._layers import AvgPool2D as AvgPool2D
from ._layers import AvgPool2d as AvgPool2d
from ._layers import AvgPool3D as AvgPool3D
from ._layers import AvgPool3d as AvgPool3d
from ._layers import Linear as Linear
from ._layers import Softmax as Softmax
from ._layers import Unfold as Unfold
