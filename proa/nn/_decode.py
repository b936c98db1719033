"""Decoding step by step: the loop, and beam search as a decoder for it.

Axes in names: B batch, K beam, V vocabulary, T time.
"""

from __future__ import annotations

import warnings
from collections import namedtuple
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.ops import all as all_true
from proa.ops import (
    cast,
    concat,
    expand,
    full,
    gather,
    gather_tree,
    logical_not,
    logical_or,
    reshape,
    stack,
    transpose,
    unsqueeze,
    where,
)
from proa.ops._beam import NEVER, beam_step

from ._nest import first_leaf, map_nest


class Decoder:
    """Interface of what `dynamic_decode` runs."""

    def initialize(self, inits: Any) -> Any:
        """Returns the first inputs, the first states, and booleans of what is finished."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Returns the outputs, the next states, the next inputs, and what is finished."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """Returns the outputs and states to be returned, from all steps' outputs."""
        return outputs, final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` itself keeps entries finished that are so."""
        return False


class BeamSearchDecoder(Decoder):
    """Beam search: at each step the `beam_size` best continuations of the sequences so far.

    The score of a sequence is the sum of the logarithms of its tokens' probabilities; a
    finished one goes on with `end_token` at no cost.

    Args:
        cell: called as `cell(inputs, states) -> (outputs, states)` on batches of B * K.
        start_token: id that each sequence begins with.
        end_token: id that ends a sequence.
        beam_size: number K of sequences that are kept per entry.
        embedding_fn: makes inputs of chosen ids; the ids themselves by default.
        output_fn: makes logits [B * K, V] of the cell's outputs; these are the logits by
            default.

    Raises:
        InvalidArgumentError: `beam_size` is no positive integer.

    Examples:
        >>> import proa
        >>> from proa import nn
        >>> cell = nn.GRUCell(4, 4)
        >>> decoder = nn.BeamSearchDecoder(cell, 0, 1, 2, nn.Embedding(6, 4), nn.Linear(4, 6))
        >>> start = cell.get_initial_states(proa.ones([3, 4]))
        >>> ids, states = nn.dynamic_decode(decoder, start, max_step_num=4)
        >>> ids.shape[0], ids.shape[2]
        (3, 2)
    """

    OutputWrapper = namedtuple("OutputWrapper", ["scores", "predicted_ids", "parent_ids"])
    StateWrapper = namedtuple("StateWrapper", ["cell_states", "log_probs", "finished", "lengths"])

    def __init__(
        self,
        cell: Any,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Any = None,
        output_fn: Any = None,
    ) -> None:
        if not isinstance(beam_size, int) or beam_size < 1:
            raise InvalidArgumentError(
                f"`beam_size` of `BeamSearchDecoder` is {beam_size!r}",
                expected="a positive integer",
                fix="use 1 for a greedy search",
            )
        self.cell = cell
        self.start_token, self.end_token = start_token, end_token
        self.beam_size = beam_size
        self.embedding_fn, self.output_fn = embedding_fn, output_fn

    @property
    def tracks_own_finished(self) -> bool:
        """True: finished sequences go on with `end_token`."""
        return True

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """Repeats each entry of a batch: [B, ...] to [B * K, ...].

        Args:
            x: tensor, such as an encoder's output that the cell attends to.
            beam_size: number of repetitions K.
        """
        return reshape(_tiled(x, beam_size), [x.shape[0] * beam_size, *x.shape[1:]])

    def _merged(self, x: Any) -> Any:
        return reshape(x, [x.shape[0] * self.beam_size, *x.shape[2:]])

    def _apart(self, x: Any) -> Any:
        return reshape(x, [x.shape[0] // self.beam_size, self.beam_size, *x.shape[1:]])

    def _inputs(self, ids_BK: Any) -> Any:
        return ids_BK if self.embedding_fn is None else self.embedding_fn(ids_BK)

    def initialize(self, initial_cell_states: Any) -> Any:
        """Makes the first inputs and states.

        Args:
            initial_cell_states: states of the cell for a batch of B, a tensor or a nest.

        Returns:
            Inputs made of `start_token`, states (`cell_states`, `log_probs`, `finished`,
            `lengths`) and `finished`, all [B, K, ...].
        """
        batch = first_leaf(initial_cell_states).shape[0]
        sizes = [batch, self.beam_size]
        # All sequences begin alike: only the first may go on at the first step.
        scores = [full([batch, 1], 0.0, "float32")]
        if self.beam_size > 1:
            scores.append(full([batch, self.beam_size - 1], NEVER, "float32"))
        states = self.StateWrapper(
            map_nest(lambda x: _tiled(x, self.beam_size), initial_cell_states),
            concat(scores, 1),
            full(sizes, False, "bool"),
            full(sizes, 0, "int64"),
        )
        return self._inputs(full(sizes, self.start_token, "int64")), states, states.finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Runs the cell once and keeps the best continuations.

        Args:
            time: number of the step, int64 [1].
            inputs: those of `initialize` or of the step before.
            states: likewise.
            kwargs: further arguments of the cell.

        Returns:
            Outputs (`scores`, `predicted_ids`, `parent_ids`), states, next inputs, finished.
        """
        merged = (map_nest(self._merged, part) for part in (inputs, states.cell_states))
        outputs, cell_states = self.cell(*merged, **kwargs)
        logits = outputs if self.output_fn is None else self.output_fn(outputs)
        scores, ids, parents, finished, lengths, rows = beam_step(
            logits, states.log_probs, states.finished, states.lengths, self.end_token
        )
        cell_states = map_nest(lambda x: self._apart(gather(x, rows)), cell_states)
        next_states = self.StateWrapper(cell_states, scores, finished, lengths)
        output = self.OutputWrapper(scores, ids, parents)
        return output, next_states, self._inputs(ids), finished

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """Follows the beams back: whole sequences [T, B, K] of the ids chosen at each step."""
        return gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states


def _tiled(x: Any, beam_size: int) -> Any:
    return expand(unsqueeze(x, 1), [x.shape[0], beam_size, *x.shape[1:]])


def _kept(finished: Any, old: Any, new: Any) -> Any:
    shape = [*finished.shape, *[1] * (new.ndim - finished.ndim)]
    return where(reshape(finished, shape), old, new)


def _batch_first(x: Any) -> Any:
    return transpose(x, [1, 0, *range(2, x.ndim)])


def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> Any:
    """Runs a decoder's steps until all entries are finished.

    Args:
        decoder: a `BeamSearchDecoder`, or an object with `initialize`, `step`,
            `tracks_own_finished` and, if outputs are to be reworked at the end, `finalize`.
        inits: argument of `decoder.initialize`.
        max_step_num: after this many steps one more is the last; no limit by default.
        output_time_major: leave the outputs [T, B, ...].
        impute_finished: keep the states of finished entries, where the decoder does not.
        is_test: accepted for Paddle's signature; memory is freed as soon as nobody needs it.
        return_length: return the lengths as well.
        kwargs: further arguments of `decoder.step`.

    Returns:
        Outputs [B, T, ...] in the structure of the steps' outputs, states of the last step,
        and, when asked for, int64 lengths: those of the states, or the number of steps after
        which an entry was not finished.

    Raises:
        InvalidTypeError: `decoder` is no decoder.
    """
    if not hasattr(decoder, "initialize") or not hasattr(decoder, "step"):
        raise InvalidTypeError(
            f"`decoder` of `dynamic_decode` is a {type(decoder).__name__}",
            expected="an object with `initialize` and `step`",
            fix="use proa.nn.BeamSearchDecoder, or write a class with both",
        )
    inputs, states, finished = decoder.initialize(inits)
    tracks = decoder.tracks_own_finished
    lengths = cast(finished, "int64") * 0
    steps: list[Any] = []
    while True:
        time = full([1], len(steps), "int64")
        outputs, new_states, inputs, new_finished = decoder.step(time, inputs, states, **kwargs)
        if not tracks:
            new_finished = logical_or(new_finished, finished)
            lengths = lengths + cast(logical_not(new_finished), "int64")
            if impute_finished:
                new_states = map_nest(
                    lambda old, new: _kept(new_finished, old, new),  # noqa: B023 - called at once
                    states,
                    new_states,
                )
        elif hasattr(new_states, "lengths"):
            lengths = new_states.lengths
        elif not steps:
            warnings.warn("the states have no `lengths`: those returned are zeros", stacklevel=2)
        states, finished = new_states, new_finished
        steps.append(outputs)
        if bool(all_true(finished)) or (max_step_num is not None and len(steps) > max_step_num):
            break
    found = map_nest(lambda *parts: stack(list(parts)), *steps)
    if hasattr(decoder, "finalize"):
        try:
            found, states = decoder.finalize(found, states, lengths)
        except NotImplementedError:
            pass  # Decoders of Paddle code may leave it to their base, which raises this.
    if not output_time_major:
        found = map_nest(_batch_first, found)
    return (found, states, lengths) if return_length else (found, states)
