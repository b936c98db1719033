"""Layers and functions that Paddle has as one kernel each."""

from . import functional as functional
from ._fused_layers import FusedBiasDropoutResidualLayerNorm as FusedBiasDropoutResidualLayerNorm
from ._fused_layers import FusedDropoutAdd as FusedDropoutAdd
from ._fused_layers import FusedLinear as FusedLinear
from ._fused_transformer import FusedFeedForward as FusedFeedForward
from ._fused_transformer import FusedMultiHeadAttention as FusedMultiHeadAttention
from ._fused_transformer import FusedTransformerEncoderLayer as FusedTransformerEncoderLayer
from ._multi_transformer import FusedMultiTransformer as FusedMultiTransformer
