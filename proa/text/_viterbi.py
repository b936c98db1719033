"""The most probable path of labels through a chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, concrete, op
from proa.nn import Layer

if TYPE_CHECKING:
    from proa.core._types import Array, Index

# Shapes: B sequences, T steps, N labels.


@op(name="text_viterbi", method=None, public=False, differentiable=False)
def _decode(potentials: Array, transition_params: Array, lengths: Index, tags: bool):
    """Best scores [B] and paths [B, T], zero after a sequence's end."""
    batch, steps, count = potentials.shape
    score_BN = potentials[:, 0]
    if tags:
        score_BN = score_BN + transition_params[count - 1]
    ends = transition_params[count - 2] if tags else jnp.zeros_like(transition_params[0])

    def forward(score: Any, inputs: Any) -> Any:
        step, given = inputs
        total_BNN = score[:, :, None] + transition_params
        best = total_BNN.max(1) + given
        is_inside = (step < lengths)[:, None]
        back = jnp.where(is_inside, total_BNN.argmax(1), jnp.arange(count))
        return jnp.where(is_inside, best, score), back

    later = (jnp.arange(1, steps), jnp.swapaxes(potentials[:, 1:], 0, 1))
    score_BN, back_TBN = jax.lax.scan(forward, score_BN, later)
    score_BN = score_BN + ends
    last_B = score_BN.argmax(1)

    def backward(label: Any, back: Any) -> Any:
        before = jnp.take_along_axis(back, label[:, None], 1)[:, 0]
        return before, before

    _, path_TB = jax.lax.scan(backward, last_B, back_TBN, reverse=True)
    path_BT = jnp.concatenate([path_TB, last_B[None]]).T
    inside_BT = jnp.arange(steps) < lengths[:, None]
    return score_BN.max(1), jnp.where(inside_BT, path_BT, 0).astype(jnp.int64)


@composite
def viterbi_decode(
    potentials: Tensor,
    transition_params: Tensor,
    lengths: Tensor,
    include_bos_eos_tag: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Finds the path of labels with the highest score, for each sequence of a batch.

    The score of a path is the sum of its potentials and of the transitions between its labels.

    Args:
        potentials: float tensor of shape [batch, steps, labels].
        transition_params: tensor of shape [labels, labels]: from the row's label to the column's.
        lengths: integer vector of shape [batch], the steps of each sequence.
        include_bos_eos_tag: the last row holds the transitions from the start of a sequence,
            the last row but one those to its end (a row too, as Paddle reads it).
        name: not used.

    Returns:
        Scores of shape [batch], and int64 paths of shape [batch, longest length], padded with 0.

    Raises:
        InvalidArgumentError: shapes that do not fit, or a length outside [1, steps].

    Examples:
        >>> import proa
        >>> potentials = proa.to_tensor([[[1.0, 0.0], [0.0, 0.5]]])
        >>> stay = proa.to_tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> found = proa.text.viterbi_decode(potentials, stay, proa.to_tensor([2]), False)
        >>> [t.tolist() for t in found]
        [[3.0], [[0, 0]]]
    """
    count = potentials.shape[-1]
    is_fitting = potentials.ndim == 3 and list(transition_params.shape) == [count, count]
    if not is_fitting or list(lengths.shape) != [potentials.shape[0]]:
        raise InvalidArgumentError(
            f"`potentials` of shape {potentials.shape}, `transition_params` of shape "
            f"{transition_params.shape}, `lengths` of shape {lengths.shape}",
            expected="[batch, steps, labels], [labels, labels] and [batch]",
            fix="correct the shapes",
        )
    steps = [int(n) for n in concrete(lengths, "viterbi_decode")]
    if steps and not 1 <= min(steps) <= max(steps) <= potentials.shape[1]:
        raise InvalidArgumentError(
            f"`lengths` lie in [{min(steps)}, {max(steps)}]",
            expected=f"lengths in [1, {potentials.shape[1]}]",
            fix="leave out empty sequences, and correct the others",
        )
    scores, paths = _decode(potentials, transition_params, lengths, include_bos_eos_tag)
    return scores, paths[:, : max(steps, default=0)]


class ViterbiDecoder(Layer):
    """A layer that keeps transitions and decodes with them; see `viterbi_decode`.

    Args:
        transitions: tensor of shape [labels, labels].
        include_bos_eos_tag: whether transitions from the start and to the end are among them.
        name: not used.

    Examples:
        >>> import proa
        >>> decoder = proa.text.ViterbiDecoder(proa.zeros([3, 3]), include_bos_eos_tag=False)
        >>> scores, paths = decoder(proa.ones([1, 4, 3]), proa.to_tensor([2]))
        >>> scores.tolist(), paths.tolist()
        ([2.0], [[0, 0]])
    """

    def __init__(
        self, transitions: Tensor, include_bos_eos_tag: bool = True, name: str | None = None
    ) -> None:
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag

    def forward(self, potentials: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Decodes potentials of shape [batch, steps, labels]."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)


# In Paddle a module of the function's name lies behind it; its names are found on the function.
viterbi_decode.viterbi_decode = viterbi_decode  # type: ignore[attr-defined]
viterbi_decode.ViterbiDecoder = ViterbiDecoder  # type: ignore[attr-defined]
