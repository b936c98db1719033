from __future__ import annotations

import random

import numpy as np
import pytest

from proa.core import PreconditionError
from proa.io._random import (
    Repeats,
    digest,
    isolated,
    make_generator,
    preserved_globals,
    sample_rng,
    seed_globals,
)


def test_digest_is_the_same_in_every_process():
    # A recorded value: Python's own `hash` of a string would differ between processes.
    assert digest(0, 0, 0, 0).hex()[:16] == "8fe5fbe9345ada95"


@pytest.mark.parametrize("other", [(8, 0, 5, 0), (7, 1, 5, 0), (7, 0, 6, 0), (7, 0, 5, 1)])
def test_seed_epoch_index_and_repeat_each_change_all_streams(other):
    def streams(parts):
        with preserved_globals():
            seed_globals(digest(*parts))
            return np.random.rand(), random.random(), sample_rng().random()

    first, second = streams((7, 0, 5, 0)), streams(other)
    assert first == streams((7, 0, 5, 0))
    assert all(a != b for a, b in zip(first, second, strict=True))


def test_generators_depend_on_their_parts_alone():
    assert make_generator(1, "a").random() == make_generator(1, "a").random()
    assert make_generator(1, "a").random() != make_generator(1, "b").random()


def test_preserved_globals_gives_the_streams_back():
    np.random.seed(3)
    random.seed(3)
    expected = np.random.rand(), random.random()
    np.random.seed(3)
    random.seed(3)
    with pytest.raises(KeyError), preserved_globals():
        seed_globals(digest(1))
        np.random.rand()
        raise KeyError
    assert (np.random.rand(), random.random()) == expected


def test_sample_rng_outside_of_a_loader_says_what_to_use():
    with pytest.raises(PreconditionError, match=r"(?s)no DataLoader.*Expected:.*default_rng"):
        sample_rng()


def test_sample_rng_is_one_stream_during_a_sample():
    with preserved_globals():
        seed_globals(digest(1))
        assert sample_rng() is sample_rng()
        first = sample_rng().random()
        seed_globals(digest(1))
        assert sample_rng().random() == first


def test_isolated_is_not_disturbed_by_the_code_around_it():
    def draw():
        for _ in range(3):
            yield np.random.rand(), random.random()

    undisturbed = list(isolated(draw, 7, 0))
    disturbed = []
    for item in isolated(draw, 7, 0):
        np.random.rand(5)
        disturbed.append(item)
    assert disturbed == undisturbed
    assert list(isolated(draw, 7, 1)) != undisturbed


def test_isolated_does_not_disturb_the_code_around_it():
    np.random.seed(3)
    expected = np.random.rand(2).tolist()
    np.random.seed(3)
    seen = [np.random.rand() for _ in isolated(lambda: [1, 2], 7)]
    assert seen == expected


@pytest.mark.parametrize("length", [0, 4])
def test_repeats_counts_each_index(length):
    repeats = Repeats(length)
    assert repeats.count([1, 1, 2, "a", 9, -1]) == (0, 1, 0, 0, 0, 0)
    assert repeats.count([1, "a", 9, -1, (1, 2)]) == (2, 1, 1, 1, 0)
