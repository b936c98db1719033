from __future__ import annotations

import pytest

import proa
from proa.core import PreconditionError


def test_dense_tensors_become_sparse():
    x = proa.to_tensor([[0.0, 1.0], [2.0, 0.0]])
    assert x.to_sparse_coo(2).values().tolist() == [1.0, 2.0]
    assert x.to_sparse_coo().sparse_dim() == 2
    assert x.to_sparse_csr().crows().tolist() == [0, 1, 2]
    assert not x.is_sparse()


@pytest.mark.parametrize(
    "name", ["values", "indices", "crows", "cols", "nnz", "coalesce", "is_coalesced"]
)
def test_dense_tensors_have_no_places(name):
    with pytest.raises(PreconditionError, match=rf"{name}\(\) of a dense tensor"):
        getattr(proa.ones([2]), name)()


def test_empty_tensors_become_sparse_ones():
    made = proa.zeros([0, 3]).to_sparse_coo(2)
    assert (made.shape, made.indices().shape, made.values().shape) == ([0, 3], [2, 0], [0])
    assert proa.zeros([2, 0]).to_sparse_coo(1).values().shape == [0, 0]
    assert proa.zeros([2, 0]).to_sparse_csr().crows().tolist() == [0, 0, 0]
