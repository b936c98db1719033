"""Pooling of sparse tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import Tensor, composite, op
from proa.sparse._tensor import SparseTensor, make_coo

from ._windows import meet, read_input, read_window

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@op(name="sparse_max_pool", method=None, public=False)
def _largest(values: Array, table: Index):
    """Largest of the rows that each column of the table names, per channel."""
    is_float = jnp.issubdtype(values.dtype, jnp.inexact)
    lowest: Any = -jnp.inf if is_float else jnp.iinfo(values.dtype).min
    last = jnp.full((1, values.shape[1]), lowest, values.dtype)
    rows = jnp.concatenate([jax.lax.stop_gradient(values), last])
    start = jnp.full((table.shape[1], values.shape[1]), lowest, values.dtype)
    best, _ = jax.lax.scan(lambda m, index: (jnp.maximum(m, rows[index]), None), start, table)
    if not is_float:
        return best

    # As in Paddle, each of several equal largest values gets the whole gradient.
    @jax.checkpoint
    def step(total: Any, index: Any) -> tuple[Any, None]:
        met = values.at[index].get(mode="fill", fill_value=0)
        wins = rows[index] == best
        return total + jnp.where(wins, met - jax.lax.stop_gradient(met), 0), None

    passed, _ = jax.lax.scan(step, jnp.zeros_like(best), table)
    return best + passed


@composite
def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> SparseTensor:
    """Largest stored value under a window, per channel; what is not stored has no part.

    Args:
        x: COO tensor of shape [N, D, H, W, C], its last axis dense.
        kernel_size: extents of the window.
        stride: steps of the window; its extents by default.
        padding: an integer, one per axis, before and after each, or `"SAME"` or `"VALID"`.
        ceil_mode: a last, incomplete window counts (in Paddle 3.3.1 it never does).
        data_format: `"NDHWC"`.
        name: not used.

    Returns:
        COO tensor of shape [N, D', H', W', C], with a place for each window that meets a
        stored value. Each of several equal largest values gets the whole gradient.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: a shape or a setting that does not fit.

    Examples:
        >>> import proa
        >>> places = [[0, 0], [0, 0], [0, 1], [0, 0]]
        >>> x = proa.sparse.sparse_coo_tensor(places, [[-1.0], [-2.0]], [1, 1, 2, 2, 1])
        >>> proa.sparse.nn.functional.max_pool3d(x, [1, 2, 2]).values().tolist()
        [[-1.0]]
    """
    given = read_input(x, 3, "max_pool3d", data_format)
    sizes = (kernel_size, kernel_size if stride is None else stride, padding, 1)
    met = meet(given, read_window(sizes, 3, "max_pool3d", ceil=ceil_mode))
    values = _largest(given.values(), met.table)
    return make_coo(met.places, values, (*met.dims, given.shape[-1]), True)
