"""One step of a beam search.

Axes in names: B batch, K beam, V vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from proa.core import op

if TYPE_CHECKING:
    from proa.core._types import Array, Index

#: Logarithm of the probability of what must not be chosen; finite, so that sums stay so.
NEVER = -1e9


@op(method=None, public=False)
def beam_step(
    logits: Array, log_probs: Array, finished: Array, lengths: Index, end_token: int
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Chooses the best continuations of the sequences in a beam.

    Args:
        logits: of the next token of each sequence, [B * K, V].
        log_probs: score of each sequence, [B, K].
        finished: which sequences have ended, bool [B, K]; they go on with `end_token` at no cost.
        lengths: tokens of each sequence, int64 [B, K].
        end_token: id that ends a sequence.

    Returns:
        Scores, ids and parents (0 to K - 1) of the new sequences, whether they are finished,
        their lengths, and the parents' rows in [B * K]; all [B, K] but the last, [B * K].
    """
    batch, beam = log_probs.shape
    size = logits.shape[-1]
    tokens_BKV = jax.nn.log_softmax(logits.reshape(batch, beam, size), axis=-1)
    at_end = jnp.where(jnp.arange(size) == end_token, 0, NEVER).astype(tokens_BKV.dtype)
    tokens_BKV = jnp.where(finished[..., None], at_end, tokens_BKV)
    total = (tokens_BKV + log_probs[..., None]).reshape(batch, beam * size)
    scores, chosen = jax.lax.top_k(total, beam)
    chosen = chosen.astype(jnp.int64)
    parents, ids = chosen // size, chosen % size
    was_finished = jnp.take_along_axis(finished, parents, axis=1)
    lengths = jnp.take_along_axis(lengths, parents, axis=1) + ~was_finished
    rows = (parents + beam * jnp.arange(batch)[:, None]).reshape(-1)
    return scores, ids, parents, was_finished | (ids == end_token), lengths, rows
