from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
X, QKV, OUT = (RNG.standard_normal(s) for s in ([2, 3, 4], [3, 2, 2, 4], [4, 4]))
QKV_BIAS, OUT_BIAS, SCALE, SHIFT = (RNG.standard_normal(s) for s in ([3, 2, 2], [4], [4], [4]))
MASK = np.where(np.tril(np.ones([3, 3])), 0, -np.inf)
T = proa.to_tensor


def norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * SCALE + SHIFT


def attention(x, mask):
    q, k, v = np.einsum("bse,nhde->nbhsd", x, QKV) + QKV_BIAS[:, None, :, None]
    weights = softmax(q @ k.swapaxes(-1, -2) / 2**0.5 + mask, -1)
    return (weights @ v).swapaxes(1, 2).reshape(2, -1, 4) @ OUT + OUT_BIAS


def run(x=X, **settings):
    settings = {"dropout_rate": 0.0, "attn_dropout_rate": 0.0, **settings}
    return F.fused_multi_head_attention(
        *(T(x), T(QKV), T(OUT)),
        **{"qkv_bias": T(QKV_BIAS), "linear_bias": T(OUT_BIAS), **settings},
    )


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-8)


def test_normalised_after_and_before():
    scales = {"ln_scale": T(SCALE), "ln_bias": T(SHIFT)}
    close(run(attn_mask=T(MASK), **scales), norm(X + attention(X, MASK)))
    scales = {"pre_ln_scale": T(SCALE), "pre_ln_bias": T(SHIFT)}
    close(run(pre_layer_norm=True, **scales), X + attention(norm(X), 0))
    out = run(pre_layer_norm=True, add_residual=False, **scales)
    close(out, attention(norm(X), 0))


def test_masks_of_integers_are_those_of_booleans():
    allowed = np.isfinite(MASK)
    expected = run(pre_layer_norm=True, attn_mask=T(allowed))
    close(run(pre_layer_norm=True, attn_mask=T(allowed.astype("int32"))), expected.numpy())


def test_weights_the_other_way_round():
    weight = QKV.reshape(12, 4).T.copy()
    out = F.fused_multi_head_attention(
        *(T(X), T(weight), T(OUT), True),
        qkv_bias=T(QKV_BIAS.ravel()),
        linear_bias=T(OUT_BIAS),
        num_heads=2,
        transpose_qkv_wb=True,
        training=False,
    )
    close(out, run(pre_layer_norm=True).numpy())
    with pytest.raises(InvalidArgumentError, match="pass num_heads"):
        F.fused_multi_head_attention(T(X), T(weight), T(OUT), transpose_qkv_wb=True)


def test_step_by_step_with_a_cache():
    whole = run(pre_layer_norm=True, attn_mask=T(MASK)).numpy()
    cache = proa.zeros([2, 2, 2, 0, 2], "float64")
    for i in range(3):
        out, cache = run(X[:, i : i + 1], pre_layer_norm=True, cache_kv=cache)
        close(out[:, 0], whole[:, i])
    assert cache.shape == [2, 2, 2, 3, 2]


def test_dropout_without_upscaling_shrinks_what_is_kept():
    out = run(training=False, mode="downscale_in_infer", attn_dropout_rate=0.5, add_residual=False)
    shift = {"pre_layer_norm": True, "add_residual": False, "training": False}
    half = run(**shift, mode="downscale_in_infer", attn_dropout_rate=0.5, linear_bias=None)
    whole = run(**shift, linear_bias=None)
    close(half * 2, whole.numpy())
    assert out.shape == [2, 3, 4]


def test_padded_sequences():
    q, k, v = (RNG.standard_normal([2, 2, 3, 4]) for _ in range(3))
    lengths, kv_lengths = np.array([[3], [2]]), np.array([[2], [1]])
    mask = RNG.standard_normal([2, 1, 3, 3])
    out = F.variable_length_memory_efficient_attention(
        *(T(q), T(k), T(v), T(lengths), T(kv_lengths), T(mask)),
        scale=0.5,
        causal=True,
        pre_cache_length=1,
    ).numpy()
    expected = np.zeros_like(q)
    for b in range(2):
        for i in range(lengths[b, 0]):
            n = min(kv_lengths[b, 0] + 1, i + 2)
            scores = q[b, :, i : i + 1] @ k[b, :, :n].swapaxes(1, 2) * 0.5 + mask[b, 0, i, :n]
            expected[b, :, i] = (softmax(scores, -1) @ v[b, :, :n])[:, 0]
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-9)
