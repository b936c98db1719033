from __future__ import annotations

import threading

import numpy as np
import pytest

import proa
from proa.core import Generator, InvalidArgumentError, InvalidTypeError


def test_a_seed_fixes_the_stream():
    proa.seed(5)
    first = [proa.rand([3]).numpy() for _ in range(2)]
    proa.seed(5)
    again = [proa.rand([3]).numpy() for _ in range(2)]
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first[0], first[1])


def test_the_position_of_the_stream_can_be_saved():
    proa.seed(5)
    proa.rand([2])
    state = proa.get_rng_state()
    after = proa.rand([2]).numpy()
    proa.rand([2])
    proa.set_rng_state(state)
    np.testing.assert_array_equal(proa.rand([2]).numpy(), after)


def test_large_seeds_differ_in_all_their_bits():
    streams = set()
    for seed in (0, 1, 2**32, 2**32 + 1, 2**64 - 1):
        streams.add(tuple(Generator().manual_seed(seed).next_key().tolist()))
    assert len(streams) == 5


def test_bad_seeds_are_refused():
    with pytest.raises(InvalidTypeError, match="`seed` is 1.5"):
        proa.seed(1.5)
    with pytest.raises(InvalidArgumentError, match="`seed` is -1"):
        proa.seed(-1)


def test_the_generator_is_state_of_a_compiled_function():
    proa.seed(9)
    eager = [proa.rand([2]).numpy() for _ in range(3)]
    compiled = proa.jit.to_static(lambda: proa.rand([2]), full_graph=True)
    proa.seed(9)
    np.testing.assert_array_equal([compiled().numpy() for _ in range(3)], eager)
    assert compiled.num_variants == 1


def test_threads_never_draw_the_same_numbers():
    drawn = []

    def draw():
        for _ in range(25):
            drawn.append(proa.rand([2]).numpy().tobytes())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 100


def test_a_recording_may_wait_for_a_thread_that_draws_numbers():
    drawn = []

    @proa.jit.to_static
    def record(x):
        thread = threading.Thread(target=lambda: drawn.append(proa.rand([2]).tolist()))
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive()
        return x

    record(proa.ones([1]))
    assert len(drawn) == 1
