"""Incubate room: what Paddle keeps beside its main rooms."""

from proa.geometric import segment_max as segment_max
from proa.geometric import segment_mean as segment_mean
from proa.geometric import segment_min as segment_min
from proa.geometric import segment_sum as segment_sum

from . import asp as asp
from . import autograd as autograd
from . import autotune as autotune
from . import cc as cc
from . import distributed as distributed
from . import jit as jit
from . import nn as nn
from . import optimizer as optimizer
from . import xpu as xpu
from ._fused import identity_loss as identity_loss
from ._fused import softmax_mask_fuse as softmax_mask_fuse
from ._fused import softmax_mask_fuse_upper_triangle as softmax_mask_fuse_upper_triangle
from ._graph import graph_khop_sampler as graph_khop_sampler
from ._graph import graph_reindex as graph_reindex
from ._graph import graph_sample_neighbors as graph_sample_neighbors
from ._graph import graph_send_recv as graph_send_recv
from ._inference import inference as inference
from .optimizer import LookAhead as LookAhead
from .optimizer import ModelAverage as ModelAverage
