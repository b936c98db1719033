"""Tokens to experts and back: which row of an expert's buffer a token gets.

Axes in names: N tokens, K choices per token, E experts, R rows of the buffers, D width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, OutOfRangeError, op

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def ranks_within(experts: Array, num_experts: int) -> tuple[Array, Array]:
    """Counts, for each entry of a flat array, earlier entries of its value; and all per value.

    An entry that is negative is no expert: its rank has no meaning, and nobody counts it.
    """
    chosen = experts[:, None] == jnp.arange(num_experts)
    before = jnp.cumsum(chosen, axis=0, dtype=jnp.int32) - chosen
    rank = jnp.sum(jnp.where(chosen, before, 0), axis=1)
    return rank.astype(jnp.int32), jnp.sum(chosen, axis=0, dtype=jnp.int32)


def _check_routes(routes: Any, counts: Any, num_experts: int, **rest: Any) -> None:
    routes, counts = np.asarray(routes), np.asarray(counts)
    if routes.size and (routes.min() < -1 or routes.max() >= num_experts):
        raise OutOfRangeError(
            f"experts from {routes.min()} to {routes.max()} are named",
            expected=f"-1 for none, or 0 to {num_experts - 1}",
            fix="correct the routes, or `num_experts`",
        )
    found = np.bincount(routes[routes >= 0].ravel(), minlength=num_experts)
    if counts.shape != (num_experts,) or (found > counts).any():
        raise InvalidArgumentError(
            f"`tokens_per_expert` is {counts.tolist()}, the routes name {found.tolist()}",
            expected=f"{num_experts} counts, none below what the routes name",
            fix="count the routes: proa.bincount(routes[routes >= 0])",
        )


@op(method=None, public=False, differentiable=False, check=_check_routes)
def expert_rows(
    routes: Index, counts: Index, num_experts: int, alignment: int, num_rows: int
) -> tuple[Array, Array, Array, Array]:
    """Gives each chosen expert's buffer a row for each of its tokens, in order of the tokens.

    Args:
        routes: [N, K], experts chosen by each token; -1 for none.
        counts: [E], rows each expert needs.
        num_experts: number of experts E.
        alignment: each buffer is padded to a multiple of it.
        num_rows: rows of all buffers together, R.

    Returns:
        int32: rows of each token per expert, -1 for none, [N, E]; the token of each row, -1
        for padding, [R]; the choice (0 to K - 1) of each row, [R]; its expert, -1 for
        padding, [R].
    """
    num_tokens, num_choices = routes.shape
    flat = routes.reshape(-1)
    padded = (counts + alignment - 1) // alignment * alignment
    starts = jnp.cumsum(padded) - padded
    rank, _ = ranks_within(flat, num_experts)
    row = jnp.where(flat >= 0, starts[flat] + rank, num_rows).astype(jnp.int32)
    token = jnp.repeat(jnp.arange(num_tokens, dtype=jnp.int32), num_choices)
    choice = jnp.tile(jnp.arange(num_choices, dtype=jnp.int32), num_tokens)
    rows_NE = jnp.full((num_tokens, num_experts), -1, jnp.int32)
    # `num_rows` is no row and `num_experts` no column: what is put there is dropped.
    column = jnp.where(flat >= 0, flat, num_experts)
    rows_NE = rows_NE.at[token, column].set(row, mode="drop")
    none = jnp.full((num_rows,), -1, jnp.int32)
    of_row = [
        none.at[row].set(value.astype(jnp.int32), mode="drop") for value in (token, choice, flat)
    ]
    return rows_NE, of_row[0], of_row[1], of_row[2]


@op(method=None, public=False)
def gather_rows(x: Array, rows: Index) -> Array:
    """Picks rows of a tensor; a negative row gives zeros.

    Args:
        x: [R, ...].
        rows: integers of any shape.

    Returns:
        Tensor [*rows.shape, ...].
    """
    if x.shape[0] == 0:
        return jnp.zeros((*rows.shape, *x.shape[1:]), x.dtype)
    shape = (*rows.shape, *([1] * (x.ndim - 1)))
    picked = x[jnp.clip(rows, 0, x.shape[0] - 1)]
    return jnp.where((rows >= 0).reshape(shape), picked, jnp.zeros((), x.dtype))
