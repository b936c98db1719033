"""Functions of layers on sparse tensors."""

from ._activation import leaky_relu as leaky_relu
from ._activation import relu as relu
from ._activation import relu6 as relu6
from ._activation import softmax as softmax
from ._attention import attention as attention
