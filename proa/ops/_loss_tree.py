"""Losses over so many classes that they are grouped: along a binary tree, or by frequency.

Axes in names: N rows, D width of a row, C classes, P places on a path.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import nn

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op

from ._host_checks import check_range
from ._loss_class import wide
from ._manipulate import unsqueeze

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _check_label(label: Any, num_classes: int, **_: Any) -> None:
    check_range(label, num_classes, "label", "hsigmoid_loss", "a class")


def _default_path(label_N: Array, num_classes: int) -> tuple[Array, Array, Array]:
    """Inner nodes, turns and validity of the paths in the complete binary tree."""
    code = label_N[:, None] + num_classes
    places = jnp.arange(max((2 * num_classes - 1).bit_length() - 1, 1))[None, :]
    above = code >> (places + 1)
    return above - 1, (code >> places) & 1, above > 0


@op(method=None, amp="black", check=_check_label)
def hsigmoid_loss(
    input: Array,
    label: Index,
    num_classes: int,
    weight: Array,
    bias: Array | None = None,
    path_table: Index | None = None,
    path_code: Index | None = None,
    is_sparse: bool = False,
):
    """Loss of a class reached by left and right turns in a binary tree: hierarchical sigmoid.

    `sum over the path of softplus(z) - turn * z`, `z = input . weight[node] + bias[node]`. As in
    Paddle each place that a path shorter than the longest leaves unused adds log 2, a constant.

    Args:
        input: floating `[N, D]`.
        label: classes `[N]` or `[N, 1]`.
        num_classes: number of classes, C, at least 2.
        weight: `[C - 1, D]`, a row per inner node.
        bias: `[C - 1]` or `[C - 1, 1]`.
        path_table: nodes on the way of each row, `[N, P]`, -1 where the way is over; by default
            those of a complete tree.
        path_code: turns, 0 or 1, `[N, P]`.
        is_sparse: accepted for Paddle's signature; gradients are dense.

    Returns:
        `[N, 1]`.

    Raises:
        InvalidArgumentError: shapes or `num_classes` do not fit.
        OutOfRangeError: a label lies outside (eager mode).

    References:
        Morin and Bengio, "Hierarchical probabilistic neural network language model", 2005.
    """
    if num_classes < 2 or input.ndim != 2 or (path_table is None) != (path_code is None):
        raise InvalidArgumentError(
            f"`hsigmoid_loss` got input {describe_array(input)} and num_classes={num_classes}",
            expected="input [rows, width], at least two classes, path_table with path_code",
            fix="reshape the input; give both parts of a path or none",
        )
    if path_table is None or path_code is None:
        nodes, turns, is_used = _default_path(label.reshape(-1), num_classes)
    else:
        nodes, turns, is_used = path_table, path_code, path_table >= 0
    chosen = jnp.clip(nodes, 0, weight.shape[0] - 1)
    z = jnp.einsum("nd,npd->np", wide(input), wide(weight)[chosen])
    if bias is not None:
        z = z + wide(bias).reshape(-1)[chosen]
    z = jnp.clip(z, -40, 40)
    terms = jnp.where(is_used, nn.softplus(z) - turns * z, math.log(2))
    return jnp.sum(terms, axis=1, keepdims=True).astype(input.dtype)


def _check_adaptive(label: Any, cutoffs: Any, **_: Any) -> None:
    check_range(label, cutoffs[-1], "label", "adaptive_log_softmax_with_loss", "a class")


@op(method=None, amp="black", public=False, check=_check_adaptive)
def adaptive_log_softmax(
    input: Array,
    label: Index,
    head_weight: Array,
    tail_weights: Sequence[Array],
    head_bias: Array | None,
    cutoffs: Any,
):
    """Log-probability of each row's class; see `adaptive_log_softmax_with_loss`."""
    x = wide(input)
    head = x @ wide(head_weight)
    if head_bias is not None:
        head = head + wide(head_bias)
    head = nn.log_softmax(head, axis=-1)
    rows = label.reshape(-1)
    short = cutoffs[0]
    found = _pick(head, jnp.clip(rows, 0, short - 1))
    for cluster, (low, high) in enumerate(zip(cutoffs[:-1], cutoffs[1:], strict=True)):
        inner = x @ wide(tail_weights[2 * cluster]) @ wide(tail_weights[2 * cluster + 1])
        inside = _pick(nn.log_softmax(inner, axis=-1), jnp.clip(rows - low, 0, high - low - 1))
        found = jnp.where((rows >= low) & (rows < high), head[:, short + cluster] + inside, found)
    return found.astype(input.dtype)


def _pick(log_p: Array, columns: Array) -> Array:
    return jnp.take_along_axis(log_p, columns[:, None], axis=1)[:, 0]


@composite
def adaptive_log_softmax_with_loss(
    input: Tensor,
    label: Tensor,
    head_weight: Tensor,
    tail_weights: Any,
    cutoffs: Any,
    head_bias: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Log-probabilities of classes that are grouped by frequency, and their mean loss.

    Frequent classes stand in the head; each cluster of rarer ones has one entry there and a
    softmax of its own.

    Args:
        input: floating `[N, D]` or `[D]`.
        label: classes `[N]`, or 0-d.
        head_weight: `[D, cutoffs[0] + clusters]`.
        tail_weights: per cluster a pair `[D, H]`, `[H, classes of the cluster]`; more pairs
            than `cutoffs` has clusters are left out.
        cutoffs: first class of each cluster, and the number of classes.
        head_bias: `[cutoffs[0] + clusters]`.
        name: not used.

    Returns:
        The log-probability of each row's class, shaped as `label`, and minus their mean.

    Raises:
        InvalidArgumentError: shapes do not fit.
        OutOfRangeError: a label lies outside (eager mode).

    References:
        Grave et al., "Efficient softmax approximation for GPUs", 2017.
    """
    is_single = len(label.shape) == 0
    rank = 1 if is_single else 2
    if len(input.shape) != rank or len(label.shape) > 1 or len(tail_weights) < len(cutoffs) - 1:
        raise InvalidArgumentError(
            f"`adaptive_log_softmax_with_loss` got input of shape {list(input.shape)}, label of "
            f"shape {list(label.shape)} and {len(tail_weights)} tail weights",
            expected="[rows, width] with [rows], or [width] with a 0-d label; a pair per cluster",
            fix="add or drop an axis; cutoffs has one entry more than there are clusters",
        )
    given = (unsqueeze(input, 0), unsqueeze(label, 0)) if is_single else (input, label)
    flat = [weight for pair in tail_weights[: len(cutoffs) - 1] for weight in pair]
    found = adaptive_log_softmax(*given, head_weight, flat, head_bias, tuple(cutoffs))
    output = found[0] if is_single else found
    return output, -output.mean()
