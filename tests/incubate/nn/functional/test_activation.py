from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

X = np.random.default_rng(0).standard_normal([3, 4]).astype("float32")
T = proa.to_tensor


def silu(x):
    return x / (1 + np.exp(-x))


def close(found, expected, **limits):
    np.testing.assert_allclose(found.numpy(), expected, **{"rtol": 1e-5, "atol": 1e-6, **limits})


def test_bias_and_activation():
    bias = np.array([1, -1, 0.5, 0], "float32")
    close(F.fused_bias_act(T(X), T(bias), act_method="relu"), (X + bias).clip(0))
    gated = silu((X + bias)[:, :2]) * (X + bias)[:, 2:]
    close(F.fused_bias_act(T(X), T(bias), act_method="swiglu"), gated)


def test_integers_and_back():
    x = np.array([[10, -20]], "int32")
    scales, shift, smooth = (np.array(v, "float32") for v in ([0.1, 0.2], [1, 2], [2, 3]))
    out = F.fused_bias_act(
        *(T(x), None, T(scales), T(shift), T(smooth), "relu", "fp16"),
    )
    assert out.dtype == "float16"
    assert out.tolist() == [[4.0, 6.0]]
    out = F.fused_bias_act(
        *(T(x), None, T(scales), T(shift), T(smooth), "relu", "fp32", 0.01, 1, 127.0, -127.0),
    )
    assert out.tolist() == [[5, 8]]


def test_gradient_of_weighted_swiglu():
    prob = np.array([0.5, 2.0, 1.0], "float32")
    grad = np.arange(6, dtype="float32").reshape(3, 2)
    of_input, of_prob, out = F.fused_swiglu_weighted_bwd(T(X), T(grad), T(prob))
    gate, value = X[:, :2], X[:, 2:]
    close(out, silu(gate) * value * prob[:, None])
    close(of_prob, (silu(gate) * value * grad).sum(-1))
    slope = 1 / (1 + np.exp(-gate))
    of_gate = grad * prob[:, None] * value * slope * (1 + gate * (1 - slope))
    close(of_input, np.concatenate([of_gate, grad * prob[:, None] * silu(gate)], -1))


def test_swiglu_is_the_function_of_nn():
    assert F.swiglu is proa.nn.functional.swiglu


@pytest.mark.parametrize(
    ("settings", "match"),
    [({"act_method": "tan"}, "geglu, swiglu"), ({"compute_dtype": "int8"}, "fp16, bf16, fp32")],
)
def test_errors(settings, match):
    with pytest.raises(InvalidArgumentError, match=match):
        F.fused_bias_act(T(X), **settings)
