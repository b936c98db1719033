"""Weights and activations of few bits."""

from . import quant_layers as quant_layers
from ._stub import Stub as Stub
from ._weight_only import llm_int8_linear as llm_int8_linear
from ._weight_only import weight_dequantize as weight_dequantize
from ._weight_only import weight_only_linear as weight_only_linear
from ._weight_only import weight_quantize as weight_quantize
