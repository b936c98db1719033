"""Functions of several tensors, under the names of `paddle.functional`; `split` is PyTorch's."""

from proa.compat import split as split
from proa.ops import atleast_1d as atleast_1d
from proa.ops import atleast_2d as atleast_2d
from proa.ops import atleast_3d as atleast_3d
from proa.ops import broadcast_shapes as broadcast_shapes
from proa.ops import einsum as einsum
from proa.ops import meshgrid as meshgrid
from proa.ops import norm as norm
from proa.ops import unique_consecutive as unique_consecutive
