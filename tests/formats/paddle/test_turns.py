from __future__ import annotations

import numpy as np
import pytest

from proa.formats.paddle._graph import Block, Node
from proa.formats.paddle._turns import known_turns
from proa.program import make_dimension

SIZE = make_dimension("turns_size")


def node(kind, inputs, out, **attributes):
    return Node(kind, {k: [v] for k, v in inputs.items()}, {"Out": [out]}, attributes, "here")


def body(test="less_than", bias=1.0, bound="n"):
    return Block(
        [
            node("scale", {"X": "i"}, "j", scale=1.0, bias=bias),
            node("cast", {"X": "j"}, "k"),
            node(test, {"X": "k", "Y": bound}, "t"),
            node("assign", {"X": "j"}, "i"),
            node("assign", {"X": "t"}, "go"),
        ]
    )


@pytest.mark.parametrize(
    ("made", "start", "bound", "expected"),
    [
        (body(), 0, 7, 7),
        (body(), 2, 7, 5),
        (body(), 0, SIZE, SIZE),
        (body(bias=2.0), 0, 7, None),
        (body("less_equal"), 0, 7, None),
        (body(bound="i"), 0, 7, None),
    ],
)
def test_turns_of_a_counter(made, start, bound, expected):
    state = [np.asarray(True), np.asarray([start])]
    values = {"n": np.asarray([bound], dtype=object if bound is SIZE else np.int64)}
    assert known_turns(made, ["i"], ["go", "i"], state, values) == expected


def test_a_loop_that_may_not_begin_is_not_known():
    values = {"n": np.asarray([7])}
    assert known_turns(body(), ["i"], ["go", "i"], [None, np.asarray([0])], values) is None
