"""Gradients that training code adds up by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import Tensor, composite, op
from proa.core import write_inplace as overwrite
from proa.ops._host_checks import check_range

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _check_label(label: Any, softmax: Any, **rest: Any) -> None:
    name = "cross_entropy_with_softmax_bwd_w_downcast"
    check_range(label, softmax.shape[-1], "label", name, "a class")


def _check_rows(main: Any, index: Any, **rest: Any) -> None:
    check_range(index, main.shape[0], "token_indices", "embedding_grad_add_to_", "a row")


@op(method=None, differentiable=False, check=_check_label)
def cross_entropy_with_softmax_bwd_w_downcast(
    label: Index, softmax: Array, loss_grad: Array
) -> Array:
    """Gradient of the cross entropy by its logits, in bfloat16: `(softmax - onehot) * grad`.

    Args:
        label: integers [N, 1] or [N].
        softmax: float32 [N, C].
        loss_grad: gradient of each row's loss, [N, 1] or [N].

    Returns:
        bfloat16 tensor [N, C].
    """
    rows = label.reshape(*softmax.shape[:-1], 1)
    hit = rows == jnp.arange(softmax.shape[-1])
    grad = (softmax - hit) * loss_grad.reshape(*softmax.shape[:-1], 1)
    return grad.astype(jnp.bfloat16)


@op(method=None, public=False, differentiable=False, check=_check_rows)
def rows_added(main: Array, index: Index, grad: Array) -> Array:
    """Adds rows of a gradient to the rows of a table that an index names."""
    flat = grad.reshape(-1, grad.shape[-1]).astype(main.dtype)
    return main.at[index.reshape(-1)].add(flat, mode="drop")


@composite
def embedding_grad_add_to_(
    token_indices: Tensor, main_grad_: Tensor, out_grad: Tensor, name: str | None = None
) -> Tensor:
    """Adds the gradient of an embedding's result to the gradient of its table, in place.

    Args:
        token_indices: integers of any shape.
        main_grad_: gradient of the table [V, D]; overwritten.
        out_grad: gradient of the result, [*token_indices.shape, D].
        name: not used.

    Returns:
        `main_grad_`.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import embedding_grad_add_to_
        >>> table = proa.zeros([3, 1])
        >>> embedding_grad_add_to_(proa.to_tensor([2, 2]), table, proa.ones([2, 1])).tolist()
        [[0.0], [0.0], [2.0]]
    """
    return overwrite(main_grad_, rows_added(main_grad_, token_indices, out_grad))
