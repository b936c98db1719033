from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import proa
from proa.core import InvalidTypeError, PreconditionError
from tests.sparse.samples import COO, CSR, close, coo, csr


def test_facts_of_coo():
    x = coo()
    assert (x.shape, x.ndim, x.size, len(x), x.dtype.name) == ([3, 3], 2, 9, 3, "float32")
    assert (x.nnz(), x.sparse_dim(), x.dense_dim()) == (3, 2, 0)
    assert (x.is_sparse(), x.is_dense(), x.is_sparse_coo(), x.is_sparse_csr()) == (
        *(True, False),
        *(True, False),
    )
    assert not x.is_coalesced()
    assert isinstance(x, proa.Tensor)
    assert x.indices().tolist() == [[0, 1, 2], [1, 2, 0]]
    assert x.values().tolist() == [1.0, 2.0, 3.0]
    assert x.item(1) == 1.0
    assert str(x.place) == "Place(cpu)"


def test_facts_of_csr():
    x = csr()
    assert (x.crows().tolist(), x.cols().tolist()) == ([0, 2, 3, 5], [1, 3, 2, 0, 1])
    assert x.is_sparse_csr()
    assert not x.is_sparse_coo()
    close(x, CSR)
    assert x.tolist() == CSR.tolist()


def test_prints_its_parts():
    text = repr(coo())
    assert text.startswith("Tensor(shape=[3, 3], dtype=paddle.float32, place=Place(cpu)")
    assert "indices=[[0, 1, 2],\n                [1, 2, 0]]," in text
    assert text.endswith("values=[1., 2., 3.])")


def test_forms_turn_into_each_other():
    close(coo().to_sparse_csr(), COO)
    close(csr().to_sparse_coo(2), CSR)
    assert coo().to_sparse_csr().crows().tolist() == [0, 1, 2, 3]


def test_places_named_twice_are_summed_up():
    x = proa.sparse.sparse_coo_tensor([[0, 0, 1]], [1.0, 2.0, 3.0], [2])
    assert x.tolist() == [3.0, 3.0]
    assert x.coalesce().values().tolist() == [3.0, 3.0]
    assert x.coalesce().is_coalesced()


def test_batches_of_compressed_rows():
    array = np.array([[[1.0, 0], [0, 2]], [[0, 0], [3, 4]]])
    x = proa.to_tensor(array).to_sparse_csr()
    assert x.crows().tolist() == [0, 1, 2, 0, 0, 2]
    assert x.cols().tolist() == [0, 1, 0, 1]
    close(x, array)


def test_gradients_are_those_of_the_values():
    x = csr(stop=False)
    assert x.is_leaf
    assert not x.stop_gradient
    proa.sparse.square(x).backward(proa.sparse.square(x.detach()))
    assert x.grad.values().tolist() == [2.0, 16.0, 54.0, 128.0, 250.0]
    assert x.grad.is_sparse_csr()
    x.clear_grad()
    assert x.grad.values().tolist() == [0.0] * 5
    x.stop_gradient = True
    assert x.values().stop_gradient


def test_copies():
    x = coo(stop=False)
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        close(made, COO)
        assert made.values() is not x.values()
        assert not made.stop_gradient


def test_no_elements():
    x = proa.sparse.sparse_coo_tensor(np.zeros((2, 0), int), np.zeros(0, np.float32), [2, 2])
    close(x, np.zeros((2, 2)))
    close(x.to_sparse_csr(), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: proa.sparse.SparseTensor(), InvalidTypeError, "was called"),
        (lambda: proa.exp(coo()), InvalidTypeError, "where a dense one is needed"),
        (lambda: coo().crows(), PreconditionError, "in COO form"),
        (lambda: csr().indices(), PreconditionError, "in CSR form"),
        (lambda: proa.sparse.sin(proa.ones([2])), InvalidTypeError, "`sparse.sin` is a dense"),
        (lambda: proa.ones([2]).to_sparse_csr(), ValueError, "as CSR"),
    ],
)
def test_wrong_use(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_truth_becomes_dense():
    x = proa.sparse.isnan(proa.sparse.sparse_coo_tensor([[0, 2]], [1.0, float("nan")], [4]))
    assert x.to_dense().tolist() == [False, False, True, False]
