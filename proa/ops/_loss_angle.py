"""Softmax loss with margins on the angle to the class, and the sampling of class centres.

Axes in names: N rows, C classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import nn

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op

from ._host_checks import check_range
from ._loss_class import wide

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Key


def _check_label(logits: Any, label: Any, **_: Any) -> None:
    check_range(label, logits.shape[-1], "label", "margin_cross_entropy", "a class")


@op(method=None, amp="black", public=False, check=_check_label)
def margin_softmax(
    logits: Array, label: Index, margin1: float, margin2: float, margin3: float, scale: float
) -> tuple[Array, Array]:
    """Loss `[N, 1]` and probabilities `[N, C]`; see `margin_cross_entropy`."""
    if logits.ndim != 2 or label.size != logits.shape[0]:
        raise InvalidArgumentError(
            f"`margin_cross_entropy` got logits {describe_array(logits)} and label "
            f"{describe_array(label)}",
            expected="logits [rows, classes] and one label per row",
            fix="reshape them",
        )
    cosines, rows = wide(logits), label.reshape(-1)
    is_class = jnp.arange(logits.shape[1])[None, :] == rows[:, None]
    # At an angle of 0 or pi the arc cosine has no finite slope.
    edge = 1 - float(jnp.finfo(cosines.dtype).eps)
    angles = jnp.arccos(jnp.clip(jnp.where(is_class, cosines, 0), -edge, edge))
    moved = jnp.cos(margin1 * angles + margin2) - margin3
    log_p = nn.log_softmax(jnp.where(is_class, moved, cosines) * scale, axis=-1)
    loss = -jnp.sum(jnp.where(is_class, log_p, 0), axis=1, keepdims=True)
    return loss.astype(logits.dtype), jnp.exp(log_p).astype(logits.dtype)


@composite
def margin_cross_entropy(
    logits: Tensor,
    label: Tensor,
    margin1: float = 1.0,
    margin2: float = 0.5,
    margin3: float = 0.0,
    scale: float = 64.0,
    group: Any = None,
    return_softmax: bool = False,
    reduction: str | None = "mean",
) -> Any:
    """Cross entropy of cosines, with the class's angle made larger: ArcFace, CosFace.

    The class's `cos t` becomes `cos(margin1 t + margin2) - margin3`; all are scaled.

    Args:
        logits: cosines of the angles to the classes, `[N, C]`.
        label: classes `[N]` or `[N, 1]`.
        margin1: factor of the angle.
        margin2: added to the angle, radians.
        margin3: taken off the cosine.
        scale: factor of all logits.
        group: accepted for Paddle's signature; classes that are spread over devices are sharded
            arrays here.
        return_softmax: gives the probabilities too.
        reduction: `mean`, `sum` or `None`.

    Returns:
        0-d loss, or `[N, 1]` without reduction; with `return_softmax` also `[N, C]`.

    Raises:
        InvalidArgumentError: shapes or `reduction` do not fit.
        OutOfRangeError: a label lies outside (eager mode).

    References:
        Deng et al., "ArcFace", 2019.
    """
    if reduction not in ("mean", "sum", "none", None):
        raise InvalidArgumentError(
            f"`reduction` of `margin_cross_entropy` is {reduction!r}",
            expected="'mean', 'sum' or None",
            fix="use one of them",
        )
    margins = float(margin1), float(margin2), float(margin3)
    loss, probabilities = margin_softmax(logits, label, *margins, float(scale))
    if reduction in ("mean", "sum"):
        loss = loss.mean() if reduction == "mean" else loss.sum()
    return (loss, probabilities) if return_softmax else loss


def _check_classes(label: Any, num_classes: int, **_: Any) -> None:
    check_range(label, num_classes, "label", "class_center_sample", "a class")


@op(method=None, dynamic_shape=True, differentiable=False, check=_check_classes)
def class_center_sample(
    random_bits: Key, label: Index, num_classes: int, num_samples: int, group: Any = None
) -> tuple[Array, Array]:
    """Draws classes to train on: all that occur, and others up to a number.

    Args:
        label: classes `[N]`.
        num_classes: number of classes.
        num_samples: how many classes to draw, at most `num_classes`; where more occur, those.
        group: accepted for Paddle's signature.

    Returns:
        The labels as positions among the drawn classes, and the drawn classes: those that occur
        in order, then the others in order.

    Raises:
        InvalidArgumentError: more samples than classes.
        OutOfRangeError: a label lies outside.
    """
    if not 0 < num_samples <= num_classes:
        raise InvalidArgumentError(
            f"`class_center_sample` got num_samples={num_samples}, num_classes={num_classes}",
            expected="1 <= num_samples <= num_classes",
            fix="draw fewer classes",
        )
    rows = np.asarray(label)
    occurring, places = np.unique(rows, return_inverse=True)
    others = np.setdiff1d(np.arange(num_classes), occurring)
    order = np.asarray(jax.random.permutation(random_bits, len(others)))
    drawn = np.sort(others[order[: max(num_samples - len(occurring), 0)]])
    classes = np.concatenate([occurring, drawn]).astype(rows.dtype)
    return jnp.asarray(places.reshape(rows.shape).astype(rows.dtype)), jnp.asarray(classes)


def _check_parents(ids: Any, parents: Any) -> None:
    if parents.ndim == 3:
        check_range(parents, parents.shape[2], "parents", "gather_tree", "a beam")


@op(method=None, differentiable=False, check=_check_parents)
def gather_tree(ids: Index, parents: Index):
    """Follows the beams of a beam search back from the last step.

    Args:
        ids: chosen ids `[time, batch, beam]`.
        parents: beam each came from, `[time, batch, beam]`.

    Returns:
        The whole sequences, `[time, batch, beam]`.

    Raises:
        InvalidArgumentError: shapes do not fit.
        OutOfRangeError: a parent is no beam.
    """
    if ids.ndim != 3 or ids.shape != parents.shape:
        raise InvalidArgumentError(
            f"`gather_tree` got ids {describe_array(ids)} and parents {describe_array(parents)}",
            expected="two tensors [time, batch, beam]",
            fix="stack the steps along a first axis",
        )

    def back(beam: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
        now, before = (jnp.take_along_axis(part, beam, axis=1) for part in given)
        return before, now

    last = jnp.broadcast_to(jnp.arange(ids.shape[2], dtype=parents.dtype), ids.shape[1:])
    _, found = jax.lax.scan(back, last, (ids, parents), reverse=True)
    return found
