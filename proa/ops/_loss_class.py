"""Losses of a choice between classes: cross entropy and its relatives."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax, nn

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op

from ._host_checks import check_range
from ._promote import floating
from ._softmax import positive_axis, softmax

if TYPE_CHECKING:
    from proa.core._types import Array, Index

_REDUCTIONS = ("none", "mean", "sum")


def check_reduction(reduction: str, name: str) -> None:
    """Refuses a reduction that does not exist."""
    if reduction not in _REDUCTIONS:
        raise InvalidArgumentError(
            f"`reduction` of `{name}` is {reduction!r}",
            expected="'none', 'mean' or 'sum'",
            fix="use one of them",
        )


def reduce_loss(loss: Array, reduction: str, name: str) -> Array:
    """Applies `'none'`, `'mean'` or `'sum'`."""
    check_reduction(reduction, name)
    if reduction == "mean":
        return jnp.mean(loss)
    return jnp.sum(loss) if reduction == "sum" else loss


def wide(x: Array) -> Array:
    """Half precision computes in float32; the caller casts back."""
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def _check_labels(
    input: Any, label: Any, soft_label: bool, ignore_index: int, axis: int, **_: Any
) -> None:
    integers = jnp.issubdtype(label.dtype, jnp.integer)
    if integers and not soft_label and -input.ndim <= axis < input.ndim:
        check_range(label, input.shape[axis], "label", "cross_entropy", "a class", ignore_index)


def _log_probabilities(x: Array, axis: int, use_softmax: bool) -> Array:
    if use_softmax:
        return nn.log_softmax(x, axis=axis)
    tiny = jnp.finfo(x.dtype).tiny
    return jnp.log(jnp.maximum(x, tiny))


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _class_entropy(x: Array, places: Array, axis: int) -> Array:
    """-log_softmax(x) at `places`, without an array of log-probabilities.

    Differentiated as such, the pick would become a scatter into zeros as large as `x`, added to a
    softmax that was kept since the forward pass. The rule below is one elementwise pass over `x`.
    """
    highest, total = _softmax_sums(x, axis)
    picked = jnp.take_along_axis(x, places, axis=axis, mode="clip")
    return jnp.log(total) - (picked - highest)


@_class_entropy.defjvp
def _class_entropy_jvp(axis: int, primals: Any, tangents: Any) -> tuple[Array, Array]:
    x, places = primals
    highest, total = _softmax_sums(x, axis)
    within = jnp.clip(places, 0, x.shape[axis] - 1)
    hot = lax.broadcasted_iota(places.dtype, x.shape, axis) == within
    slope = jnp.exp(x - highest) / total - hot.astype(x.dtype)
    change = jnp.sum(slope * tangents[0], axis=axis, keepdims=True)
    return _class_entropy(x, places, axis), change


def _softmax_sums(x: Array, axis: int) -> tuple[Array, Array]:
    """The largest value along an axis, a constant to derivatives, and sum(exp(x - largest))."""
    highest = lax.stop_gradient(jnp.max(x, axis=axis, keepdims=True, initial=-jnp.inf))
    return highest, jnp.sum(jnp.exp(x - highest), axis=axis, keepdims=True)


def _hard_label(label: Array, input: Array, axis: int, name: str) -> tuple[Array, bool]:
    """The label with an extent of 1 along `axis`, and whether it came so."""
    kept = (*input.shape[:axis], 1, *input.shape[axis + 1 :])
    dropped = (*input.shape[:axis], *input.shape[axis + 1 :])
    if label.shape == kept:
        return label, True
    if label.shape == dropped:
        return jnp.expand_dims(label, axis), False
    raise InvalidArgumentError(
        f"`{name}` got input {describe_array(input)} and label {describe_array(label)}",
        expected=f"a label of shape {list(dropped)} or {list(kept)}",
        fix="give one class per element, or set soft_label=True for probabilities",
    )


def _soft_entropy(
    log_p: Array, target: Array, weight: Array | None, axis: int
) -> tuple[Array, Array]:
    """Loss and weight per element for a distribution over classes, extent 1 along `axis`."""
    loss = -jnp.sum(target * log_p, axis=axis, keepdims=True)
    if weight is None:
        return loss, jnp.ones_like(loss)
    shape = [-1 if i == axis else 1 for i in range(log_p.ndim)]
    factor = jnp.sum(target * weight.reshape(shape), axis=axis, keepdims=True)
    return loss * factor, factor


@op(method=None, amp="black", check=_check_labels)
def cross_entropy(
    input: Array,
    label: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
) -> Array:
    """Cross entropy: -log of the probability that softmax(input) gives to the label.

    `'mean'` divides by the summed weights of the labels that count; it is 0 when none does.
    In eager mode a label outside the classes raises; a compiled program clamps it.

    Args:
        input: floating tensor with one extent for the classes: logits, or probabilities
            without `use_softmax`.
        label: integer classes, without the class axis or with an extent of 1 there; with
            `soft_label` probabilities of the shape of `input`.
        weight: weight per class, [C].
        ignore_index: label that counts neither in the loss nor in the mean.
        reduction: `'none'`, `'mean'` or `'sum'`.
        soft_label: labels are probabilities.
        axis: the class axis.
        use_softmax: apply softmax to `input`.
        label_smoothing: share of each label that is spread over all classes.

    Returns:
        0-d tensor; with `'none'` a tensor of the label's shape (extent 1 along the class
        axis for soft and smoothed labels).

    Raises:
        InvalidArgumentError: shapes, reduction or smoothing do not fit.
        OutOfRangeError: a label is no class and not `ignore_index`.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> logits = proa.to_tensor([[0.0, 0.0]])
        >>> round(F.cross_entropy(logits, proa.to_tensor([1])).item(), 4)
        0.6931

    Differs: with both `label_smoothing` and `ignore_index`, ignored labels stay ignored.
    """
    check_reduction(reduction, "cross_entropy")
    if not 0 <= label_smoothing <= 1:
        raise InvalidArgumentError(
            f"`label_smoothing` of `cross_entropy` is {label_smoothing}",
            expected="a number in [0, 1]",
            fix="use 0.1, or 0.0 for none",
        )
    axis = positive_axis(axis, input.ndim, "cross_entropy")
    classes = input.shape[axis]
    if weight is not None and weight.size != classes:
        raise InvalidArgumentError(
            f"`weight` of `cross_entropy` is {describe_array(weight)}",
            expected=f"one value for each of {classes} classes",
            fix="check `axis` and the weight",
        )
    input = floating(input)
    scores = wide(input)
    weight = None if weight is None else weight.reshape(-1).astype(scores.dtype)
    # Labels that are smoothed may come as one-hot rows already, as in Paddle.
    is_one_hot = label_smoothing > 0 and label.shape == input.shape
    is_soft = soft_label or is_one_hot
    fused = use_softmax and not is_soft and not label_smoothing
    log_p = scores if fused else _log_probabilities(scores, axis, use_softmax)
    if is_soft:
        loss, factor = _soft_case(log_p, label, weight, axis, label_smoothing)
    else:
        loss, factor = _hard_case(log_p, label, weight, axis, ignore_index, label_smoothing, fused)
    if reduction == "none":
        return loss.astype(input.dtype)
    total = jnp.sum(loss)
    if reduction == "mean":
        count = jnp.sum(factor)
        total = total / jnp.where(count == 0, 1, count)
    return total.astype(input.dtype)


def _smooth(target: Array, smoothing: float, axis: int) -> Array:
    return target * (1 - smoothing) + smoothing / target.shape[axis] if smoothing else target


def _soft_case(
    log_p: Array, label: Array, weight: Array | None, axis: int, smoothing: float
) -> tuple[Array, Array]:
    if label.shape != log_p.shape:
        raise InvalidArgumentError(
            f"`cross_entropy` got input {describe_array(log_p)}, label {describe_array(label)} "
            "and soft_label=True",
            expected="a label of the input's shape",
            fix="give one probability per class, or set soft_label=False for classes",
        )
    return _soft_entropy(log_p, _smooth(label.astype(log_p.dtype), smoothing, axis), weight, axis)


def _hard_case(
    log_p: Array,
    label: Array,
    weight: Array | None,
    axis: int,
    ignore_index: int,
    smoothing: float,
    fused: bool = False,
) -> tuple[Array, Array]:
    """Loss and weight per element; with `fused`, `log_p` are logits still."""
    places, keeps_axis = _hard_label(label, log_p, axis, "cross_entropy")
    counts = places != ignore_index
    safe = jnp.where(counts, places, 0).astype(jnp.int32)
    if smoothing:
        hot = (lax.broadcasted_iota(jnp.int32, log_p.shape, axis) == safe).astype(log_p.dtype)
        loss, factor = _soft_entropy(log_p, _smooth(hot, smoothing, axis), weight, axis)
        keeps_axis = True
    else:
        if fused:
            loss = _class_entropy(log_p, safe, axis)
        else:
            loss = -jnp.take_along_axis(log_p, safe, axis=axis, mode="clip")
        factor = jnp.ones_like(loss)
        if weight is not None:
            factor = jnp.take(weight, safe, mode="clip")
            loss = loss * factor
    zero = jnp.zeros((), log_p.dtype)
    loss, factor = jnp.where(counts, loss, zero), jnp.where(counts, factor, zero)
    return (loss, factor) if keeps_axis else (loss.squeeze(axis), factor)


@composite
def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """Cross entropy of each element, the class axis kept with an extent of 1.

    Args:
        logits: floating tensor with one extent for the classes.
        label: integer classes with an extent of 1 along `axis`, or probabilities.
        soft_label: labels are probabilities.
        ignore_index: label whose loss is 0.
        numeric_stable_mode: accepted for Paddle's signature; always stable.
        return_softmax: return the probabilities too.
        axis: the class axis.

    Returns:
        The losses, or the losses and the probabilities.

    Raises:
        InvalidArgumentError: shapes do not fit.
        OutOfRangeError: a label is no class and not `ignore_index`.
    """
    loss = cross_entropy(logits, label, None, ignore_index, "none", soft_label, axis)
    if loss.ndim < logits.ndim:
        loss = loss.unsqueeze(axis)  # type: ignore[attr-defined]
    return (loss, softmax(logits, axis)) if return_softmax else loss


def _check_nll(input: Any, label: Any, ignore_index: int, **_: Any) -> None:
    if input.ndim > 1:
        check_range(label, input.shape[1], "label", "nll_loss", "a class", ignore_index)


@op(method=None, amp="black", check=_check_nll)
def nll_loss(
    input: Array,
    label: Index,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Array:
    """Negative log-likelihood: -weight[label] * input[label].

    `'mean'` divides by the summed weights of the labels that count; it is 0 when none does.

    Args:
        input: log-probabilities [N, C, ...].
        label: classes [N, ...], or [N, 1] beside scores [N, C].
        weight: weight per class, [C].
        ignore_index: label that counts neither in the loss nor in the mean.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes or reduction do not fit.
        OutOfRangeError: a label is no class and not `ignore_index`.
    """
    check_reduction(reduction, "nll_loss")
    if input.ndim == label.ndim == 2 and label.shape[1] == 1:
        label = label.reshape(-1)
    if input.ndim < 2 or label.shape != (input.shape[0], *input.shape[2:]):
        raise InvalidArgumentError(
            f"`nll_loss` got input {describe_array(input)} and label {describe_array(label)}",
            expected="input [N, C, ...] and label [N, ...]",
            fix="drop the class axis of the label",
        )
    weight = None if weight is None else weight.reshape(-1).astype(input.dtype)
    loss, factor = _hard_case(input, label, weight, 1, ignore_index, 0.0)
    if reduction == "none":
        return loss
    total = jnp.sum(loss)
    if reduction == "mean":
        count = jnp.sum(factor)
        return total / jnp.where(count == 0, 1, count)
    return total
