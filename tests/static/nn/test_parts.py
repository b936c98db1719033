from __future__ import annotations

import proa
from proa import nn, static
from proa.static.nn._parts import activated, fitted, plain


def test_settings_and_activations():
    attr = static.WeightNormParamAttr(dim=0, name="w", need_clip=False)
    assert type(plain(attr)) is proa.ParamAttr
    assert (plain(attr).name, plain(attr).need_clip) == ("w", False)
    assert plain(None) is None
    assert activated(proa.to_tensor([-1.0, 2.0]), "relu").tolist() == [0.0, 2.0]


def test_parameters_have_the_dtype_of_the_input():
    x = proa.ones([2, 3], "float16")
    assert fitted(nn.Linear(3, 2), x).weight.dtype == proa.float16
    assert fitted(nn.LayerNorm([3]), x).weight.dtype == proa.float32
    assert fitted(nn.LayerNorm([3]), x.astype("float64")).weight.dtype == proa.float64
    assert fitted(nn.Embedding(3, 2), x.astype("int64")).weight.dtype == proa.float32
    with static.program_guard(static.Program()):
        x = static.data("x", [None, 3, 4, 4], "bfloat16")
        assert static.nn.fc(static.nn.conv2d(x, 2, 3), 5).dtype == proa.bfloat16
