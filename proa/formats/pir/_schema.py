"""Operands and attributes of Paddle's ops, as its `.json` model files (PIR) name them.

Names, kinds and defaults are those of Paddle 3.3.1 (`paddle/fluid/pir/dialect/operator/ir/pd_op.h`
in the wheel). An operand that has a kind is a small tensor in the file, made from a Python value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

#: Kinds: `b i l f d s t p` are bool, int32, int64, float32, float64, text, dtype and place;
#: capitals are lists of them; `N` is a shape that is one attribute.
KINDS = "bilfdstpILFDN"

#: Ops of one output without attributes, by their operands.
_PLAIN = {
    "condition": "nonzero",
    "condition x y": "where",
    "input": "shape64 trunc",
    "inputs": "add_n meshgrid",
    "inputs index": "multiplex",
    "real imag": "complex",
    "x": """
        abs acos acosh angle as_complex as_real asin asinh assign atan atanh bitwise_not
        ceil conj cos cosh det digamma erf erfinv exp expm1 floor gammaln hardswish i0 i0e
        i1 i1e imag inverse isfinite isinf isnan lgamma log log10 log1p log2 logical_not
        logsigmoid numel real reciprocal relu relu6 rsqrt sigmoid sign silu sin sinh
        slogdet softsign sqrt square swish tan tanh tanh_shrink
    """,
    "x axis:L": "squeeze unsqueeze",
    "x axis:i": "concat",
    "x index": "gather_nd index_sample",
    "x index axis:i": "gather",
    "x index updates": "scatter_nd_add",
    "x mask": "masked_select",
    "x min:f max:f": "clip",
    "x num_classes:i": "one_hot",
    "x repeat_times:L": "tile",
    "x sections:L axis:i": "split",
    "x shape:L": "expand reshape",
    "x vec": "mv",
    "x weights minlength:i": "bincount",
    "x y": """
        add atan2 bitwise_and bitwise_or bitwise_xor bmm copysign divide dot
        elementwise_pow equal equal_all floor_divide fmax fmin gammaincc greater_equal
        greater_than heaviside kron less_equal less_than logical_and logical_or
        logical_xor maximum minimum multiply nextafter not_equal remainder solve subtract
    """,
    "x y weight": "lerp",
}

#: `name outputs; operands; attributes`; an indented line goes on.
_OTHERS = """
addmm 1; input x y; beta:f=1.0 alpha:f=1.0
affine_grid 1; input output_shape:L; align_corners:b=1
all 1; x; axis:L= keepdim:b=0
allclose 1; x y rtol:d atol:d; equal_nan:b=0
amax 1; x; axis:L= keepdim:b=0
amin 1; x; axis:L= keepdim:b=0
any 1; x; axis:L= keepdim:b=0
arange 1; start:d end:d step:d; dtype:t=float64 place:p=
argmax 1; x axis:l; keepdims:b=0 flatten:b=0 dtype:t=int64
argmin 1; x axis:l; keepdims:b=0 flatten:b=0 dtype:t=int64
argsort 2; x; axis:i=-1 descending:b=0 stable:b=0
batch_norm_ 6; x mean variance scale bias; is_test:b momentum:f epsilon:f data_format:s
    use_global_stats:b trainable_statistics:b
bicubic_interp 1; x out_size size_tensor scale_tensor; data_format:s=NCHW out_d:i=0 out_h:i=0
    out_w:i=0 scale:D= interp_method:s=bilinear align_corners:b=1 align_mode:i=1
bilinear_interp 1; x out_size size_tensor scale_tensor; data_format:s=NCHW out_d:i=0 out_h:i=0
    out_w:i=0 scale:D= interp_method:s=bilinear align_corners:b=1 align_mode:i=1
