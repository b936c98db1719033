from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F

RNG = np.random.default_rng(2)
Q, K, V = (proa.to_tensor(RNG.standard_normal([1, 4, h, 2]), "float32") for h in (4, 2, 2))


def masked(mask):
    return F.scaled_dot_product_attention(Q, K, V, proa.to_tensor(mask)).numpy()


def test_intervals_per_key_head():
    bounds = proa.to_tensor([[4, 3, 4, 4], [2, 4, 4, 4]], dtype="int32").reshape([1, 2, 4, 1])
    out = F.flashmask_attention(Q, K, V, bounds, causal=True)
    mask = np.tile(np.tril(np.ones([4, 4], bool)), [1, 4, 1, 1])
    mask[:, :2, 3:, 1] = False
    mask[:, 2:, 2:, 0] = False
    np.testing.assert_allclose(out, masked(mask), rtol=1e-6)


def test_no_mask_and_a_window():
    np.testing.assert_array_equal(
        F.flashmask_attention(Q, K, V), F.scaled_dot_product_attention(Q, K, V)
    )
    near = np.abs(np.arange(4)[:, None] - np.arange(4)) <= 1
    out = F.flashmask_attention(Q, K, V, window_size=1)
    np.testing.assert_allclose(out, masked(near), rtol=1e-6)


def test_queries_that_see_nothing_give_zeros():
    bounds = proa.to_tensor([0, 0, 0, 0], dtype="int32").reshape([1, 1, 4, 1])
    out, lse = F.flashmask_attention(Q, K, V, bounds, causal=True, return_softmax_lse=True)
    assert (out.numpy() == 0).all()
    assert np.isneginf(lse.numpy()).all()


def test_a_block_of_places():
    blocks = proa.zeros([1, 1, 1, 1], "int32")
    assert (F.flashmask_attention(Q, K, V, block_mask=blocks).numpy() == 0).all()
    with pytest.raises(proa.core.InvalidArgumentError, match="one per 128 x 128 places"):
        F.flashmask_attention(Q, K, V, block_mask=proa.zeros([1, 1, 2, 1], "int32"))


def test_a_returned_seed_repeats_the_dropout():
    out, seed = F.flashmask_attention(Q, K, V, dropout=0.5, return_seed_offset=True)
    again = F.flashmask_attention(Q, K, V, dropout=0.5, fixed_seed_offset=seed)
    np.testing.assert_array_equal(again, out)


def test_bounds_for_another_number_of_heads():
    bounds = proa.zeros([1, 3, 4, 1], "int32")
    with pytest.raises(proa.core.InvalidArgumentError, match="or as many as `key` has"):
        F.flashmask_attention(Q, K, V, bounds, causal=True)


def test_sparse_attention():
    # Places 0 and 1 for the first two queries, 2 and 3 for the others.
    x = proa.to_tensor(RNG.standard_normal([1, 1, 4, 2]), "float64")
    x.stop_gradient = False
    offset = proa.to_tensor([[[0, 2, 4, 6, 8]]], dtype="int32")
    columns = proa.to_tensor([[[0, 1, 0, 1, 2, 3, 2, 3]]], dtype="int32")
    mask = np.kron(np.eye(2), np.ones([2, 2])).astype(bool)
    hidden = np.ones([4, 4])
    hidden[0, 1] = 0
    seen = np.array([[1.0, 1.0, 0.0, 0.0]])

    def reference(allowed):
        values = x.numpy()[0, 0]
        weights = np.where(allowed, np.exp(values @ values.T / 2**0.5), 0)
        total = weights.sum(-1, keepdims=True)
        return weights / np.where(total == 0, 1, total) @ values

    out = F.sparse_attention(x, x, x, offset, columns)
    np.testing.assert_allclose(out[0, 0], reference(mask), rtol=1e-9)
    out = F.sparse_attention(x, x, x, offset, columns, proa.to_tensor(seen), proa.to_tensor(hidden))
    np.testing.assert_allclose(out[0, 0], reference(mask & (hidden != 0) & (seen != 0)), rtol=1e-9)
    out.sum().backward()
    assert np.isfinite(x.grad.numpy()).all()
