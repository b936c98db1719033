from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import proa
from proa.core import InvalidArgumentError, UnsupportedError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
B, H, D, LENGTH = 2, 2, 2, 4
X, CACHE = RNG.standard_normal([B, 3 * H * D]), RNG.standard_normal([2, B, H, LENGTH, D])
T = proa.to_tensor


def reference(positions, mask=0.0, bias=0.0, turn=lambda x: x):
    q, k, v = np.moveaxis((X + bias).reshape(B, 3, H, D), 1, 0)
    q, k = turn(q), turn(k)
    cache, out = CACHE.copy(), np.zeros([B, H, D])
    for b, t in enumerate(positions):
        cache[0, b, :, t], cache[1, b, :, t] = k[b], v[b]
        scores = np.einsum("hd,hld->hl", q[b], cache[0, b, :, : t + 1]) / D**0.5 + mask
        out[b] = np.einsum("hl,hld->hd", softmax(scores, -1), cache[1, b, :, : t + 1])
    return out.reshape(B, -1), cache


def test_the_mask_says_where_the_token_stands():
    mask, bias = RNG.standard_normal([3]), RNG.standard_normal([3 * H * D])
    cache = T(CACHE)
    out, same = F.masked_multihead_attention(
        T(X), cache, T(bias.reshape(3, H, D)), T(np.tile(mask, [B, 1, 1, 1]))
    )
    expected, written = reference([2, 2], mask, bias)
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    np.testing.assert_allclose(cache, written)
    assert same is cache


def test_lengths_and_rotation():
    positions = np.array([[3], [1]], "int32")
    angle = RNG.standard_normal([B, LENGTH, 1])
    tables = np.repeat(np.stack([np.cos(angle), np.sin(angle)]), D, -1)[:, :, None]
    out, _ = F.masked_multihead_attention(
        T(X), T(CACHE), sequence_lengths=T(positions), rotary_tensor=T(tables), rotary_emb_dims=1
    )
    cos, sin = (np.stack([t[b, 0, p] for b, p in enumerate(positions[:, 0])]) for t in tables)

    def turn(x):
        other = np.stack([-x[..., 1], x[..., 0]], -1)
        return x * cos[:, None] + other * sin[:, None]

    np.testing.assert_allclose(out, reference(positions[:, 0], turn=turn)[0], rtol=1e-6)


def test_integers_in_and_out():
    scale = np.full([3, H, D], 0.01, "float32")
    x = T(np.round(X * 100).astype("int32"))
    settings = {"sequence_lengths": T([[3], [1]], "int32"), "qkv_out_scale": T(scale)}
    cache = T(CACHE, "float32")
    out, _ = F.masked_multihead_attention(x, cache, **settings, compute_dtype="fp32")
    np.testing.assert_allclose(out, reference([3, 1])[0], atol=0.03)
    ones = {"out_shift": proa.ones([H * D]), "out_smooth": proa.full([H * D], 2.0)}
    small, _ = F.masked_multihead_attention(x, cache, **settings, **ones, out_scale=0.05)
    assert small.dtype == "int8"
    np.testing.assert_allclose(small, (out.numpy() + 1) * 2 * 0.05 * 127, atol=0.51)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="`src_mask` or `sequence_lengths`"):
        F.masked_multihead_attention(T(X), T(CACHE))
    with pytest.raises(UnsupportedError, match="reorder the cache"):
        F.masked_multihead_attention(T(X), T(CACHE), beam_cache_offset=T([0]))


def test_longest():
    found = F.blha_get_max_len(T([3, 5], "int32"), T([0, 2], "int32"), proa.ones([2]))
    assert [t.tolist() for t in found] == [[5], [2]]
