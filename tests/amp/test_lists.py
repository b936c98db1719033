from __future__ import annotations

from types import SimpleNamespace

import pytest

from proa import amp
from proa.amp._lists import _colored, default_ops
from proa.core import _registry

# Names that Paddle 3.3.1 has in its lists as well.
WHITE = {"matmul", "matmul_v2", "mul", "conv2d", "einsum", "linear_v2", "flash_attn"}
BLACK = {
    *("exp", "square", "log", "log2", "log10", "expm1", "rsqrt", "reciprocal", "pow", "cumsum"),
    *("cumprod", "mean", "reduce_sum", "reduce_mean", "reduce_prod", "softmax", "log_softmax"),
    *(
        "softplus",
        "tanh_shrink",
        "layer_norm",
        "group_norm",
        "dist",
        "renorm",
        "erfinv",
        "nll_loss",
    ),
    *("cross_entropy", "softmax_with_cross_entropy", "sigmoid_cross_entropy_with_logits"),
    *("huber_loss", "nll_loss", "log_loss", "triplet_margin_loss"),
    *("bilinear_interp_v2", "nearest_interp_v2"),
    *("acos", "asin", "cosh", "sinh", "tan", "atanh", "softmin"),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_defaults_have_the_names_of_paddle(dtype):
    white, black = amp.white_list()[dtype], amp.black_list()[dtype]
    assert min(white.values(), key=len) >= WHITE
    assert black["O1"] >= BLACK
    assert black["O2"] & {"nearest_interp_v2", "softmax"} == {"nearest_interp_v2"}
    assert black["OD"] == set()


def test_no_op_is_in_both():
    assert not amp.white_list()["float16"]["O1"] & amp.black_list()["float16"]["O1"]


def test_ops_of_rooms_that_are_loaded_later_count(monkeypatch):
    assert "later" not in default_ops("white")
    monkeypatch.setitem(_registry._OPS, "later", SimpleNamespace(amp="white"))
    assert "later" in default_ops("white")
    _colored.cache_clear()
