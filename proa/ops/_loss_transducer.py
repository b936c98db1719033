"""Transducer loss: the probability of a label over all alignments, one output per step or label.

Axes in names: B batch, T time, U labels so far (one more than labels), C classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, OutOfRangeError, describe_array, op

from ._host_checks import check_range
from ._loss_class import check_reduction, wide

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _check_values(input: Any, label: Any, input_lengths: Any, label_lengths: Any, **_: Any) -> None:
    if input.ndim != 4 or label.ndim != 2:
        return
    check_range(input_lengths, input.shape[1] + 1, "input_lengths", "rnnt_loss", "a length")
    check_range(label_lengths, input.shape[2], "label_lengths", "rnnt_loss", "a length")
    check_range(label, input.shape[3], "label", "rnnt_loss", "a class")


def _log_likelihood(
    blanks_BTU: Array, emits_BTU: Array, input_lengths: Array, label_lengths: Array
) -> Array:
    """Log of the summed probability of all alignments, [B]."""

    def along(before: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
        from_below, emitted = given
        now = jnp.logaddexp(from_below, before + emitted)
        return now, now

    def step(alpha_BU: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
        blanks_BU, emits_BU = given
        start = alpha_BU + blanks_BU
        _, rest = lax.scan(along, start[:, 0], (start[:, 1:].T, emits_BU.T))
        now = jnp.concatenate([start[:, :1], rest.T], axis=1)
        return now, now

    shape = blanks_BTU[:, 0, :1]
    first = jnp.concatenate([shape * 0, jnp.cumsum(emits_BTU[:, 0], axis=1)], axis=1)
    moves = (jnp.moveaxis(blanks_BTU[:, :-1], 1, 0), jnp.moveaxis(emits_BTU[:, 1:], 1, 0))
    _, later = lax.scan(step, first, moves)
    alphas_TBU = jnp.concatenate([first[None], later])
    rows = jnp.arange(first.shape[0])
    last = jnp.maximum(input_lengths - 1, 0)
    return alphas_TBU[last, rows, label_lengths] + blanks_BTU[rows, last, label_lengths]


@op(method=None, amp="black", check=_check_values)
def rnnt_loss(
    input: Array,
    label: Index,
    input_lengths: Index,
    label_lengths: Index,
    blank: int = 0,
    fastemit_lambda: float = 0.001,
    reduction: str = "mean",
):
    """Transducer loss: -log of the probability that some alignment spells the label.

    Args:
        input: log-probabilities `[B, T, U, C]`, U one more than the longest label.
        label: classes `[B, U - 1]`, padded.
        input_lengths: valid time steps, `[B]`.
        label_lengths: valid labels, `[B]`.
        blank: class that stands for a step in time.
        fastemit_lambda: gradients of labels are larger by this share, so that they come earlier;
            the loss is not.
        reduction: `none`, `sum`, or `mean` over the batch.

    Returns:
        0-d tensor, or `[B]` with `none`.

    Raises:
        InvalidArgumentError: shapes or `reduction` do not fit.
        OutOfRangeError: `blank`, a label or a length lies outside (the latter in eager mode).

    References:
        Graves, "Sequence transduction with recurrent neural networks", 2012; Yu et al.,
        "FastEmit", 2021. As Paddle 3.3.1 on the CPU, the input is not normalised here.
    """
    check_reduction(reduction, "rnnt_loss")
    if input.ndim != 4 or label.ndim != 2 or input.shape[2] != label.shape[1] + 1:
        raise InvalidArgumentError(
            f"`rnnt_loss` got input {describe_array(input)} and label {describe_array(label)}",
            expected="input [batch, time, labels + 1, classes] and label [batch, labels]",
            fix="pad the labels to one length, one less than axis 2 of the input",
        )
    if not 0 <= blank < input.shape[3]:
        raise OutOfRangeError(
            f"`blank` of `rnnt_loss` is {blank}",
            expected=f"a class in [0, {input.shape[3]})",
            fix="use 0, or the class that stands for a step in time",
        )
    log_p = wide(input)
    chosen = jnp.clip(label, 0, input.shape[3] - 1)[:, None, :, None]
    emits = jnp.take_along_axis(log_p[:, :, :-1], chosen, axis=3)[..., 0]
    emits = emits + fastemit_lambda * (emits - lax.stop_gradient(emits))
    lengths = input_lengths.reshape(-1), label_lengths.reshape(-1)
    loss = -_log_likelihood(log_p[..., blank], emits, *lengths).astype(input.dtype)
    if reduction == "mean":
        return jnp.mean(loss)
    return jnp.sum(loss) if reduction == "sum" else loss