bitwise_left_shift 1; x y; is_arithmetic:b=1
bitwise_right_shift 1; x y; is_arithmetic:b=1
cast 1; x; dtype:t
celu 1; x; alpha:f=1.0
channel_shuffle 1; x; groups:i data_format:s=NCHW
cholesky 1; x; upper:b=0
cholesky_solve 1; x y; upper:b=0
conv2d 1; input filter; strides:I=1,1 paddings:I=0,0 padding_algorithm:s=EXPLICIT dilations:I=1,1
    groups:i=1 data_format:s=NCHW
conv2d_transpose 1; x filter output_size:L; strides:I=1,1 paddings:I=0,0 output_padding:I=
    padding_algorithm:s=EXPLICIT groups:i=1 dilations:I=1,1 data_format:s=NCHW
conv3d 1; input filter; strides:I=1,1,1 paddings:I=0,0,0 padding_algorithm:s=EXPLICIT groups:i=1
    dilations:I=1,1,1 data_format:s=NCDHW
conv3d_transpose 1; x filter; strides:I=1,1,1 paddings:I=0,0,0 output_padding:I= output_size:I=
    padding_algorithm:s=EXPLICIT groups:i=1 dilations:I=1,1,1 data_format:s=NCHW
cross 1; x y; axis:i=9
cummax 2; x; axis:i=-1 dtype:t=int64
cummin 2; x; axis:i=-1 dtype:t=int64
cumprod 1; x; dim:i exclusive:b=0 reverse:b=0
cumsum 1; x axis:i; flatten:b=0 exclusive:b=0 reverse:b=0
data 1; ; name:s shape:N dtype:t place:p
depthwise_conv2d 1; input filter; strides:I=1,1 paddings:I=0,0 padding_algorithm:s=EXPLICIT
    groups:i=1 dilations:I=1,1 data_format:s=NCHW
depthwise_conv2d_transpose 1; x filter output_size:L; strides:I=1,1 paddings:I=0,0
    output_padding:I= padding_algorithm:s=EXPLICIT groups:i=1 dilations:I=1,1 data_format:s=NCHW
diag 1; x; offset:i=0 padding_value:f=0.0
diag_embed 1; input; offset:i=0 dim1:i=-2 dim2:i=-1
diagonal 1; x; offset:i=0 axis1:i=0 axis2:i=1
dist 1; x y; p:f=2.0
eigh 2; x; UPLO:s=L
einsum 3; x; equation:s
elu 1; x; alpha:f=1.0
embedding 1; x weight; padding_idx:l=-1 sparse:b=0
eye 1; num_rows:f num_columns:f; dtype:t=float32 place:p=
fft_c2c 1; x; axes:L normalization:s forward:b
fft_c2r 1; x; axes:L normalization:s forward:b last_dim_size:l=0
fft_r2c 1; x; axes:L normalization:s forward:b onesided:b
flatten 1; x; start_axis:i=1 stop_axis:i=1
flip 1; x; axis:I
fold 1; x; output_sizes:I kernel_sizes:I strides:I paddings:I dilations:I
full 1; ; shape:N value:d dtype:t=float32 place:p=
full_int_array 1; ; value:L dtype:t=float32 place:p=
full_with_tensor 1; value shape:L; dtype:t=float32
gelu 1; x; approximate:b=0
grid_sample 1; x grid; mode:s=bilinear padding_mode:s=zeros align_corners:b=1
group_norm 3; x scale bias; epsilon:d=1e-5 groups:i=-1 data_format:s=NCHW
hardshrink 1; x; threshold:f=0.5
hardsigmoid 1; x; slope:f=0.2 offset:f=0.5
hardtanh 1; x; t_min:f=0 t_max:f=24
index_add 1; x index add_value; axis:i=0
index_put 1; x indices value; accumulate:b=0
index_select 1; x index; axis:i=0
instance_norm 3; x scale bias; epsilon:f=1e-5
isclose 1; x y rtol:d atol:d; equal_nan:b=0
kthvalue 2; x; k:l=1 axis:i=-1 keepdim:b=0
label_smooth 1; label prior_dist; epsilon:f=0.0
layer_norm 3; x scale bias; epsilon:f=1e-5 begin_norm_axis:i=1
leaky_relu 1; x; negative_slope:d=0.02
linear_interp 1; x out_size size_tensor scale_tensor; data_format:s=NCHW out_d:i=0 out_h:i=0
    out_w:i=0 scale:D= interp_method:s=bilinear align_corners:b=1 align_mode:i=1
