"""Attention that looks at some places only."""

from __future__ import annotations

import math

import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, Tensor, composite, to_tensor
from proa.sparse._matmul import masked_matmul, matmul
from proa.sparse._tensor import SparseTensor, coordinates, need_sparse, with_values

from ._activation import softmax


@composite
def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    sparse_mask: Tensor,
    key_padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Attention in which a query sees only the keys at the places of a sparse mask.

    `softmax(query @ key^T / sqrt(d)) @ value`, the softmax among the stored places.

    Args:
        query: tensor of shape [batch, heads, length, d].
        key: tensor of the same shape.
        value: tensor of the same shape.
        sparse_mask: CSR tensor of shape [batch * heads, length, length].
        key_padding_mask: tensor of shape [batch, length]; a key with 0 is not seen.
        attn_mask: tensor of shape [length, length]; a place with 0 is not seen.
        name: not used.

    Returns:
        Tensor of the shape of `query`; zeros for a query that sees nothing.

    Raises:
        InvalidTypeError: `sparse_mask` is dense.
        InvalidArgumentError: shapes that do not fit.

    Examples:
        >>> import proa
        >>> mask = proa.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 1.0], [1, 2, 2])
        >>> x = proa.to_tensor([[[[1.0], [2.0]]]])
        >>> proa.sparse.nn.functional.attention(x, x, x, mask).tolist()
        [[[[2.0], [1.0]]]]
    """
    mask = need_sparse(sparse_mask, "sparse_mask", "nn.functional.attention")
    if query.ndim != 4 or list(key.shape) != list(query.shape):
        raise InvalidArgumentError(
            f"`query` of shape {query.shape}, `key` of shape {key.shape}",
            expected="two tensors of shape [batch, heads, length, d]",
            fix="reshape them",
        )
    heads, length, depth = query.shape[1:]

    def flat(x: Tensor) -> Tensor:
        return x.reshape([-1, length, depth])  # type: ignore[attr-defined]

    scores = masked_matmul(flat(query), ops.swapaxes(flat(key), -1, -2), mask)
    values = scores.values() / math.sqrt(depth)  # type: ignore[operator]
    hidden = _hidden(mask, heads, key_padding_mask, attn_mask)
    if hidden is not None:
        values = ops.masked_fill(values, to_tensor(hidden), -math.inf)
    weights = softmax(with_values(scores, values))
    return matmul(weights, flat(value)).reshape(query.shape)  # type: ignore[attr-defined]


def _hidden(
    mask: SparseTensor, heads: int, key_padding_mask: Tensor | None, attn_mask: Tensor | None
) -> np.ndarray | None:
    block, row, column = coordinates(mask)
    hidden = None
    if key_padding_mask is not None:
        hidden = key_padding_mask.numpy()[block // heads, column] == 0
    if attn_mask is not None:
        seen = attn_mask.numpy()[row, column] == 0
        hidden = seen if hidden is None else hidden | seen
    return hidden
