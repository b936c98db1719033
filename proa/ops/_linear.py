"""Products with a weight, and rows picked from one: linear, bilinear, embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import (
    GradMode,
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    composite,
    describe_array,
    op,
    write_inplace,
)

from ._accumulate import pick
from ._host_checks import check_range

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@op(method=None, amp="white")
def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """Affine map of the last axis: x @ weight + bias.

    Args:
        x: floating tensor [..., I].
        weight: [I, O].
        bias: [O].

    Returns:
        Tensor [..., O].

    Raises:
        InvalidArgumentError: the shapes do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.linear(proa.to_tensor([1.0, 2.0]), proa.to_tensor([[3.0], [4.0]])).tolist()
        [11.0]
    """
    if weight.ndim != 2 or x.ndim == 0 or x.shape[-1] != weight.shape[0]:
        raise InvalidArgumentError(
            f"`linear` got x {describe_array(x)} and weight {describe_array(weight)}",
            expected="x [..., I] and weight [I, O]",
            fix="transpose the weight, or flatten x",
        )
    y = jnp.matmul(x, weight)
    if bias is None:
        return y
    if bias.ndim > 1 or bias.size not in (1, weight.shape[1]):
        raise InvalidArgumentError(
            f"`bias` of `linear` is {describe_array(bias)} with weight {describe_array(weight)}",
            expected=f"shape [{weight.shape[1]}]",
            fix="give one value per output feature",
        )
    return y + bias


@op(method=None, amp="white")
def bilinear(x1: Array, x2: Array, weight: Array, bias: Array | None = None) -> Array:
    """Bilinear form per output: out[n, o] = x1[n] @ weight[o] @ x2[n] + bias[o].

    Args:
        x1: [N, I].
        x2: [N, J].
        weight: [O, I, J].
        bias: [1, O] or [O].

    Returns:
        Tensor [N, O].

    Raises:
        InvalidArgumentError: the shapes do not fit.
    """
    fits = x1.ndim == x2.ndim == 2 and weight.ndim == 3
    if not fits or (x1.shape[1], x2.shape[1]) != weight.shape[1:]:
        raise InvalidArgumentError(
            f"`bilinear` got x1 {describe_array(x1)}, x2 {describe_array(x2)} and "
            f"weight {describe_array(weight)}",
            expected="x1 [N, I], x2 [N, J] and weight [O, I, J]",
            fix="reshape the inputs or the weight",
        )
    y = jnp.einsum("ni,oij,nj->no", x1, weight, x2)
    return y if bias is None else y + bias.reshape(1, -1)


def _check_embedding(x: Any, weight: Any, padding_idx: int | None) -> None:
    check_range(x, weight.shape[0], "x", "embedding", "a row of the weight")


@op(name="embedding_lookup", method=None, public=False, check=_check_embedding)
def embedding_lookup(x: Index, weight: Array, padding_idx: int | None) -> Array:
    """Picks rows of a weight; the padding row comes out as zeros and learns nothing.

    Args:
        x: integer tensor.
        weight: [V, D].
        padding_idx: the padding row, counted from the front.
    """
    rows = pick(lambda w, x: jnp.take(w, x, axis=0, mode="clip"), weight, x)
    if padding_idx is None:
        return rows
    return jnp.where((x == padding_idx)[..., None], jnp.zeros((), rows.dtype), rows)


@op(method=None, public=False, differentiable=False)
def embedding_clip_rows(x: Index, weight: Array, max_norm: float, norm_type: float) -> Array:
    """Scales the rows that `x` names down to a largest norm.

    Args:
        x: integer tensor.
        weight: [V, D].
        max_norm: largest norm of a row.
        norm_type: order of the norm.
    """
    norms = jnp.linalg.norm(weight, ord=norm_type, axis=1, keepdims=True)
    used = jnp.zeros((weight.shape[0], 1), bool).at[x.reshape(-1)].set(True)
    scale = jnp.where(used & (norms > max_norm), max_norm / (norms + 1e-7), 1)
    return (weight * scale).astype(weight.dtype)


@op(method=None, public=False)
def scale_row_gradients(weight: Array, x: Index) -> Array:
    """Passes a weight through; its row gradients are divided by the row's count in `x`.

    Args:
        weight: [V, D].
        x: integer tensor.
    """
    counts = jnp.zeros((weight.shape[0], 1), weight.dtype).at[x.reshape(-1)].add(1)
    share = weight / jnp.maximum(counts, 1)
    # The value stays exact: what is added to the weight is zero.
    return lax.stop_gradient(weight) + (share - lax.stop_gradient(share))


@composite
def embedding(
    x: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    sparse: bool = False,
    scale_grad_by_freq: bool = False,
    name: str | None = None,
) -> Tensor:
    """Picks a row of the weight for each id.

    In eager mode an id outside the weight raises; a compiled program clamps it.

    Args:
        x: integer tensor of any shape.
        weight: [V, D].
        padding_idx: id whose output is zeros and whose row has no gradient; negative counts
            from V.
        max_norm: rows in use are first scaled down, in place, to this norm.
        norm_type: order of that norm.
        sparse: accepted for Paddle's signature; gradients are dense.
        scale_grad_by_freq: divide each row's gradient by how often the row is used.

    Returns:
        Tensor [*x.shape, D].

    Raises:
        OutOfRangeError: an id is negative or at least V.
        InvalidTypeError: `x` is not an integer tensor.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> weight = proa.to_tensor([[0.0, 0.0], [1.0, 2.0]])
        >>> F.embedding(proa.to_tensor([1, 0]), weight).tolist()
        [[1.0, 2.0], [0.0, 0.0]]
    """
    if not isinstance(weight, Tensor) or len(weight.shape) != 2:
        raise InvalidArgumentError(
            f"`weight` of `embedding` is {weight!r}"[:200],
            expected="a Tensor of shape [V, D]",
            fix="give one row per id",
        )
    if isinstance(x, Tensor) and not x.dtype.is_integer:
        raise InvalidTypeError(
            f"`x` of `embedding` has dtype {x.dtype.name}",
            expected="an integer tensor of ids",
            fix="cast it: x.astype('int64')",
        )
    size = weight.shape[0]
    if padding_idx is not None:
        if not -size <= padding_idx < size:
            raise InvalidArgumentError(
                f"`padding_idx` of `embedding` is {padding_idx} with {size} rows",
                expected=f"{-size} <= padding_idx < {size}",
                fix="name an existing row, or None",
            )
        padding_idx %= size
    if max_norm is not None:
        with GradMode(False):
            write_inplace(weight, embedding_clip_rows(x, weight, max_norm, norm_type))
    if scale_grad_by_freq:
        weight = scale_row_gradients(weight, x)
    return embedding_lookup(x, weight, padding_idx)
