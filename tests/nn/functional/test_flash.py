from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.nn.functional.flash_attention import flash_attention

RNG = np.random.default_rng(0)
Q, K, V = (
    proa.to_tensor(RNG.standard_normal(s), "float32")
    for s in ([1, 3, 4, 2], [1, 5, 2, 2], [1, 5, 2, 2])
)


def test_is_scaled_dot_product_attention():
    expected = F.scaled_dot_product_attention(Q, K, V, is_causal=True, scale=0.3)
    out, weights = flash_attention(Q, K, V, causal=True, softmax_scale=0.3, return_softmax=True)
    np.testing.assert_array_equal(out, expected)
    assert weights.shape == [1, 4, 3, 5]
    np.testing.assert_allclose(weights.sum(-1), np.ones([1, 4, 3]), rtol=1e-6)
    assert (weights.numpy()[..., 0, 1:] == 0).all()
    assert flash_attention(Q, K, V)[1] is None


def test_packed_heads():
    query = Q[:, :, :, :]
    key, value = K[:, :3], V[:, :3]
    qkv = proa.concat(
        [query.reshape([1, 3, 2, 2, 2]), key.unsqueeze(2), value.unsqueeze(2)], axis=2
    )
    out, weights = F.flash_attn_qkvpacked(qkv, causal=True, return_softmax=True)
    expected = flash_attention(query, key, value, causal=True, return_softmax=True)
    np.testing.assert_array_equal(out, expected[0])
    np.testing.assert_array_equal(weights, expected[1])


def test_a_given_seed_fixes_what_is_dropped():
    seed = proa.to_tensor([7, 11])
    settings = {"dropout": 0.5, "fixed_seed_offset": seed}
    first, weights = flash_attention(Q, K, V, return_softmax=True, **settings)
    assert (weights.numpy() == 0).any()
    np.testing.assert_array_equal(flash_attention(Q, K, V, **settings)[0], first)
    other = flash_attention(Q, K, V, dropout=0.5, fixed_seed_offset=seed + 1)[0]
    assert (other.numpy() != first.numpy()).any()
    plain = flash_attention(Q, K, V, training=False, **settings)[0]
    np.testing.assert_array_equal(plain, flash_attention(Q, K, V)[0])


def test_packed_without_queries():
    with pytest.raises(proa.core.InvalidArgumentError, match="query heads / key heads"):
        F.flash_attn_qkvpacked(proa.zeros([1, 3, 2, 2, 2]))
