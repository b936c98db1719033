"""Functions of layers with PyTorch's arguments."""

from ._functions import linear as linear
from ._functions import pad as pad
from ._functions import scaled_dot_product_attention as scaled_dot_product_attention
from ._functions import softmax as softmax
from ._functions import unfold as unfold
