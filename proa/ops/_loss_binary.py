"""Losses of yes-or-no decisions: binary cross entropy and its relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import nn

from proa.core import InvalidArgumentError, describe_array, op

from ._host_checks import check_range
from ._loss_class import reduce_loss, wide

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _same_shape(input: Array, label: Array, name: str) -> None:
    if input.shape != label.shape:
        raise InvalidArgumentError(
            f"`{name}` got input {describe_array(input)} and label {describe_array(label)}",
            expected="equal shapes",
            fix="reshape one of them: a silent broadcast would change the loss",
        )


@op(method=None, amp="black")
def binary_cross_entropy(
    input: Array, label: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    """Binary cross entropy of probabilities: -label log(input) - (1 - label) log(1 - input).

    Logarithms are bounded below by -100.

    Args:
        input: probabilities in [0, 1].
        label: targets in [0, 1], of the shape of `input`.
        weight: factor per element, broadcastable.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes differ, or unknown reduction.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> p, y = proa.to_tensor([0.5]), proa.to_tensor([1.0])
        >>> round(F.binary_cross_entropy(p, y).item(), 4)
        0.6931
    """
    _same_shape(input, label, "binary_cross_entropy")
    p, y = wide(input), label.astype(wide(input).dtype)

    def bounded_log(value: Array) -> Array:
        # The guard keeps the gradient at 0 finite: log'(0) * 0 would be NaN.
        tiny = jnp.finfo(value.dtype).tiny
        return jnp.where(value < tiny, -100.0, jnp.log(jnp.maximum(value, tiny)))

    loss = -(y * bounded_log(p) + (1 - y) * bounded_log(1 - p))
    loss = (loss if weight is None else loss * weight).astype(input.dtype)
    return reduce_loss(loss, reduction, "binary_cross_entropy")


@op(method=None, amp="black")
def binary_cross_entropy_with_logits(
    logit: Array,
    label: Array,
    weight: Array | None = None,
    reduction: str = "mean",
    pos_weight: Array | None = None,
) -> Array:
    """Binary cross entropy of sigmoid(logit).

    Args:
        logit: floating tensor.
        label: targets in [0, 1], of the shape of `logit`.
        weight: factor per element, broadcastable.
        reduction: `'none'`, `'mean'` or `'sum'`.
        pos_weight: factor of the loss of positive labels, broadcastable.

    Raises:
        InvalidArgumentError: shapes differ, or unknown reduction.
    """
    _same_shape(logit, label, "binary_cross_entropy_with_logits")
    x, y = wide(logit), label.astype(wide(logit).dtype)
    # -log(sigmoid(x)) is softplus(-x), and softplus(-x) + x is -log(1 - sigmoid(x)).
    factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * y
    loss = (1 - y) * x + factor * nn.softplus(-x)
    loss = (loss if weight is None else loss * weight).astype(logit.dtype)
    return reduce_loss(loss, reduction, "binary_cross_entropy_with_logits")


@op(method=None, amp="black")
def sigmoid_focal_loss(
    logit: Array,
    label: Array,
    normalizer: Array | None = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
) -> Array:
    """Focal loss: a_t * (1 - p_t)^gamma * -log(p_t), p_t the probability of the true side.

    Args:
        logit: floating tensor.
        label: targets in [0, 1], of the shape of `logit`.
        normalizer: number that the loss is divided by, one element.
        alpha: weight of positives (1 - alpha for negatives); negative for none.
        gamma: how strongly easy elements fade; not negative.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes differ, negative gamma, or unknown reduction.
    """
    _same_shape(logit, label, "sigmoid_focal_loss")
    if gamma < 0:
        raise InvalidArgumentError(
            f"`gamma` of `sigmoid_focal_loss` is {gamma}",
            expected="a number of at least 0",
            fix="use 2.0",
        )
    x, y = wide(logit), label.astype(wide(logit).dtype)
    p = nn.sigmoid(x)
    missed = p * (1 - y) + (1 - p) * y
    loss = (nn.softplus(x) - x * y) * missed**gamma
    if alpha >= 0:
        loss = loss * (alpha * y + (1 - alpha) * (1 - y))
    if normalizer is not None:
        loss = loss / normalizer.reshape(())
    return reduce_loss(loss.astype(logit.dtype), reduction, "sigmoid_focal_loss")


@op(method=None)
def soft_margin_loss(input: Array, label: Array, reduction: str = "mean") -> Array:
    """Logistic loss of labels 1 and -1: log(1 + exp(-label * input)).

    Args:
        input: floating tensor.
        label: 1 or -1, of the shape of `input`.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes differ, or unknown reduction.
    """
    _same_shape(input, label, "soft_margin_loss")
    loss = nn.softplus(-label.astype(input.dtype) * input)
    return reduce_loss(loss, reduction, "soft_margin_loss")


@op(method=None)
def multi_label_soft_margin_loss(
    input: Array, label: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    """Binary cross entropy of each class, averaged over the last axis.

    Args:
        input: logits [..., C].
        label: 0 or 1, of the shape of `input`.
        weight: factor per class.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes differ, or unknown reduction.
    """
    _same_shape(input, label, "multi_label_soft_margin_loss")
    y = label.astype(input.dtype)
    loss = y * nn.softplus(-input) + (1 - y) * nn.softplus(input)
    loss = jnp.mean(loss if weight is None else loss * weight, axis=-1)
    return reduce_loss(loss, reduction, "multi_label_soft_margin_loss")


def _check_classes(input: Any, label: Any, epsilon: float) -> None:
    check_range(label, input.shape[-1], "label", "dice_loss", "a class")


@op(method=None, check=_check_classes)
def dice_loss(input: Array, label: Index, epsilon: float = 1e-5) -> Array:
    """One minus the dice overlap: 1 - 2 |input * hot| / (|input| + |hot| + epsilon), averaged.

    Args:
        input: probabilities [N, ..., C].
        label: classes [N, ..., 1].
        epsilon: keeps the quotient finite.

    Raises:
        InvalidArgumentError: the label's shape does not fit.
        OutOfRangeError: a label is no class.
    """
    if label.shape != (*input.shape[:-1], 1):
        raise InvalidArgumentError(
            f"`dice_loss` got input {describe_array(input)} and label {describe_array(label)}",
            expected="input [N, ..., C] and label [N, ..., 1]",
            fix="add a last axis of extent 1 to the label",
        )
    hot = (label == jnp.arange(input.shape[-1])).astype(input.dtype)
    axes = tuple(range(1, input.ndim))
    overlap = jnp.sum(input * hot, axis=axes)
    total = jnp.sum(input, axis=axes) + jnp.sum(hot, axis=axes)
    return jnp.mean(1 - 2 * overlap / (total + epsilon))
