from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.formats.onnx.rows import Row, check, floats

_NAMES = (
    "relu relu6 gelu silu swish mish leaky_relu elu celu selu hardtanh hardsigmoid hardswish "
    "hardshrink softshrink tanhshrink softplus softsign thresholded_relu log_sigmoid softmax "
    "log_softmax"
)
_FUNCTIONS = [getattr(F, name) for name in _NAMES.split()]
x34 = floats(3, 4)

_ROWS = [
    Row("all", lambda x: [function(x) for function in _FUNCTIONS], (x34 * 4,)),
    Row("of integers", lambda x: (F.softmax(x), F.gelu(x), F.sigmoid(x)), (np.arange(4),)),
    Row("gelu before its operator", lambda x: (F.gelu(x), F.gelu(x, True)), (x34,), opset=18),
    Row("gelu by tanh", lambda x: F.gelu(x, True), (x34,)),
    Row("halves", lambda x: (F.glu(x), F.glu(x, 1), proa.incubate.nn.functional.swiglu(x)), (x34,)),
    Row("maxout", lambda x: F.maxout(x, 2, 1), (floats(2, 4, 3),)),
    Row("prelu", lambda x, w: (F.prelu(x, w), F.prelu(x, w[:1])), (floats(2, 4, 3), x34[0])),
    Row("softplus, beta", lambda x: F.softplus(x, 2.0, 3.0), (x34 * 4,)),
    Row("logit", lambda x: (proa.logit(x), proa.logit(x, 0.2)), (np.abs(x34) / 3 + 0.01,)),
    Row("softmax of bfloat16", lambda x: F.softmax(x.astype("bfloat16")).astype("float32"), (x34,)),
]


@pytest.mark.parametrize("row", _ROWS, ids=[row.name for row in _ROWS])
def test_a_model_in_onnx_gives_what_the_ops_give(row: Row) -> None:
    check(row)
