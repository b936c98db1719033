"""The names of `fluid.layers`."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

from . import _defaults, _functions, _inputs

_SAME_OPS = (
    "abs assign cast ceil clip concat cos cumsum equal exp expand_as eye floor gather gather_nd "
    "greater_equal greater_than increment is_empty less_equal less_than linspace log logical_and "
    "logical_not logical_or logical_xor mean not_equal ones ones_like pow reciprocal round rsqrt "
    "scale scatter shape sign sin slice sqrt square stack strided_slice tanh topk transpose "
    "unstack zeros zeros_like"
).split()
_SAME_FUNCTIONS = (
    "elu gelu label_smooth log_loss log_sigmoid maxout relu relu6 selu sigmoid "
    "softmax_with_cross_entropy softplus softsign square_error_cost swish"
).split()
_OTHER = {
    "accuracy": "proa.metric.accuracy",
    "arange": "proa.arange",
    "create_parameter": "proa.create_parameter",
    "hard_swish": "proa.nn.functional.hardswish",
    "range": "proa.range",
    "sums": "proa.add_n",
    "uniform_random": "proa.uniform",
}
_STATIC = (
    "batch_norm bilinear_tensor_product case cond conv2d_transpose conv3d conv3d_transpose "
    "group_norm instance_norm layer_norm nce prelu row_conv sequence_conv sequence_expand "
    "sequence_first_step sequence_last_step sequence_pool sequence_softmax spectral_norm "
    "switch_case while_loop"
).split()
_DEFAULTS = {
    "argmax": "paddle.argmax",
    "argmin": "paddle.argmin",
    "argsort": "paddle.argsort",
    "expand": "paddle.tile",
    "flatten": "paddle.flatten",
    "gaussian_random": "paddle.normal",
    "hard_sigmoid": "paddle.nn.functional.hardsigmoid",
    "l2_normalize": "paddle.nn.functional.normalize",
    "leaky_relu": "paddle.nn.functional.leaky_relu",
    "pad": "paddle.nn.functional.pad",
    "split": "paddle.split",
    "squeeze": "paddle.squeeze",
    "sum": "paddle.add_n",
    "unsqueeze": "paddle.unsqueeze",
}
_OWN = {
    "conv2d": "paddle.nn.Conv2D",
    "cross_entropy": "paddle.nn.functional.cross_entropy, which takes logits",
    "dropout": "paddle.nn.functional.dropout",
    "elementwise_add": "paddle.add",
    "elementwise_div": "paddle.divide",
    "elementwise_max": "paddle.maximum",
    "elementwise_min": "paddle.minimum",
    "elementwise_mod": "paddle.remainder",
    "elementwise_mul": "paddle.multiply",
    "elementwise_pow": "paddle.pow",
    "elementwise_sub": "paddle.subtract",
    "embedding": "paddle.nn.Embedding",
    "fc": "paddle.nn.Linear",
    "fill_constant": "paddle.full",
    "matmul": "paddle.matmul",
    "mul": "paddle.matmul",
    "one_hot": "paddle.nn.functional.one_hot",
    "pool2d": "paddle.nn.functional.max_pool2d or avg_pool2d",
    "reduce_all": "paddle.all",
    "reduce_any": "paddle.any",
    "reduce_max": "paddle.max",
    "reduce_mean": "paddle.mean",
    "reduce_min": "paddle.min",
    "reduce_prod": "paddle.prod",
    "reduce_sum": "paddle.sum",
    "reshape": "paddle.reshape",
    "smooth_l1": "paddle.nn.functional.smooth_l1_loss",
    "softmax": "paddle.nn.functional.softmax",
}

NAMES: dict[str, str | tuple[Any, str]] = {
    **{name: f"proa.{name}" for name in _SAME_OPS},
    **{name: f"proa.nn.functional.{name}" for name in _SAME_FUNCTIONS},
    **_OTHER,
    **{name: f"proa.static.nn.{name}" for name in _STATIC},
    **{name: f"proa.static.{name}" for name in ("Print", "auc", "create_global_var", "py_func")},
    "data": (_inputs.data, "paddle.static.data, with the batch in the shape"),
    **{name: (getattr(_defaults, name), instead) for name, instead in _DEFAULTS.items()},
    **{name: (getattr(_functions, name), instead) for name, instead in _OWN.items()},
}
__getattr__, __dir__ = shelf("paddle.fluid.layers", NAMES)
