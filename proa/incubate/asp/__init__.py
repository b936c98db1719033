"""Automatic sparsity: n of m neighbouring weights are zero."""

from ._masks import CheckMethod as CheckMethod
from ._masks import MaskAlgo as MaskAlgo
from ._masks import calculate_density as calculate_density
from ._masks import check_mask_1d as check_mask_1d
from ._masks import check_mask_2d as check_mask_2d
from ._masks import check_sparsity as check_sparsity
from ._masks import create_mask as create_mask
from ._masks import get_mask_1d as get_mask_1d
from ._masks import get_mask_2d_best as get_mask_2d_best
from ._masks import get_mask_2d_greedy as get_mask_2d_greedy
from ._prune import add_supported_layer as add_supported_layer
from ._prune import decorate as decorate
from ._prune import prune_model as prune_model
from ._prune import reset_excluded_layers as reset_excluded_layers
from ._prune import set_excluded_layers as set_excluded_layers
