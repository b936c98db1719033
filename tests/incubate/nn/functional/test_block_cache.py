from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import proa
from proa.core import UnsupportedError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
H, D, SIZE = 2, 4, 2
TABLES = np.array([[3, 0], [1, -1]], "int32")
T = proa.to_tensor


def step(qkv, caches, decoded, counts, **settings):
    ends = np.cumsum([0, *counts]).astype("int32")
    given = [np.array(v, "int32").reshape(-1, 1) for v in (counts, decoded, counts)]
    unused = T(np.zeros(1, "int32"))
    return F.block_multihead_attention(
        *(T(qkv), *caches, *(T(v) for v in given), unused, unused, T(ends), T(ends), T(TABLES)),
        block_size=SIZE,
        **settings,
    )


def causal(qkv, mask=None):
    """Attention of one sequence [N, 3 * H * D] to itself."""
    q, k, v = np.moveaxis(qkv.reshape(-1, 3, H, D), 1, 0)
    scores = np.einsum("thd,shd->hts", q, k) / D**0.5
    hidden = np.where(np.tril(np.ones(scores.shape[1:])), 0, -np.inf) if mask is None else mask
    return np.einsum("hts,shd->thd", softmax(scores + hidden, -1), v).reshape(len(q), -1)


def empty():
    return [proa.zeros([4, H, SIZE, D], "float64") for _ in range(2)]


def test_reading_in_and_going_on_equals_the_whole():
    first, second = RNG.standard_normal([4, 3 * H * D]), RNG.standard_normal([2, 3 * H * D])
    caches = empty()
    out, _, keys, _ = step(np.concatenate([first[:3], second[:1]]), caches, [0, 0], [3, 1])
    np.testing.assert_allclose(out[:3], causal(first)[:3], rtol=1e-6)
    np.testing.assert_allclose(out[3:], causal(second)[:1], rtol=1e-6)
    assert keys is caches[0]
    # Block 3 holds the first two tokens of the first sequence, block 0 the third.
    key = first.reshape(4, 3, H, D)[:, 1]
    np.testing.assert_allclose(keys.numpy()[3], key[:2].swapaxes(0, 1))
    np.testing.assert_allclose(keys.numpy()[0, :, 0], key[2])
    out, *_ = step(np.concatenate([first[3:], second[1:]]), caches, [3, 1], [1, 1])
    np.testing.assert_allclose(out[:1], causal(first)[3:], rtol=1e-6)
    np.testing.assert_allclose(out[1:], causal(second)[1:], rtol=1e-6)


def test_a_mask_instead_of_causal_attention():
    qkv, mask = RNG.standard_normal([3, 3 * H * D]), RNG.standard_normal([2, 1, 3, 3])
    out, *_ = step(qkv, empty(), [0, 0], [2, 1], mask=T(mask), qkv_bias=T(np.ones(3 * H * D)))
    expected = causal(qkv[:2] + 1, mask[0, 0, :2, :2])
    np.testing.assert_allclose(out[:2], expected, rtol=1e-6)


@pytest.mark.parametrize("neox", [False, True])
def test_rotation_by_position(neox):
    qkv = RNG.standard_normal([3, 3 * H * D])
    angle = RNG.standard_normal([3, D // 2])
    tables = np.stack([np.cos(angle), np.sin(angle)])[:, None, :, None].repeat(2, 1)
    out, *_ = step(qkv, empty(), [0, 0], [3, 0], rope_emb=T(tables), use_neox_style=neox)
    parts = qkv.reshape(3, 3, H, D).copy()
    pairs = [(0, 2), (1, 3)] if neox else [(0, 1), (2, 3)]
    for i, (a, b) in enumerate(pairs):
        cos, sin = np.cos(angle[:, i, None, None]), np.sin(angle[:, i, None, None])
        first, second = parts[:, :2, :, a].copy(), parts[:, :2, :, b].copy()
        parts[:, :2, :, a] = first * cos - second * sin
        parts[:, :2, :, b] = second * cos + first * sin
    np.testing.assert_allclose(out, causal(parts.reshape(3, -1)), rtol=1e-6)


def test_quantised_caches_are_refused():
    with pytest.raises(UnsupportedError, match="cache_k_quant_scales"):
        step(np.zeros([2, 3 * H * D]), empty(), [0, 0], [1, 1], cache_k_quant_scales=T([1.0]))
