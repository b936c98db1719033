"""Losses that ask for a margin: rankings, pairs, triplets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax, nn

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op

from ._host_checks import check_range, host_values
from ._loss_class import check_reduction, reduce_loss
from ._similarity import vector_norm

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _hinge(x: Array) -> Array:
    """max(x, 0) with gradient 0 at 0."""
    return jnp.where(x <= 0, jnp.zeros((), x.dtype), x)


@op(method=None)
def margin_ranking_loss(
    input: Array, other: Array, label: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """Ranking loss: max(0, margin - label * (input - other)).

    Args:
        input: floating tensor.
        other: tensor of the shape of `input`.
        label: 1 where `input` should rank higher, -1 where `other` should.
        margin: wanted difference.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction.
    """
    loss = _hinge(margin - label.astype(input.dtype) * (input - other))
    return reduce_loss(loss, reduction, "margin_ranking_loss")


@op(method=None)
def hinge_embedding_loss(
    input: Array, label: Array, margin: float = 1.0, reduction: str = "mean"
) -> Array:
    """Distances kept small for label 1 and above a margin for label -1.

    Args:
        input: distances.
        label: 1 (loss = input) or -1 (loss = max(0, margin - input)).
        margin: wanted distance of unlike pairs.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction.
    """
    zero = jnp.zeros((), input.dtype)
    near = jnp.where(label == -1, zero, input)
    far = jnp.where(label == 1, zero, _hinge(margin - input))
    return reduce_loss(near + far, reduction, "hinge_embedding_loss")


@op(method=None)
def cosine_embedding_loss(
    input1: Array, input2: Array, label: Array, margin: float = 0, reduction: str = "mean"
) -> Array:
    """Cosine loss of pairs: 1 - cos for label 1, max(0, cos - margin) for label -1.

    Args:
        input1: [N, D] or [D].
        input2: tensor of the shape of `input1`.
        label: 1 or -1, [N] or one element.
        margin: largest cosine of unlike pairs, in [-1, 1].
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes, margin or reduction do not fit.
    """
    if input1.shape != input2.shape or input1.ndim not in (1, 2) or label.ndim > 1:
        raise InvalidArgumentError(
            f"`cosine_embedding_loss` got inputs {describe_array(input1)} and "
            f"{describe_array(input2)}, label {describe_array(label)}",
            expected="two inputs [N, D] (or [D]) and a label [N]",
            fix="reshape them",
        )
    if not -1 <= margin <= 1:
        raise InvalidArgumentError(
            f"`margin` of `cosine_embedding_loss` is {margin}",
            expected="a cosine in [-1, 1]",
            fix="use 0 to 0.5",
        )
    squares = [jnp.sum(lax.square(x), axis=-1) + 1e-12 for x in (input1, input2)]
    cosine = jnp.sum(input1 * input2, axis=-1) / jnp.sqrt(squares[0] * squares[1])
    loss = jnp.where(label == 1, 1 - cosine, jnp.where(label == -1, _hinge(cosine - margin), 0))
    return reduce_loss(loss.astype(input1.dtype), reduction, "cosine_embedding_loss")


@op(method=None, amp="black")
def triplet_margin_loss(
    input: Array,
    positive: Array,
    negative: Array,
    margin: float = 1.0,
    p: float = 2,
    epsilon: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Array:
    """Triplet loss: max(0, |input - positive| - |input - negative| + margin), last axis.

    Args:
        input: anchors [N, D].
        positive: like the anchors, [N, D].
        negative: unlike the anchors, [N, D].
        margin: wanted difference of the distances; above 0.
        p: order of the norm.
        epsilon: added to the differences.
        swap: use the distance of positive and negative where it is the smaller one.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction, or margin not positive.
    """
    if margin <= 0:
        raise InvalidArgumentError(
            f"`margin` of `triplet_margin_loss` is {margin}",
            expected="a positive number",
            fix="use 1.0",
        )

    def distance(a: Array, b: Array) -> Array:
        return vector_norm(a - b + epsilon, p, -1, False)

    near, far = distance(input, positive), distance(input, negative)
    if swap:
        far = jnp.minimum(far, distance(positive, negative))
    return reduce_loss(_hinge(near - far + margin), reduction, "triplet_margin_loss")


@op(method=None, public=False)
def hinge_of_distances(
    near: Array, far: Array, other: Array | None, margin: float, reduction: str
) -> Array:
    """The end of a triplet loss with the caller's own distances.

    Args:
        near: distances of anchors and positives.
        far: distances of anchors and negatives.
        other: distances of positives and negatives.
        margin: wanted difference.
        reduction: `'none'`, `'mean'` or `'sum'`.
    """
    if other is not None:
        far = jnp.minimum(far, other)
    return reduce_loss(_hinge(near - far + margin), reduction, "triplet_margin_with_distance_loss")


@composite
def triplet_margin_with_distance_loss(
    input: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Triplet loss with a distance of one's own.

    Args:
        input: anchors [N, D].
        positive: like the anchors, [N, D].
        negative: unlike the anchors, [N, D].
        distance_function: maps two tensors to distances; the 2-norm by default.
        margin: wanted difference of the distances; above 0.
        swap: use the distance of positive and negative where it is the smaller one.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction, or margin not positive.
    """
    check_reduction(reduction, "triplet_margin_with_distance_loss")
    if distance_function is None:
        return triplet_margin_loss(input, positive, negative, margin, 2, 1e-6, swap, reduction)
    if margin <= 0:
        raise InvalidArgumentError(
            f"`margin` of `triplet_margin_with_distance_loss` is {margin}",
            expected="a positive number",
            fix="use 1.0",
        )
    other = distance_function(positive, negative) if swap else None
    near, far = distance_function(input, positive), distance_function(input, negative)
    return hinge_of_distances(near, far, other, margin, reduction)


