"""Decoding. The numbers under "paddle 3.3.1" were computed with it from the same weights."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError

VOCABULARY, WIDTH = 4, 3


class Markov:
    """A cell whose next token depends on the last one alone; its state counts the steps."""

    def __init__(self, table):
        self.table = proa.to_tensor(table, "float32")

    def __call__(self, ids, states, bias=0.0):
        return nn.functional.embedding(ids, self.table) + bias, states + 1


TABLE = np.random.default_rng(1).standard_normal([VOCABULARY, VOCABULARY]) * 2
LOG = TABLE - np.log(np.exp(TABLE).sum(-1, keepdims=True))


def best_sequences(num_steps, count, end):
    """All sequences by score; a finished one goes on with the end token at no cost."""
    scored = {}
    for ids in itertools.product(range(VOCABULARY), repeat=num_steps):
        score, last = 0.0, 0
        for token in ids:
            if last == end:
                score += 0.0 if token == end else -1e9
            else:
                score += LOG[last, token]
            last = token
        scored[ids] = score
    return sorted(scored.items(), key=lambda item: -item[1])[:count]


def decoder(beam_size, **settings):
    return nn.BeamSearchDecoder(Markov(TABLE), 0, 1, beam_size, **settings)


def test_a_wide_beam_finds_the_best_sequences():
    # 16 beams hold all sequences of two tokens, so nothing is lost on the way to three.
    start = proa.zeros([2, 5])
    ids, states, lengths = nn.dynamic_decode(decoder(16), start, max_step_num=2, return_length=True)
    expected = best_sequences(3, 6, 1)
    for entry in range(2):
        found = ids.numpy()[entry].T[:6].tolist()
        assert found == [list(sequence) for sequence, _ in expected]
        scores = states.log_probs.numpy()[entry, :6]
        np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-5)
        steps = [s.index(1) + 1 if 1 in s else 3 for s in found]
        assert lengths.numpy()[entry, :6].tolist() == steps
    assert states.finished.numpy()[0, :6].tolist() == [1 in s for s in found]
    assert (states.cell_states.numpy() == 3).all()


def test_outputs_with_time_first():
    start = proa.zeros([2, 5])
    rows = nn.dynamic_decode(decoder(2), start, max_step_num=1)[0]
    columns = nn.dynamic_decode(decoder(2), start, max_step_num=1, output_time_major=True)[0]
    assert rows.shape == [2, 2, 2]
    np.testing.assert_array_equal(columns.numpy(), rows.numpy().transpose(1, 0, 2))


def test_the_search_ends_when_all_sequences_do():
    ids, states = nn.dynamic_decode(
        decoder(1), proa.zeros([1, 1]), bias=proa.to_tensor([0, 9.0, 0, 0])
    )
    assert ids.tolist() == [[[1]]]
    assert states.lengths.tolist() == [[1]]


# paddle 3.3.1
def test_a_recurrent_cell_as_in_paddle():
    draw = np.random.RandomState(0)
    embed, out = nn.Embedding(7, 5), nn.Linear(5, 7)
    embed.weight.set_value(draw.randn(7, 5).astype("float32") * 2)
    out.weight.set_value(draw.randn(5, 7).astype("float32") * 2)
    out.bias.set_value(draw.randn(7).astype("float32"))
    cell = nn.GRUCell(5, 5)
    for p in cell.parameters():
        p.set_value(draw.randn(*p.shape).astype("float32"))
    start = proa.to_tensor(draw.randn(3, 5).astype("float32"))
    search = nn.BeamSearchDecoder(cell, 0, 1, 3, embed, out)
    ids, states, lengths = nn.dynamic_decode(search, start, max_step_num=4, return_length=True)
    assert ids.tolist()[0] == [[6, 6, 6], [2, 6, 2], [2, 2, 6], [2, 2, 2], [2, 2, 2]]
    assert ids.tolist()[1] == [[1, 4, 4], [1, 4, 0], [1, 4, 4], [1, 4, 4], [1, 4, 4]]
    assert lengths.tolist() == [[5, 5, 5], [1, 5, 5], [2, 5, 3]]
    expected = [
        [-0.6659, -2.281, -2.9796],
        [-1.7904, -2.4597, -3.1285],
        [-1.4103, -2.1456, -3.2832],
    ]
    np.testing.assert_allclose(states.log_probs, expected, atol=2e-4)
    tiled = search.tile_beam_merge_with_batch(start, 2)
    np.testing.assert_array_equal(tiled, np.repeat(start.numpy(), 2, 0))


class Count:
    """A decoder that counts up to a limit of each entry."""

    def __init__(self, tracks=False):
        self.tracks_own_finished = tracks

    def initialize(self, inits):
        return inits, inits * 0, proa.to_tensor([False, False])

    def step(self, time, inputs, states):
        count = states + inputs
        finished = count[:, 0] > proa.to_tensor([2.5, 4.5])
        return (count * 10, [count]), count, inputs, finished

    def finalize(self, outputs, final_states, sequence_lengths):
        raise NotImplementedError


# paddle 3.3.1
@pytest.mark.parametrize(("impute", "final"), [(False, [[5], [5]]), (True, [[2], [4]])])
def test_any_decoder(impute, final):
    ones = proa.ones([2, 1])
    (tens, (counts,)), states, lengths = nn.dynamic_decode(
        Count(), ones, impute_finished=impute, return_length=True
    )
    first = [10, 20, 30, 30, 30] if impute else [10, 20, 30, 40, 50]
    assert tens[:, :, 0].tolist() == [first, [10, 20, 30, 40, 50]]
    np.testing.assert_array_equal(counts * 10, tens)
    assert states.tolist() == final
    assert lengths.tolist() == [2, 4]


# paddle 3.3.1
def test_a_decoder_that_tracks_without_lengths():
    with pytest.warns(UserWarning, match="have no `lengths`"):
        lengths = nn.dynamic_decode(Count(True), proa.ones([2, 1]), return_length=True)[2]
    assert lengths.tolist() == [0, 0]


def test_states_in_a_nest():
    cell = nn.LSTMCell(WIDTH, WIDTH)
    search = nn.BeamSearchDecoder(
        cell, 0, 1, 2, nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY)
    )
    start = cell.get_initial_states(proa.ones([2, WIDTH]))
    _, states = nn.dynamic_decode(search, start, max_step_num=1)
    assert [s.shape for s in states.cell_states] == [[2, 2, WIDTH]] * 2


def test_errors():
    with pytest.raises(InvalidArgumentError, match="`beam_size` of `BeamSearchDecoder`"):
        decoder(0)
    with pytest.raises(InvalidTypeError, match="an object with `initialize` and `step`"):
        nn.dynamic_decode(Markov(TABLE))
