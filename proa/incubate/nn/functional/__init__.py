"""Functions that Paddle has as one kernel each, and XLA fuses of their parts."""

from proa.ops import swiglu as swiglu

from ._activation import fused_bias_act as fused_bias_act
from ._activation import fused_swiglu_weighted_bwd as fused_swiglu_weighted_bwd
from ._attention import fused_multi_head_attention as fused_multi_head_attention
from ._attention import (
    variable_length_memory_efficient_attention as variable_length_memory_efficient_attention,
)
from ._block_cache import block_multihead_attention as block_multihead_attention
from ._cache import blha_get_max_len as blha_get_max_len
from ._cache import masked_multihead_attention as masked_multihead_attention
from ._dropout import (
    fused_bias_dropout_residual_layer_norm as fused_bias_dropout_residual_layer_norm,
)
from ._dropout import fused_dropout_add as fused_dropout_add
from ._feedforward import fused_feedforward as fused_feedforward
from ._float8 import fp8_gemm_blockwise as fp8_gemm_blockwise
from ._float8 import fp8_quant_blockwise as fp8_quant_blockwise
from ._float8 import fused_act_dequant as fused_act_dequant
from ._float8 import fused_stack_transpose_quant as fused_stack_transpose_quant
from ._float8 import fused_transpose_split_quant as fused_transpose_split_quant
from ._float8 import fused_transpose_wlch_split_quant as fused_transpose_wlch_split_quant
from ._float8 import fused_weighted_swiglu_act_quant as fused_weighted_swiglu_act_quant
from ._gradients import (
    cross_entropy_with_softmax_bwd_w_downcast as cross_entropy_with_softmax_bwd_w_downcast,
)
from ._gradients import embedding_grad_add_to_ as embedding_grad_add_to_
from ._linear import fused_linear as fused_linear
from ._linear import fused_linear_activation as fused_linear_activation
from ._linear import fused_matmul_bias as fused_matmul_bias
from ._moe import build_src_rank_and_local_expert_id as build_src_rank_and_local_expert_id
from ._moe import cal_aux_loss as cal_aux_loss
from ._moe import expand_modality_expert_id as expand_modality_expert_id
from ._moe import int_bincount as int_bincount
from ._moe import moe_combine as moe_combine
from ._moe import moe_gate_dispatch as moe_gate_dispatch
from ._moe import moe_gate_dispatch_and_quant as moe_gate_dispatch_and_quant
from ._moe import (
    moe_gate_dispatch_partial_nosoftmaxtopk as moe_gate_dispatch_partial_nosoftmaxtopk,
)
from ._moe import moe_gate_dispatch_permute as moe_gate_dispatch_permute
from ._norm import fast_ln as fast_ln
from ._norm import fast_rms_norm as fast_rms_norm
from ._norm import fused_layer_norm as fused_layer_norm
from ._norm import fused_rms_norm as fused_rms_norm
from ._norm import fused_rms_norm_ext as fused_rms_norm_ext
from ._rotary import fused_rotary_position_embedding as fused_rotary_position_embedding
from ._transformer import fused_multi_transformer as fused_multi_transformer
