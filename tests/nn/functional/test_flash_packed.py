from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.nn.functional.flash_attention import flash_attention, flash_attn_unpadded

RNG = np.random.default_rng(1)
LENGTHS = [2, 3]
ENDS = proa.to_tensor(np.cumsum([0, *LENGTHS]).astype("int32"))
Q, K, V = (proa.to_tensor(RNG.standard_normal([5, h, 2]), "float32") for h in (4, 2, 2))


def by_sequence(causal=False, scale=None):
    outs = []
    for start, length in zip((0, 2), LENGTHS, strict=True):
        part = (t[start : start + length].unsqueeze(0) for t in (Q, K, V))
        outs.append(flash_attention(*part, causal=causal, softmax_scale=scale)[0].squeeze(0))
    return proa.concat(outs)


@pytest.mark.parametrize("causal", [False, True])
def test_each_sequence_by_itself(causal):
    out, weights = flash_attn_unpadded(
        Q, K, V, ENDS, ENDS, 3, 3, 0.3, causal=causal, return_softmax=True
    )
    np.testing.assert_allclose(out, by_sequence(causal, 0.3), rtol=1e-5, atol=1e-6)
    assert (weights.numpy()[:, :2, 2:] == 0).all()


def test_padded_sequences():
    row = proa.concat([Q.reshape([5, 2, 2, 2]), K.unsqueeze(1), V.unsqueeze(1)], axis=1)
    padded = proa.concat([row[:2], proa.ones([1, 4, 2, 2]), row[2:]])
    out, _ = F.flash_attn_varlen_qkvpacked(padded, ENDS, ENDS, 3, 3, 0.3)
    np.testing.assert_allclose(out[2], np.zeros([4, 2]))
    expected = by_sequence(scale=0.3)
    np.testing.assert_allclose(out[:2], expected[:2], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out[3:], expected[2:], rtol=1e-5, atol=1e-6)
    packed, none = F.flash_attn_varlen_qkvpacked(row, ENDS, ENDS, 3, 3, 0.3, varlen_padded=False)
    np.testing.assert_allclose(packed, expected, rtol=1e-5, atol=1e-6)
    assert none is None


def test_version_three():
    out, lse = F.flash_attention_v3_varlen(Q, K, V, ENDS, ENDS, 3, 3, causal=True)
    np.testing.assert_allclose(out, by_sequence(True), rtol=1e-5, atol=1e-6)
    score = (Q[0].numpy() * np.repeat(K[0].numpy(), 2, 0)).sum(-1) / 2**0.5
    np.testing.assert_allclose(lse[:, 0], score, rtol=1e-5)


def test_version_three_window_cap_and_values_as_keys():
    used = proa.to_tensor([2, 2], dtype="int32")
    out, lse = F.flash_attention_v3_varlen(
        *(Q, K, V, ENDS, ENDS, 3, 3),
        seqused_q=used,
        seqused_k=used,
        qv=Q,
        window_size=(0, 1),
        softcap=0.5,
    )
    q, k, v = (t.numpy()[2:4] for t in (Q, K, V))
    k, v = np.repeat(k, 2, 1), np.repeat(v, 2, 1)
    scores = np.einsum("thd,shd->hts", q, k) + np.einsum("thd,shd->hts", q, v)
    scores = 0.5 * np.tanh(scores / 2 / 0.5)
    scores[:, 1, 0] = -np.inf
    weights = np.exp(scores)
    expected = np.einsum("hts,shd->thd", weights / weights.sum(-1, keepdims=True), v)
    np.testing.assert_allclose(out[2:4], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out[4], np.zeros([4, 2]))
    np.testing.assert_allclose(lse[:, 2:4], np.log(weights.sum(-1)), rtol=1e-5, atol=1e-6)
    assert np.isneginf(lse.numpy()[:, 4]).all()


def test_gradients_stay_inside_a_sequence():
    query, key = Q.clone(), K.clone()
    query.stop_gradient = key.stop_gradient = False
    flash_attn_unpadded(query, key, V, ENDS, ENDS, 3, 3, 1.0)[0][:2].sum().backward()
    assert (key.grad.numpy()[2:] == 0).all()
    assert (key.grad.numpy()[:2] != 0).any()


def test_errors():
    with pytest.raises(proa.core.InvalidArgumentError, match="one after the other"):
        flash_attn_unpadded(Q[None], K, V, ENDS, ENDS, 3, 3, 1.0)
    with pytest.raises(proa.core.UnsupportedError, match="need no factor"):
        F.flash_attention_v3_varlen(Q, K, V, ENDS, ENDS, 3, 3, q_descale=ENDS)
