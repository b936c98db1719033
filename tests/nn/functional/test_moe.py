from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F

X = proa.to_tensor(np.random.default_rng(3).standard_normal([3, 4]), "float32")
ROUTES = proa.to_tensor([[-1, 0, 2], [1, -1, -1], [-1, -1, 1]], dtype="int32")
WEIGHTS = proa.to_tensor([[0.0, 0.75, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_there_and_back():
    x = X.clone()
    x.stop_gradient = False
    rows, where, weights, factors, expert = F.moe_permute(
        x, None, ROUTES, WEIGHTS, 3, [1, 2, 1], 2, return_expert_indices=True
    )
    assert rows.shape == [6, 4]
    assert factors.shape == [0]
    np.testing.assert_array_equal(where, [[0, -1, 4], [-1, 2, -1], [-1, 3, -1]])
    np.testing.assert_array_equal(weights, [0.75, 0, 1, 1, 0.25, 0])
    np.testing.assert_array_equal(expert, [0, -1, 1, 1, 2, -1])
    np.testing.assert_array_equal(rows.numpy()[1], np.zeros(4))
    back, found = F.moe_unpermute(rows, where, ROUTES, weights, 3, 3, using_weighted_combine=True)
    np.testing.assert_allclose(back, X.numpy(), rtol=1e-6)
    np.testing.assert_array_equal(found, WEIGHTS)
    back.sum().backward()
    np.testing.assert_allclose(x.grad, np.ones([3, 4]), rtol=1e-6)


def test_sums_without_weights():
    rows, where, weights, _ = F.moe_permute(X, None, ROUTES, WEIGHTS, 3, [1, 2, 1], 1)
    back, _ = F.moe_unpermute(rows, where, ROUTES, weights.unsqueeze(-1), 3, 3, False)
    np.testing.assert_allclose(back, X.numpy() * [[2], [1], [1]], rtol=1e-6)


def test_half_precision_keeps_its_dtype():
    rows, where, weights, _ = F.moe_permute(
        X.astype("bfloat16"), None, ROUTES, WEIGHTS, 3, [1, 2, 1], 1
    )
    assert rows.dtype == "bfloat16"
    assert F.moe_unpermute(rows, where, ROUTES, weights, 3, 3)[0].dtype == "bfloat16"


def test_factors_go_with_their_tokens():
    factors = proa.to_tensor([[1.0], [2.0], [3.0]])
    x = X.astype("float8_e4m3fn")
    rows, _, _, found = F.moe_permute(
        x, factors, ROUTES, WEIGHTS, 3, [1, 2, 1], 1, override_buffer_size=5
    )
    assert rows.dtype == "float8_e4m3fn"
    np.testing.assert_array_equal(found.flatten(), [1, 2, 3, 1, 0])
    assert F.moe_permute(X, None, ROUTES, WEIGHTS, 3, [1, 2, 1], 1, False)[0].shape == [0, 4]


def test_errors():
    with pytest.raises(proa.core.InvalidArgumentError, match="alignment of 1 or more"):
        F.moe_permute(X, None, ROUTES, WEIGHTS, 3, [1, 2, 1], 0)
    with pytest.raises(proa.core.InvalidArgumentError, match="second result of `moe_permute`"):
        F.moe_unpermute(X, ROUTES, ROUTES, WEIGHTS, 4, 3)
