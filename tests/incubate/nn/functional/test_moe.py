from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
X, GATES = RNG.standard_normal([5, 3]), RNG.standard_normal([5, 4])
T = proa.to_tensor


def routes(k, capacity, bias=0.0):
    """Experts by softmax, each with its first `capacity` tokens: (token, expert, weight, rank)."""
    prob, counts, found = softmax(GATES, -1), [0] * 4, []
    for token in range(5):
        for expert in np.argsort(-(prob + bias)[token], kind="stable")[:k]:
            found.append((token, expert, prob[token, expert], counts[expert]))
            counts[expert] += 1
    return [r for r in found if r[3] < capacity], counts


@pytest.mark.parametrize("pad", [True, False])
def test_there_and_back(pad):
    kept, counts = routes(2, 2)
    rows, weights, index, offsets, experts = F.moe_gate_dispatch(T(X), T(GATES), None, 2, 2, pad)
    starts = np.arange(4) * 2 if pad else np.cumsum([0, *np.minimum(counts, 2)])
    expected = np.zeros([8 if pad else 10, 3])
    for token, expert, _, rank in kept:
        expected[starts[expert] + rank] = X[token]
    np.testing.assert_allclose(rows, expected)
    np.testing.assert_array_equal(offsets, np.cumsum(counts))
    assert (index.shape, index.dtype, experts.dtype) == ([2, 5], "int32", "int32")
    combined = F.moe_combine(rows, weights, index)
    total = np.zeros(5)
    for token, _, weight, _ in kept:
        total[token] += weight
    np.testing.assert_allclose(combined, X * total[:, None], rtol=1e-5)


def test_a_correction_changes_the_choice_alone():
    bias = np.array([9.0, 0, 0, 0], "float32")
    _, weights, _, offsets, experts = F.moe_gate_dispatch(T(X), T(GATES), T(bias), 1, 5, True)
    assert (experts.numpy() == 0).all()
    np.testing.assert_allclose(weights[:, 0], softmax(GATES, -1)[:, 0], rtol=1e-5)
    assert offsets.tolist() == [5, 5, 5, 5]


def test_gradients_reach_tokens_and_gates():
    x, gates = T(X, stop_gradient=False), T(GATES, stop_gradient=False)
    rows, weights, index, *_ = F.moe_gate_dispatch(x, gates, None, 2, 5, True)
    F.moe_combine(rows, weights, index).sum().backward()
    chosen = np.sort(softmax(GATES, -1), -1)[:, -2:].sum(-1)
    np.testing.assert_allclose(x.grad, np.tile(chosen[:, None], 3), rtol=1e-5)
    assert np.isfinite(gates.grad.numpy()).all()
    assert (gates.grad.numpy() != 0).any()


def test_ordered_by_process():
    plain = F.moe_gate_dispatch(T(X), T(GATES), None, 2, 2, True)
    rows, weights, index, *_ = F.moe_gate_dispatch_permute(T(X), T(GATES), None, 2, 2, 2)
    assert rows.shape == [2, 2, 2, 3]
    by_expert = plain[0].numpy().reshape(2, 2, 2, 3)
    np.testing.assert_allclose(rows, by_expert.swapaxes(0, 1))
    found = F.moe_combine(rows, weights, index)
    np.testing.assert_allclose(found, F.moe_combine(*plain[:3]).numpy())


def test_some_experts_and_their_last_tokens():
    experts = T([[0], [1], [1], [1], [2]], "int32")
    weights = T(np.arange(1.0, 6.0)[:, None])
    rows, kept, index, offsets, counts = F.moe_gate_dispatch_partial_nosoftmaxtopk(
        T(X), weights, experts, 1, 2, 3, True, 1, 3, True
    )
    np.testing.assert_allclose(rows, [X[2], X[3], X[4], np.zeros(3)])
    assert kept.flatten().tolist() == [0, 0, 3, 4, 5]
    assert index.tolist() == [[0, 0, 0, 1, 2]]
    assert (offsets.tolist(), counts.tolist()) == ([3, 4], [3, 1])
    first = F.moe_gate_dispatch_partial_nosoftmaxtopk(
        T(X), weights, experts, 1, 2, 3, False, 1, 3, False
    )
    np.testing.assert_allclose(first[0][:3], [X[1], X[2], X[4]])


def test_float8_tokens():
    q, scale, weights, *_ = F.moe_gate_dispatch_and_quant(T(X), T(GATES), None, 2, 2, True, True)
    rows, expected, *_ = F.moe_gate_dispatch(T(X), T(GATES), None, 2, 2, True)
    np.testing.assert_array_equal(weights, expected)
    found = q.astype("float32").numpy() * scale.numpy()
    np.testing.assert_allclose(found, rows, rtol=0.07, atol=0.01)


def test_counting():
    x = T([[3, 5], [3, 4]], "int32")
    assert F.int_bincount(x, 3, 7).tolist() == [2, 1, 1, 0]
    assert F.int_bincount(x, 3, 7, "int64").dtype == "int64"
    with pytest.raises(InvalidArgumentError, match=r"values in \[low, high\)"):
        F.int_bincount(x, 4, 7)


def test_numbers_of_experts():
    rank, local = F.build_src_rank_and_local_expert_id(T([2, 1, 0, 1]), [2, 1, 0, 1], 2)
    assert (rank.tolist(), local.tolist()) == ([0, 0, 0, 1], [0, 0, 1, 1])
    ids = T([[0, 1], [2, 3]])
    assert F.expand_modality_expert_id(ids, 2, 4, 1, False).tolist() == [[2, 3], [6, 7]]
    assert F.expand_modality_expert_id(ids, 0, 4, 1, True).tolist() == [[0, 5], [2, 7]]


def test_balance_loss():
    prob = softmax(GATES, -1).astype("float32")
    sent = np.array([4, 3, 2, 1])
    loss, count, share = F.cal_aux_loss(T(prob), T(sent), None, None, 4, True, 2, 1e-6)
    np.testing.assert_allclose(loss, (prob.mean(0) * sent / 5).sum() * 4 / 2, rtol=1e-5)
    assert count.item() == 5
    np.testing.assert_allclose(share, sent / 5)
    mask = np.array([1, 1, 0, 0, 1], "float32")
    loss, count, _ = F.cal_aux_loss(T(prob), T(sent), T(mask), T(mask), 4, False, 2, 1e-6)
    np.testing.assert_allclose(loss, (prob[mask > 0].mean(0) * sent / 3).sum() * 4, rtol=1e-5)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="k from 1 to 4"):
        F.moe_gate_dispatch(T(X), T(GATES), None, 5, 2, True)
    with pytest.raises(InvalidArgumentError, match="a divisor of the number of experts"):
        F.moe_gate_dispatch_permute(T(X), T(GATES), None, 1, 2, 3)
    with pytest.raises(InvalidArgumentError, match="correct the range"):
        F.moe_gate_dispatch_partial_nosoftmaxtopk(
            T(X), T(GATES), T(GATES).astype("int32"), 1, 2, 4, True, 2, 5, False
        )
