"""Static nn room: branches and loops on tensors, and layers, as functions."""

from ._control_flow import case as case
from ._control_flow import cond as cond
from ._control_flow import switch_case as switch_case
from ._control_flow import while_loop as while_loop
from ._convolutions import conv2d_transpose as conv2d_transpose
from ._convolutions import conv3d as conv3d
from ._convolutions import conv3d_transpose as conv3d_transpose
from ._convolutions import deform_conv2d as deform_conv2d
from ._layers import batch_norm as batch_norm
from ._layers import bilinear_tensor_product as bilinear_tensor_product
from ._layers import conv2d as conv2d
from ._layers import embedding as embedding
from ._layers import fc as fc
from ._layers import group_norm as group_norm
from ._layers import instance_norm as instance_norm
from ._layers import layer_norm as layer_norm
from ._layers import prelu as prelu
from ._layers import sparse_embedding as sparse_embedding
from ._layers import spectral_norm as spectral_norm
from ._sampled import nce as nce
