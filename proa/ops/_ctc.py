"""Connectionist temporal classification: the probability of a label over all alignments.

Axes in names: T time, B batch, C classes, S states (labels with blanks between them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax, nn

from proa.core import InvalidArgumentError, OutOfRangeError, describe_array, op

from ._host_checks import check_range, host_values
from ._loss_class import check_reduction, wide

if TYPE_CHECKING:
    from proa.core._types import Array, Index

# Stands for log(0): finite, so that no gradient becomes inf - inf.
_NEVER = -1e30


def _check_values(
    log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, **_: Any
) -> None:
    if getattr(labels, "ndim", 0) != 2:
        return
    lengths, values = host_values(label_lengths), host_values(labels)
    if lengths is None or values is None:
        return
    check_range(input_lengths, log_probs.shape[0] + 1, "input_lengths", "ctc_loss", "a length")
    check_range(lengths, values.shape[1] + 1, "label_lengths", "ctc_loss", "a length")
    inside = [[i < n for i in range(values.shape[1])] for n in lengths.reshape(-1)]
    used = values[inside] if values.size else values
    check_range(used, log_probs.shape[2], "labels", "ctc_loss", "a class")


def _alignments(
    log_p: Array, labels: Array, input_lengths: Array, label_lengths: Array, blank: int
) -> Array:
    """Log of the summed probability of all alignments, [B]; about `_NEVER` when there is none."""
    classes = log_p.shape[2]
    batch, longest = labels.shape
    states = jnp.full((batch, 2 * longest + 1), blank, labels.dtype)
    states = states.at[:, 1::2].set(jnp.clip(labels, 0, classes - 1))
    # A state may be reached over the blank before it when the labels on both sides differ.
    skips = jnp.concatenate(
        [jnp.zeros((batch, 2), bool), states[:, 2:] != states[:, :-2]], axis=1
    ) & (states != blank)
    start = jnp.full(states.shape, _NEVER, log_p.dtype).at[:, 0].set(0)

    def step(alpha: Array, inputs: tuple[Array, Array]) -> tuple[Array, None]:
        log_p_BC, time = inputs
        emitted = jnp.take_along_axis(log_p_BC, states, axis=1)
        before = jnp.pad(alpha, ((0, 0), (1, 0)), constant_values=_NEVER)[:, :-1]
        skipped = jnp.pad(alpha, ((0, 0), (2, 0)), constant_values=_NEVER)[:, :-2]
        skipped = jnp.where(skips, skipped, _NEVER)
        moved = emitted + nn.logsumexp(jnp.stack([alpha, before, skipped]), axis=0)
        # Never again far below the mark, or sums over many steps would lose it.
        moved = jnp.maximum(moved, _NEVER)
        return jnp.where((time < input_lengths)[:, None], moved, alpha), None

    times = jnp.arange(log_p.shape[0], dtype=input_lengths.dtype)
    alpha, _ = lax.scan(step, start, (log_p, times))
    last = (2 * label_lengths)[:, None]
    ends = jnp.take_along_axis(alpha, last, axis=1)[:, 0]
    earlier = jnp.take_along_axis(alpha, jnp.maximum(last - 1, 0), axis=1)[:, 0]
    earlier = jnp.where(label_lengths > 0, earlier, _NEVER)
    return jnp.logaddexp(ends, earlier)


@op(method=None, amp="black", check=_check_values)
def ctc_loss(
    log_probs: Array,
    labels: Index,
    input_lengths: Index,
    label_lengths: Index,
    blank: int = 0,
    reduction: str = "mean",
    norm_by_times: bool = False,
    zero_infinity: bool = False,
) -> Array:
    """CTC loss: -log of the probability that some alignment of the input spells the label.

    A label without any alignment (too long, or a repeated class without room for the blank
    between) has an infinite loss and a gradient of zero.

    Args:
        log_probs: logits [T, B, C]; softmax is applied here.
        labels: classes [B, L], padded.
        input_lengths: number of valid time steps, [B].
        label_lengths: number of valid labels, [B].
        blank: class of the blank.
        reduction: `'none'`, `'sum'`, or `'mean'`: of the losses divided by the label lengths.
        norm_by_times: divide the gradients by the input lengths.
        zero_infinity: replace infinite losses by 0.

    Returns:
        0-d tensor, or [B] with `'none'`.

    Raises:
        InvalidArgumentError: shapes, blank or reduction do not fit.
        OutOfRangeError: a label or length lies outside (eager mode).
    """
    check_reduction(reduction, "ctc_loss")
    if log_probs.ndim != 3 or labels.ndim != 2 or log_probs.shape[1] != labels.shape[0]:
        raise InvalidArgumentError(
            f"`ctc_loss` got log_probs {describe_array(log_probs)} and labels "
            f"{describe_array(labels)}",
            expected="log_probs [time, batch, classes] and labels [batch, longest]",
            fix="transpose log_probs, or pad the labels to one length",
        )
    if not 0 <= blank < log_probs.shape[2]:
        raise OutOfRangeError(
            f"`blank` of `ctc_loss` is {blank}",
            expected=f"a class in [0, {log_probs.shape[2]})",
            fix="use 0, or the class that stands for no label",
        )
    log_p = nn.log_softmax(wide(log_probs), axis=-1)
    input_lengths, label_lengths = input_lengths.reshape(-1), label_lengths.reshape(-1)
    found = _alignments(log_p, labels, input_lengths, label_lengths, blank)
    possible = found > _NEVER / 2
    loss = -jnp.where(possible, found, 0)
    if norm_by_times:
        shared = loss / jnp.maximum(input_lengths, 1).astype(loss.dtype)
        loss = lax.stop_gradient(loss) + (shared - lax.stop_gradient(shared))
    if not zero_infinity:
        loss = jnp.where(possible, loss, jnp.inf)
    loss = loss.astype(log_probs.dtype)
    if reduction == "mean":
        return jnp.mean(loss / jnp.maximum(label_lengths, 1).astype(loss.dtype))
    return jnp.sum(loss) if reduction == "sum" else loss
