from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import randn

F = proa.sparse.nn.functional
SEEN = np.array([[1.0, 1, 0], [0, 1, 1], [1, 1, 1]])


def reference(q, k, v, seen):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    powers = np.where(seen != 0, np.exp(scores), 0)
    return powers / powers.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize("masks", [False, True])
def test_against_the_dense_form(masks):
    q, k, v = (randn(2, 2, 3, 4).astype("float32") for _ in range(3))
    mask = proa.to_tensor(np.stack([SEEN] * 4)).to_sparse_csr()
    padding = np.array([[1.0, 1, 1], [1, 1, 0]])
    seen = SEEN * (padding[:, None, None] * np.tril(np.ones((3, 3))) if masks else 1)
    options = (proa.to_tensor(padding), proa.to_tensor(np.tril(np.ones((3, 3)))))
    made = F.attention(*map(proa.to_tensor, (q, k, v)), mask, *(options if masks else ()))
    np.testing.assert_allclose(made.numpy(), reference(q, k, v, seen), 1e-4, 1e-5)


def test_wrong_shapes():
    mask = proa.to_tensor(SEEN[None]).to_sparse_csr()
    with pytest.raises(InvalidArgumentError, match="`query` of shape"):
        F.attention(*[proa.ones([3, 2])] * 3, mask)
