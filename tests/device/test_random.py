from __future__ import annotations

import proa
from proa import device


def test_the_stream_can_be_put_back():
    device.manual_seed(3)
    state = device.get_rng_state()
    drawn = proa.rand([2]).tolist()
    device.cuda.set_rng_state(state)
    assert proa.rand([2]).tolist() == drawn
