"""Functions of layers on sparse tensors."""

from ._activation import leaky_relu as leaky_relu
from ._activation import relu as relu
from ._activation import relu6 as relu6
from ._activation import softmax as softmax
from ._attention import attention as attention
from ._conv import conv2d as conv2d
from ._conv import conv3d as conv3d
from ._conv import subm_conv2d as subm_conv2d
from ._conv import subm_conv2d_igemm as subm_conv2d_igemm
from ._conv import subm_conv3d as subm_conv3d
from ._conv import subm_conv3d_igemm as subm_conv3d_igemm
from ._pool import max_pool3d as max_pool3d
