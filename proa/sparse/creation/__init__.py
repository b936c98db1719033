"""Makers of sparse tensors, under the names of `paddle.sparse.creation`."""

from proa.sparse._creation import sparse_coo_tensor as sparse_coo_tensor
from proa.sparse._creation import sparse_csr_tensor as sparse_csr_tensor
