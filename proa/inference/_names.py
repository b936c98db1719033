"""Names of ops in Paddle's older Programs, and of the kernels they use in Paddle 3.3.1."""

from __future__ import annotations

#: Old name and kernel, where the latter is not the former without its version. Facts, read off
#: by asking Paddle 3.3.1 for each of its ops.
_RENAMED = """
arg_max argmax  arg_min argmin  bilinear_interp legacy_bilinear_interp
bilinear_tensor_product bilinear  brelu hardtanh  crop legacy_crop  crop_tensor crop
c_sync_calc_stream sync_calc_stream  deformable_conv_v1 deformable_conv  determinant det
elementwise_add add  elementwise_div divide  elementwise_floordiv floor_divide
elementwise_fmax fmax  elementwise_fmin fmin  elementwise_heaviside heaviside
elementwise_max maximum  elementwise_min minimum  elementwise_mod remainder
elementwise_mul multiply  elementwise_sub subtract  expand legacy_expand  fill_any fill
fill_any_like full_like  fill_constant full
fill_constant_batch_size_like full_batch_size_like  flatten_contiguous_range flatten
gaussian_random gaussian  generate_proposals legacy_generate_proposals
graph_reindex reindex_graph  graph_send_recv send_u_recv  graph_send_ue_recv send_ue_recv
graph_send_uv send_uv  grid_sampler grid_sample  hard_shrink hardshrink
hard_sigmoid hardsigmoid  hard_swish hardswish  hierarchical_sigmoid hsigmoid_loss
lookup_table_v2 embedding  matmul legacy_matmul  mean mean_all  mul matmul_with_flatten
nearest_interp legacy_nearest_interp  range arange  reduce_all all  reduce_amax amax
reduce_amin amin  reduce_any any  reduce_max max  reduce_mean mean  reduce_min min
reduce_prod prod  reduce_sum sum  reshape legacy_reshape  reshape2 reshape_with_xshape
save_combine save_combine_tensor  size numel  slogdeterminant slogdet
softmax_with_cross_entropy cross_entropy_with_softmax  sum add_n  top_k topk_v1
top_k_v2 topk  uniform_random uniform  uniform_random_inplace uniform_inplace
where_index nonzero  yolov3_loss yolo_loss
""".split()
_KERNELS = dict(zip(_RENAMED[::2], _RENAMED[1::2], strict=True))
#: Names that end like a version and keep it.
_KEPT = frozenset(
    "atan2 conv2d cross_entropy2 cross_entropy_grad2 depthwise_conv2d fetch_v2 "
    "flashmask_attention_v2 flatten2 linear_v2 log2 max_pool2d_v2 pool2d range_v2 recv_v2 "
    "send_v2 slogdet_v2".split()
)


def _get_phi_kernel_name(op_name: str) -> str:
    """Returns the name of the kernel that an op of an older Program uses in Paddle.

    Args:
        op_name: the op's name in a ProgramDesc.

    Examples:
        >>> from proa.inference import _get_phi_kernel_name
        >>> _get_phi_kernel_name("elementwise_add"), _get_phi_kernel_name("transpose2")
        ('add', 'transpose')
    """
    if op_name in _KERNELS:
        return _KERNELS[op_name]
    if op_name not in _KEPT:
        for suffix in ("_v2", "2"):
            if op_name.endswith(suffix):
                return op_name.removesuffix(suffix)
    return op_name
