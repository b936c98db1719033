from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnsupportedError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
X = (RNG.standard_normal([130, 256]) * np.exp(RNG.standard_normal([130, 1]))).astype("float32")
T = proa.to_tensor


def numbers(q, scale, rows=1):
    factors = scale.numpy().repeat(rows, 0).repeat(128, 1)
    return q.astype("float32").numpy() * factors[: q.shape[0], : q.shape[1]]


@pytest.mark.parametrize(("method", "rows"), [("1x128", 1), ("128x128", 128)])
def test_blocks(method, rows):
    q, scale = F.fp8_quant_blockwise(T(X), quant_method=method, using_pow2_scale=False)
    assert q.dtype == "float8_e4m3fn"
    assert scale.shape == [-(-130 // rows), 2]
    largest = np.abs(X[:rows, :128]).max()
    np.testing.assert_allclose(scale.numpy()[0, 0], largest / 448, rtol=1e-6)
    # e4m3 has 3 bits after the leading one.
    np.testing.assert_allclose(numbers(q, scale, rows), X, rtol=2**-4, atol=largest / 448 / 256)


def test_powers_of_two_and_their_packed_exponents():
    scale = F.fp8_quant_blockwise(T(X))[1].numpy()
    exact = np.abs(X.reshape(130, 2, 128)).max(-1) / 448
    assert (scale >= exact).all()
    assert (scale < 2 * exact).all()
    assert (np.log2(scale) % 1 == 0).all()
    q, packed = F.fp8_quant_blockwise(T(X), using_ue8m0_scale=True)
    assert packed.dtype == "int32"
    assert packed.shape == [130, 1]
    found = packed.numpy()[:, 0, None] >> np.array([0, 8]) & 255
    np.testing.assert_array_equal(2.0 ** (found - 127), scale)
    back = F.fused_act_dequant(q, packed)
    assert back.dtype == "bfloat16"
    np.testing.assert_allclose(back.astype("float32"), X, rtol=0.08, atol=0.02)


def test_transposed_too():
    four = F.fp8_quant_blockwise(T(X), input_transpose=True)
    assert [t.shape for t in four] == [[130, 256], [130, 2], [256, 130], [256, 2]]
    only = F.fp8_quant_blockwise(T(X), input_transpose=True, return_transpose_only=True)
    np.testing.assert_array_equal(only[1], four[3])


def test_product():
    a, b = X[:4], X[4:7]
    qa, sa = F.fp8_quant_blockwise(T(a))
    qb, sb = F.fp8_quant_blockwise(T(b), quant_method="128x128")
    expected = numbers(qa, sa) @ numbers(qb, sb, 128).T
    out = F.fp8_gemm_blockwise(qa, sa, qb, sb, "float32", is_b_1d_scaled=False)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-3)
    held = proa.ones([4, 3])
    again = F.fp8_gemm_blockwise(
        *(qa, sa.t(), qb, sb, "float32"), out=held, bias=proa.full([3], 2.0), accumulate=True
    )
    assert again is held
    np.testing.assert_allclose(held, expected + 3, rtol=1e-4, atol=1e-3)


def test_weighted_swiglu():
    x, prob = X[:3], np.array([0.5, 1, 2], "float32")
    q, scale = F.fused_weighted_swiglu_act_quant(T(x), T(prob))
    gate, value = x[:, :128], x[:, 128:]
    expected = gate / (1 + np.exp(-gate)) * value * prob[:, None]
    limit = np.abs(expected).max(-1, keepdims=True) / 448 / 128
    assert (np.abs(numbers(q, scale) - expected) <= np.abs(expected) * 0.0626 + limit).all()


def test_stacked_and_split():
    parts = [T(X[:128, :128]), T(X[:128, 128:])]
    q, scale = F.fused_stack_transpose_quant(parts)
    assert (q.shape, scale.shape) == ([256, 128], [2, 1])
    np.testing.assert_allclose(numbers(q, scale, 128)[:128], X[:128, :128].T, rtol=0.07, atol=0.02)
    outs, scales = F.fused_transpose_split_quant(T(X[:128]), None, [128, 0])
    assert [o.shape for o in outs] == [[256, 128], [256, 0]]
    assert [s.shape for s in scales] == [[1, 256], [0, 256]]
    np.testing.assert_allclose(numbers(outs[0], scales[0].t()), X[:128].T, rtol=0.07, atol=0.02)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="'1x128' or '128x128'"):
        F.fp8_quant_blockwise(T(X), quant_method="2x2")
    with pytest.raises(InvalidArgumentError, match="the number of rows together"):
        F.fused_transpose_split_quant(T(X), None, [128])
    with pytest.raises(InvalidArgumentError, match="a matrix"):
        F.fp8_quant_blockwise(T(X[None]))
    with pytest.raises(InvalidArgumentError, match="that the quantisation returned"):
        F.fused_act_dequant(T(X).astype("float8_e4m3fn"), proa.ones([3, 3]))
    with pytest.raises(UnsupportedError, match="`fused_transpose_split_quant`"):
        F.fused_transpose_wlch_split_quant(T(X), [130])
