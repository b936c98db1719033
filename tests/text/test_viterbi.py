from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError

RNG = np.random.default_rng(0)
POTENTIALS = RNG.standard_normal((2, 4, 5)).astype("float32")
TRANSITIONS = RNG.standard_normal((5, 5)).astype("float32")
LENGTHS = np.array([4, 2])


def best(potentials, length, tags):
    """All paths tried."""

    def score(path):
        total = sum(potentials[t, label] for t, label in enumerate(path))
        total += sum(TRANSITIONS[a, b] for a, b in itertools.pairwise(path))
        ends = TRANSITIONS[-1, path[0]] + TRANSITIONS[-2, path[-1]]
        return total + (ends if tags else 0)

    path = max(itertools.product(range(5), repeat=length), key=score)
    return score(path), [*path, *[0] * (4 - length)]


@pytest.mark.parametrize(
    ("tags", "recorded"),
    [(True, [6.994017124, 2.746124983]), (False, [6.800617695, 2.901762247])],
)
def test_against_all_paths_and_recorded_scores(tags, recorded):
    given = (proa.to_tensor(a) for a in (POTENTIALS, TRANSITIONS, LENGTHS))
    scores, paths = proa.text.viterbi_decode(*given, tags)
    want = [best(p, n, tags) for p, n in zip(POTENTIALS, LENGTHS, strict=True)]
    np.testing.assert_allclose(scores.numpy(), [w[0] for w in want], 1e-5)
    np.testing.assert_allclose(scores.numpy(), recorded, 1e-5)
    assert paths.tolist() == [w[1] for w in want]
    assert paths.dtype.name == "int64"


def test_paths_are_as_long_as_the_longest():
    decoder = proa.text.ViterbiDecoder(proa.to_tensor(TRANSITIONS))
    _, paths = decoder(proa.to_tensor(POTENTIALS), proa.to_tensor([1, 2]))
    assert paths.shape == [2, 2]


@pytest.mark.parametrize(
    ("transitions", "lengths", "message"),
    [
        (TRANSITIONS[:4], [4, 2], r"`transition_params` of shape \[4, 5\]"),
        (TRANSITIONS, [4], r"`lengths` of shape \[1\]"),
        (TRANSITIONS, [0, 2], r"lie in \[0, 2\]"),
        (TRANSITIONS, [5, 2], r"lie in \[2, 5\]"),
    ],
)
def test_wrong_arguments(transitions, lengths, message):
    with pytest.raises(InvalidArgumentError, match=message):
        proa.text.viterbi_decode(
            proa.to_tensor(POTENTIALS), proa.to_tensor(transitions), proa.to_tensor(lengths)
        )


def test_names_of_the_module_behind_the_function():
    assert proa.text.viterbi_decode.viterbi_decode is proa.text.viterbi_decode
    assert proa.text.viterbi_decode.ViterbiDecoder is proa.text.ViterbiDecoder
