from __future__ import annotations

import inspect

import proa


def test_the_top_level_softmax_is_torchs_and_the_functional_one_paddles():
    assert proa.softmax is not proa.nn.functional.softmax
    assert "dim" in inspect.signature(proa.softmax).parameters
    x = proa.to_tensor([[0.0, 0.0]])
    assert proa.softmax(x, 1).tolist() == [[0.5, 0.5]]