linspace 1; start stop number; dtype:t place:p
log_softmax 1; x; axis:i=-1
logcumsumexp 1; x; axis:i=-1 flatten:b=0 exclusive:b=0 reverse:b=0
logit 1; x; eps:d=1e-6
logsumexp 1; x; axis:I= keepdim:b=0 reduce_all:b=0
lp_pool2d 1; x; kernel_size:L strides:L=1,1 paddings:L=0,0 ceil_mode:b=0 exclusive:b=1
    data_format:s=NCHW pooling_type:s= global_pooling:b=0 adaptive:b=0 padding_algorithm:s=EXPLICIT
    norm_type:f=0.0
lrn 2; x; n:i=5 k:f=2.0 alpha:f=0.0001 beta:f=0.75 data_format:s=AnyLayout
matmul 1; x y; transpose_x:b=0 transpose_y:b=0
matrix_power 1; x; n:i
max 1; x axis:L; keepdim:b=0
max_pool2d_with_index 2; x; kernel_size:I strides:I=1,1 paddings:I=0,0 global_pooling:b=0
    adaptive:b=0 ceil_mode:b=0
max_pool3d_with_index 2; x; kernel_size:I strides:I=1,1,1 paddings:I=0,0,0 global_pooling:b=0
    adaptive:b=0 ceil_mode:b=0
maxout 1; x; groups:i axis:i=1
mean 1; x axis:L; keepdim:b=0
min 1; x axis:L; keepdim:b=0
mish 1; x; lambda:f
mode 2; x; axis:i=-1 keepdim:b=0
nearest_interp 1; x out_size size_tensor scale_tensor; data_format:s=NCHW out_d:i=0 out_h:i=0
    out_w:i=0 scale:D= interp_method:s=bilinear align_corners:b=1 align_mode:i=1
p_norm 1; x; porder:f=2 axis:i=-1 epsilon:f=1.0e-12 keepdim:b=0 asvector:b=0
pad 1; x pad_value:f; paddings:I
pad3d 1; x paddings:L; mode:s=constant pad_value:d=0.0 data_format:s=NCDHW
pixel_shuffle 1; x; upscale_factor:i=1 data_format:s=NCHW
pixel_unshuffle 1; x; downscale_factor:i=1 data_format:s=NCHW
polygamma 1; x; n:i
pool2d 1; x kernel_size:L; strides:L paddings:L ceil_mode:b exclusive:b data_format:s
    pooling_type:s global_pooling:b adaptive:b padding_algorithm:s
pool3d 1; x; kernel_size:L strides:L paddings:L ceil_mode:b exclusive:b data_format:s
    pooling_type:s global_pooling:b adaptive:b padding_algorithm:s
pow 1; x; y:f=1.0
prelu 1; x alpha; data_format:s=NCHW mode:s=all
prod 1; x axis:L; keepdim:b reduce_all:b
put_along_axis 1; arr indices values; axis:i reduce:s=assign include_self:b=1
qr 2; x; mode:s=reduced
repeat_interleave 1; x; repeats:i axis:i output_size:l=-1
repeat_interleave_with_tensor_index 1; x repeats; axis:i output_size:l=-1
rms_norm 2; x scale; normalized_shape:L= epsilon:d=1e-5
rnn 4; x pre_state weight_list sequence_length dropout_state_in; dropout_prob:f=0.0 is_bidirec:b=0
    input_size:i=10 hidden_size:i=100 num_layers:i=1 mode:s=RNN_TANH seed:i=0 is_test:b=0
