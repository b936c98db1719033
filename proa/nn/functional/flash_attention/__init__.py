"""The flash attention family, where Paddle has it: `paddle.nn.functional.flash_attention`."""

from proa.nn.attention._kernels import sdp_kernel as sdp_kernel
from proa.nn.functional._flash import flash_attention as flash_attention
from proa.nn.functional._flash import flash_attn_qkvpacked as flash_attn_qkvpacked
from proa.nn.functional._flash_packed import flash_attention_v3_varlen as flash_attention_v3_varlen
from proa.nn.functional._flash_packed import flash_attn_unpadded as flash_attn_unpadded
from proa.nn.functional._flash_packed import flash_attn_varlen_func as flash_attn_varlen_func
from proa.nn.functional._flash_packed import (
    flash_attn_varlen_qkvpacked as flash_attn_varlen_qkvpacked,
)
from proa.nn.functional._flashmask import flashmask_attention as flashmask_attention
from proa.ops import scaled_dot_product_attention as scaled_dot_product_attention
