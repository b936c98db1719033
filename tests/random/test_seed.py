from __future__ import annotations

import proa


def test_the_seed_that_the_stream_was_started_with():
    proa.random.seed(17)
    assert proa.random.initial_seed() == 17
    state = proa.random.get_rng_state()
    drawn = proa.rand([2]).tolist()
    proa.random.set_rng_state(state)
    assert proa.rand([2]).tolist() == drawn
