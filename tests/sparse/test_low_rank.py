from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError

VALUES = np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 4], [5, 0, 0]])


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("form", ["coo", "csr"])
def test_the_matrix_is_never_dense(center, form):
    dense = proa.to_tensor(VALUES)
    x = dense.to_sparse_coo(2) if form == "coo" else dense.to_sparse_csr()
    u, s, v = (t.numpy() for t in proa.sparse.pca_lowrank(x, center=center))
    expected = VALUES - VALUES.mean(0) * center
    np.testing.assert_allclose(u * s @ v.T, expected, 1e-9, 1e-9)
    np.testing.assert_allclose(s, np.linalg.svd(expected)[1], 1e-9)


def test_bad_arguments():
    with pytest.raises(InvalidTypeError, match="is a dense tensor"):
        proa.sparse.pca_lowrank(proa.to_tensor(VALUES))
    x = proa.to_tensor(VALUES)
    with pytest.raises(InvalidArgumentError, match="with 1 dense axes"):
        proa.sparse.pca_lowrank(x.to_sparse_coo(1))
    with pytest.raises(InvalidArgumentError, match="`q` of `sparse.pca_lowrank` is 4"):
        proa.sparse.pca_lowrank(x.to_sparse_coo(2), 4)
