from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, bools, case_ids, check_case, randn, same

attend = F.scaled_dot_product_attention


def reference(query, key, value, mask=None, causal=False, scale=None):
    heads, shared = query.shape[2], query.shape[2] // key.shape[2]
    key, value = (np.repeat(t, shared, axis=2) for t in (key, value))
    scores = np.einsum("bthd,bshd->bhts", query, key)
    scores = scores * (query.shape[-1] ** -0.5 if scale is None else scale)
    allowed = np.ones(scores.shape, bool)
    if causal:
        allowed = np.tril(allowed)
    if mask is not None and mask.dtype == bool:
        allowed = allowed & mask
    elif mask is not None:
        scores = scores + mask
    weights = softmax(np.where(allowed, scores, -np.inf), -1)
    assert weights.shape[1] == heads
    return np.einsum("bhts,bshd->bthd", weights, value)


LOOSE = {
    "tolerance": {
        "float32": (2e-5, 5e-6),
        "compiled": (2e-5, 5e-6),
        "sharded": (2e-5, 5e-6),
        "bfloat16": (6e-2, 3e-2),
        "float16": (8e-3, 4e-3),
    },
    "reason": "two products and a softmax, rounded between them",
}
MASK = bools(4, 1, 3, 5)
MASK[..., 0] = True
CASES = [
    Case(attend, (randn(4, 3, 2, 4), randn(4, 5, 2, 4), randn(4, 5, 2, 3)), ref=reference, **LOOSE),
    Case(
        attend,
        (randn(4, 3, 2, 4), randn(4, 5, 2, 4), randn(4, 5, 2, 4), MASK),
        ref=reference,
        **LOOSE,
    ),
    Case(
        attend,
        (randn(4, 3, 2, 4), randn(4, 5, 2, 4), randn(4, 5, 2, 4), randn(1, 2, 3, 5)),
        ref=reference,
        **LOOSE,
    ),
    Case(
        lambda q, k, v: attend(q, k, v, is_causal=True, scale=0.3),
        (randn(4, 3, 4, 4), randn(4, 3, 2, 4), randn(4, 3, 2, 4)),
        ref=lambda q, k, v: reference(q, k, v, None, True, 0.3),
        id="causal_grouped",
        **LOOSE,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("kind", ["bool", "float"])
def test_fully_masked_row_gives_zeros(kind):
    # PT#103963, PT PR#131863, iree#24175, rten PR#1321.
    query = proa.ones([1, 2, 1, 1])
    value = proa.full([1, 2, 1, 1], 3.0)
    mask = np.array([[True, True], [False, False]])
    if kind == "float":
        mask = np.where(mask, 0, -np.inf).astype("float32")
    query.stop_gradient = value.stop_gradient = False
    out = attend(query, query, value, proa.to_tensor(mask))
    same(out.flatten(), [3, 0])
    out.sum().backward()
    same(query.grad.flatten(), [0, 0])
    same(value.grad.flatten(), [0.5, 0.5])


def test_causal_starts_at_the_first_key():
    # As Paddle 3.3.1: query i sees the keys 0 to i, however many keys there are.
    value = proa.to_tensor([1.0, 2.0, 3.0]).reshape([1, 3, 1, 1])
    out = attend(proa.zeros([1, 2, 1, 1]), proa.zeros([1, 3, 1, 1]), value, is_causal=True)
    same(out.flatten(), [1, 1.5])


def test_dropout_only_in_training():
    proa.seed(0)
    q = proa.to_tensor(randn(2, 8, 2, 4))
    plain = attend(q, q, q).numpy()
    same(attend(q, q, q, dropout_p=0.5, training=False), plain)
    dropped = [attend(q, q, q, dropout_p=0.5).numpy() for _ in range(2)]
    assert (dropped[0] != dropped[1]).any()
    many = proa.to_tensor(np.tile(np.asarray(q), (200, 1, 1, 1)))
    mean = attend(many, many, many, dropout_p=0.3).numpy().reshape(200, 2, 8, 2, 4).mean(0)
    np.testing.assert_allclose(mean, plain, atol=0.25)


def test_all_weights_dropped_give_zeros():
    q = proa.to_tensor(randn(1, 2, 1, 4))
    q.stop_gradient = False
    out = attend(q, q, q, dropout_p=1.0)
    same(out, np.zeros((1, 2, 1, 4)))
    out.sum().backward()
    same(q.grad, np.zeros((1, 2, 1, 4)))


def test_no_batch_axis():
    q, k = randn(3, 2, 4), randn(5, 2, 4)
    mask = np.tril(np.ones([3, 5], bool))
    got = attend(*(proa.to_tensor(t) for t in (q, k, k)), proa.to_tensor(mask))
    np.testing.assert_allclose(got, reference(q[None], k[None], k[None], mask)[0], rtol=1e-9)


def test_causal_takes_the_place_of_a_mask():
    # As paddle 3.3.1 documents it.
    value = proa.to_tensor([1.0, 2.0, 3.0]).reshape([1, 3, 1, 1])
    mask = proa.to_tensor([[True, True, False], [False, True, True]])
    out = attend(proa.zeros([1, 2, 1, 1]), proa.zeros([1, 3, 1, 1]), value, mask, is_causal=True)
    same(out.flatten(), [1, 1.5])


def test_no_keys_give_zeros():
    empty = proa.zeros([1, 0, 1, 2])
    same(attend(proa.ones([1, 2, 1, 2]), empty, empty), np.zeros((1, 2, 1, 2)))


# paddle 3.3.1
def test_seeds_drop_the_weights_that_paddle_drops():
    proa.set_flags({"FLAGS_paddle_random": True})
    try:
        proa.seed(3)
        x, value = proa.ones([1, 2, 1, 1]), proa.to_tensor([1.0, 3.0]).reshape([1, 2, 1, 1])
        found = [attend(x, x, value, dropout_p=0.5).flatten().tolist() for _ in range(2)]
    finally:
        proa.set_flags({"FLAGS_paddle_random": False})
    assert found == [[3.0, 3.0], [3.0, 4.0]]


def test_half_precision_scores_do_not_overflow():
    q = proa.full([1, 2, 1, 64], 60.0, "float16")
    same(attend(q, q, proa.ones([1, 2, 1, 64], "float16")), np.ones((1, 2, 1, 64)), "float16")


Q = proa.zeros([1, 2, 4, 3])
ERRORS = [
    (lambda: attend(Q, proa.zeros([1, 2, 3, 3]), proa.zeros([1, 2, 3, 3])), "multiple of the key"),
    (lambda: attend(Q, Q[:, :, :2], Q[:, :, :2], enable_gqa=False), "equal widths"),
    (lambda: attend(Q, Q, proa.zeros([1, 3, 4, 3])), "equal lengths of key and value"),
    (lambda: attend(Q, Q, Q, dropout_p=1.5), "`dropout_p`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
