"""Passes: rewriting Programs without changing what they compute."""

from ._batch_norm import conv_batch_norm_folding as conv_batch_norm_folding
from ._clean import common_subexpressions as common_subexpressions
from ._clean import dead_code as dead_code
from ._clean import identity_and_dropout_removal as identity_and_dropout_removal
from ._constants import bind as bind
from ._constants import constant_folding as constant_folding
from ._constants import lift_constants as lift_constants
from ._fuse import fuse_attention as fuse_attention
from ._fuse import fuse_bias_activation as fuse_bias_activation
from ._fuse import fuse_layer_norm as fuse_layer_norm
from ._layout import layout_nhwc as layout_nhwc
from ._pass import PIPELINES as PIPELINES
from ._pass import Pass as Pass
from ._pass import PassReport as PassReport
from ._pass import Step as Step
from ._pass import all_passes as all_passes
from ._pass import apply_passes as apply_passes
from ._pass import get_pass as get_pass
from ._pass import register_pass as register_pass
from ._pass import short_number as short_number
from ._precision import precision as precision
from ._recompute import recompute as recompute
from ._sharding import sharding as sharding
