from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnsupportedError
from proa.nn.quant import (
    llm_int8_linear,
    weight_dequantize,
    weight_only_linear,
    weight_quantize,
)

RNG = np.random.default_rng(0)
W, X, BIAS = (RNG.standard_normal(s).astype("float32") for s in ([130, 6], [3, 130], [6]))
T = proa.to_tensor


@pytest.mark.parametrize(("algo", "largest"), [("weight_only_int8", 127), ("weight_only_int4", 7)])
@pytest.mark.parametrize("group", [-1, 64])
def test_there_and_back(algo, largest, group):
    packed, scale = weight_quantize(T(W), algo, group_size=group)
    assert packed.dtype == "int8"
    assert packed.shape == [6 if largest == 127 else 3, 130]
    blocks = [W[i : i + 64] for i in range(0, 130, 64)] if group == 64 else [W]
    expected = np.stack([np.abs(b).max(0) / largest for b in blocks])
    np.testing.assert_allclose(scale.numpy().reshape(-1, 6), expected, rtol=1e-6)
    back = weight_dequantize(packed, scale, algo, "float32", group)
    steps = np.concatenate([np.tile(s, (len(b), 1)) for s, b in zip(expected, blocks, strict=True)])
    assert (np.abs(back.numpy() - W) <= steps / 2 * 1.001).all()
    out = weight_only_linear(
        T(X), packed, T(BIAS), scale, "int8" if largest == 127 else "int4", None, group
    )
    np.testing.assert_allclose(out, X @ back.numpy() + BIAS, rtol=1e-4, atol=1e-4)


# paddle 3.3.1
def test_integers_of_llm_int8_are_those_of_paddle():
    x = np.array([[1.0, -0.5], [0.25, 0.127], [-2.54, 0.0145]], "float16")
    integers, scale = weight_quantize(T(x), "llm.int8")
    assert scale.dtype == "float32"
    steps = x.astype("float32").T / scale.numpy()[:, None]
    np.testing.assert_array_equal(integers, np.sign(steps) * np.floor(np.abs(steps) + 0.5))


def test_two_outputs_share_a_byte():
    packed, _ = weight_quantize(T([[7.0, -7.0], [1.0, -2.0]]), "weight_only_int4")
    assert (packed.numpy().astype("uint8") == [[0x97, 0xE1]]).all()


def test_outliers_are_multiplied_as_they_are():
    x = X.copy()
    x[1, 5] = 50
    integers, scale = weight_quantize(T(W), "llm.int8")
    out = llm_int8_linear(T(x), integers, T(BIAS), scale, threshold=6.0)
    weight = integers.numpy().T * scale.numpy()
    np.testing.assert_allclose(out, x @ weight + BIAS, atol=0.35)
    rows = np.where(np.arange(130) == 5, 0, x)
    step = np.abs(rows).max(-1, keepdims=True) / 127
    exact = (np.sign(rows) * np.floor(np.abs(rows) / step + 0.5)) @ integers.numpy().T
    expected = exact * step * scale.numpy() + x[:, 5:6] * weight[5] + BIAS
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


def test_gradients_reach_the_input():
    packed, scale = weight_quantize(T(W))
    x = T(X, stop_gradient=False)
    weight_only_linear(x, packed, None, scale).sum().backward()
    back = weight_dequantize(packed, scale, out_dtype="float32").numpy()
    np.testing.assert_allclose(x.grad, np.tile(back.sum(1), (3, 1)), rtol=1e-4, atol=1e-4)


ERRORS = [
    (lambda: weight_quantize(T(W), "w4a8"), UnsupportedError, "one kind of GPU kernel"),
    (lambda: weight_quantize(T(W), "int3"), InvalidArgumentError, "or llm.int8"),
    (lambda: weight_quantize(T(W), group_size=32), InvalidArgumentError, "64 or 128"),
    (lambda: weight_quantize(T(W[None])), InvalidArgumentError, "two axes"),
    (
        lambda: weight_quantize(T(W[:, :5]), "weight_only_int4"),
        InvalidArgumentError,
        "an even number of outputs",
    ),
    (lambda: weight_only_linear(T(X), T(W)), InvalidArgumentError, "second result of `weight_q"),
    (
        lambda: weight_only_linear(T(X), T(W), None, T(BIAS), "int2"),
        InvalidArgumentError,
        "'int8' or 'int4'",
    ),
    (lambda: llm_int8_linear(T(X), T(W)), InvalidArgumentError, "`weight_scale`"),
]


@pytest.mark.parametrize(("call", "kind", "match"), ERRORS)
def test_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call()
