"""Static nn room: branches and loops on tensors, and layers, as functions."""

from ._control_flow import case as case
from ._control_flow import cond as cond
from ._control_flow import switch_case as switch_case
from ._control_flow import while_loop as while_loop
from ._layers import batch_norm as batch_norm
from ._layers import conv2d as conv2d
from ._layers import embedding as embedding
from ._layers import fc as fc
from ._layers import layer_norm as layer_norm
