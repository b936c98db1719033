"""Activations of stored values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, Tensor, composite, op, to_tensor
from proa.sparse._tensor import SparseTensor, coordinates, need_sparse, with_values

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@composite
def relu(x: Tensor, name: str | None = None) -> SparseTensor:
    """`max(x, 0)` of each stored value.

    Args:
        x: sparse tensor.
        name: not used.

    Raises:
        InvalidTypeError: `x` is dense.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 3.0], [3])
        >>> proa.sparse.nn.functional.relu(x).values().tolist()
        [0.0, 3.0]
    """
    given = need_sparse(x, "x", "nn.functional.relu")
    return with_values(given, ops.relu(given.values()))


@composite
def relu6(x: Tensor, name: str | None = None) -> SparseTensor:
    """`min(max(x, 0), 6)` of each stored value.

    Args:
        x: sparse tensor.
        name: not used.

    Raises:
        InvalidTypeError: `x` is dense.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 8.0], [3])
        >>> proa.sparse.nn.functional.relu6(x).values().tolist()
        [0.0, 6.0]
    """
    given = need_sparse(x, "x", "nn.functional.relu6")
    return with_values(given, ops.relu6(given.values()))


@composite
def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> SparseTensor:
    """Each stored value, times `negative_slope` where it is negative.

    Args:
        x: sparse tensor.
        negative_slope: factor of negative values.
        name: not used.

    Raises:
        InvalidTypeError: `x` is dense.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [-2.0, 3.0], [3])
        >>> proa.sparse.nn.functional.leaky_relu(x, 0.5).values().tolist()
        [-1.0, 3.0]
    """
    given = need_sparse(x, "x", "nn.functional.leaky_relu")
    return with_values(given, ops.leaky_relu(given.values(), negative_slope))


@op(name="sparse_softmax", method=None, public=False, amp="black")
def _group_softmax(values: Array, groups: Index, count: int):
    """Softmax among the values of each group."""
    wide = jnp.promote_types(values.dtype, jnp.float32)
    scores = values.astype(wide)
    highest = jnp.full(count, -jnp.inf, wide).at[groups].max(jax.lax.stop_gradient(scores))
    # A group of -inf alone has no probabilities; zeros are better than NaN.
    highest = jnp.where(jnp.isneginf(highest), 0, highest)
    powers = jnp.exp(scores - highest[groups])
    total = jnp.zeros(count, wide).at[groups].add(powers)
    return (powers / jnp.where(total == 0, 1, total)[groups]).astype(values.dtype)


@composite
def softmax(x: Tensor, axis: int = -1, name: str | None = None) -> SparseTensor:
    """Softmax along an axis among the stored values; what is not stored has no weight.

    Args:
        x: sparse tensor without dense axes.
        axis: the axis.
        name: not used.

    Returns:
        Sparse tensor with the same places.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: no such axis, or dense axes.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [1.0, 1.0, 5.0], [2, 3])
        >>> proa.sparse.nn.functional.softmax(x).values().tolist()
        [0.5, 0.5, 1.0]
    """
    given = need_sparse(x, "x", "nn.functional.softmax")
    if given.dense_dim() or not -given.ndim <= axis < given.ndim:
        raise InvalidArgumentError(
            f"`axis` {axis} of shape {given.shape} with {given.dense_dim()} dense axes",
            expected=f"an axis in [{-given.ndim}, {given.ndim}), and no dense axes",
            fix="correct `axis`, or use the softmax of the values",
        )
    groups, count = _groups(given, axis % given.ndim)
    return with_values(given, _group_softmax(given.values(), groups, count))


def _groups(x: SparseTensor, axis: int) -> tuple[Any, int]:
    others = [a for a in range(x.ndim) if a != axis]
    dims = tuple(x._dims[a] for a in others) or (1,)
    places = coordinates(x)
    rows = tuple(places[a] for a in others) or (np.zeros(x.nnz(), np.int64),)
    return to_tensor(np.ravel_multi_index(rows, dims)), int(np.prod(dims))