def _check_classes(input: Any, label: Any, **_: Any) -> None:
    check_range(label, input.shape[1], "label", "multi_margin_loss", "a class")


@op(method=None, check=_check_classes)
def multi_margin_loss(
    input: Array,
    label: Index,
    p: int = 1,
    margin: float = 1.0,
    weight: Array | None = None,
    reduction: str = "mean",
) -> Array:
    """Mean over wrong classes j of max(0, margin - input[label] + input[j])^p.

    Args:
        input: scores [N, C].
        label: classes [N].
        p: the power, a positive integer.
        margin: wanted difference.
        weight: factor per class, [C].
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes or reduction do not fit.
        OutOfRangeError: a label is no class.
    """
    if input.ndim != 2 or label.shape != input.shape[:1]:
        raise InvalidArgumentError(
            f"`multi_margin_loss` got input {describe_array(input)}, label {describe_array(label)}",
            expected="input [N, C] and label [N]",
            fix="reshape them",
        )
    picked = jnp.take_along_axis(input, label[:, None], axis=1, mode="clip")
    others = label[:, None] != jnp.arange(input.shape[1])
    loss = jnp.where(others, _hinge(margin - picked + input) ** p, jnp.zeros((), input.dtype))
    if weight is not None:
        loss = loss * jnp.take(weight, label, mode="clip")[:, None]
    return reduce_loss(jnp.mean(loss, axis=1), reduction, "multi_margin_loss")


def _check_listed(input: Any, label: Any, **_: Any) -> None:
    values = host_values(label)
    if values is not None:
        listed = values[np.cumsum(values < 0, axis=1) == 0]
        check_range(listed, input.shape[1], "label", "multi_label_margin_loss", "a class")


@op(method=None, check=_check_listed)
def multi_label_margin_loss(input: Array, label: Index, reduction: str = "mean") -> Array:
    """Mean over targets i and other classes j of max(0, 1 - input[i] + input[j]).

    Args:
        input: scores [N, C].
        label: classes [N, C], the list of a row ended by -1.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: shapes or reduction do not fit.
        OutOfRangeError: a listed label is no class.
    """
    if input.ndim != 2 or label.shape != input.shape:
        raise InvalidArgumentError(
            f"`multi_label_margin_loss` got input {describe_array(input)}, label "
            f"{describe_array(label)}",
            expected="both [N, C]",
            fix="fill the rows of the label up with -1",
        )
    classes = input.shape[1]
    listed = jnp.cumsum((label < 0).astype(jnp.int32), axis=1) == 0
    places = jnp.where(listed, label, 0)
    hits = (places[:, :, None] == jnp.arange(classes)) & listed[:, :, None]
    is_target = jnp.any(hits, axis=1)
    picked = jnp.take_along_axis(input, places, axis=1)
    gap = _hinge(1 - picked[:, :, None] + input[:, None, :])
    counts = listed[:, :, None] & ~is_target[:, None, :]
    loss = jnp.sum(jnp.where(counts, gap, 0), axis=(1, 2)) / classes
    return reduce_loss(loss, reduction, "multi_label_margin_loss")


@op(method=None)
def npair_loss(anchor: Array, positive: Array, labels: Array, l2_reg: float = 0.002) -> Array:
    """N-pair loss: cross entropy of anchor-positive products against equality of labels.

    Args:
        anchor: [N, D].
        positive: [N, D].
        labels: [N].
        l2_reg: weight of the mean squared norms, times 1/4.

    Raises:
        InvalidArgumentError: shapes do not fit.
    """
    if anchor.shape != positive.shape or anchor.ndim != 2 or labels.size != anchor.shape[0]:
        raise InvalidArgumentError(
            f"`npair_loss` got anchor {describe_array(anchor)}, positive "
            f"{describe_array(positive)} and labels {describe_array(labels)}",
            expected="anchor and positive [N, D], labels [N]",
            fix="reshape them",
        )
    labels = labels.reshape(-1)
    same = (labels[:, None] == labels[None, :]).astype(anchor.dtype)
    target = same / jnp.sum(same, axis=1, keepdims=True)
    squares = sum(jnp.mean(jnp.sum(lax.square(x), axis=1)) for x in (anchor, positive))
    log_p = nn.log_softmax(anchor @ positive.T, axis=1)
    entropy = jnp.mean(-jnp.sum(target * log_p, axis=1))
    return entropy + squares * 0.25 * l2_reg