roll 1; x shifts:L; axis:L=
round 1; x; decimals:i=0
scale 1; x scale:f; bias:f=0.0 bias_after_scale:b=1
scatter 1; x index updates; overwrite:b=1
searchsorted 1; sorted_sequence values; out_int32:b=0 right:b=0
selu 1; x; scale:f=1.05070098735548 alpha:f=1.67326324235437
sequence_mask 1; x max_len:i; out_dtype:t
set_value_with_tensor 1; x values starts:L ends:L steps:L; axes:L decrease_axes:L none_axes:L
slice 1; input starts:L ends:L; axes:L infer_flags:L decrease_axis:L
softmax 1; x; axis:i
softplus 1; x; beta:d=1.0 threshold:d=20.0
softshrink 1; x; threshold:f=0.5
split_with_num 1; x axis:i; num:i
stack 1; x; axis:i=0
stanh 1; x; scale_a:f=0.67 scale_b:f=1.7159
strided_slice 1; x starts:L ends:L strides:L; axes:I
sum 1; x axis:L; dtype:t=undefined keepdim:b=0
svd 3; x; full_matrices:b=0
take_along_axis 1; arr indices; axis:i
temporal_shift 1; x; seg_num:i shift_ratio:f=0.25 data_format:s=NCHW
thresholded_relu 1; x; threshold:f=1.0 value:f=0.0
topk 2; x k:i; axis:i=-1 largest:b=1 sorted:b=1
trace 1; x; offset:i=0 axis1:i=0 axis2:i=1
transpose 1; x; perm:I
triangular_solve 1; x y; upper:b=1 transpose:b=0 unitriangular:b=0
tril 1; x; diagonal:i=0
trilinear_interp 1; x out_size size_tensor scale_tensor; data_format:s=NCHW out_d:i=0 out_h:i=0
    out_w:i=0 scale:D= interp_method:s=bilinear align_corners:b=1 align_mode:i=1
triu 1; x; diagonal:i=0
unbind 1; input; axis:i=0
unfold 1; x; kernel_sizes:I strides:I paddings:I dilations:I
unique 4; x; return_index:b=0 return_inverse:b=0 return_counts:b=0 axis:I= dtype:t=int64
    is_sorted:b=0
unstack 1; x; axis:i=0 num:i=0
"""


@dataclass(frozen=True)
class Entry:
    """An operand or an attribute.

    Attributes:
        name: its name.
        kind: one of `KINDS`; empty for an operand that is a tensor.
        default: the default, `None` where there is none.
    """

    name: str
    kind: str
    default: Any = None


@dataclass(frozen=True)
class Schema:
    """What an op takes: operands in their order, attributes, and its number of outputs."""

    outputs: int
    operands: tuple[Entry, ...]
    attributes: tuple[Entry, ...]


def _default(kind: str, text: str) -> Any:
    if kind in "ILFD":
        number = float if kind in "FD" else int
        return [number(item) for item in text.split(",") if item]
    if kind == "b":
        return text == "1"
    if kind in "il":
        return int(text)
    return float(text) if kind in "fd" else text


def _entry(text: str) -> Entry:
    head, has_default, default = text.partition("=")
    name, _, kind = head.partition(":")
    return Entry(name, kind, _default(kind, default) if has_default else None)


@cache
def schemas() -> dict[str, Schema]:
    """Returns all known ops by name."""
    found = {}
    for operands, names in _PLAIN.items():
        schema = Schema(1, tuple(map(_entry, operands.split())), ())
        found.update(dict.fromkeys(names.split(), schema))
    for line in _OTHERS.strip().replace("\n    ", " ").splitlines():
        head, operands, attributes = line.split(";")
        name, count = head.split()
        entries = [tuple(map(_entry, part.split())) for part in (operands, attributes)]
        found[name] = Schema(int(count), *entries)
    return found
