from __future__ import annotations

import numpy as np
import pytest

from proa.formats.onnx._graph import CannotWrite, Graph, Ref
from proa.program import make_dimension


def test_equal_constants_and_equal_nodes_are_one() -> None:
    g = Graph(20)
    x = Ref("x", np.dtype(np.float32), (2,))
    first = g.node("Add", x, g.number(1, x))
    assert g.node("Add", x, g.number(1.0, x)) is first
    assert [node.kind for node in g.nodes] == ["Add"]
    assert list(g.initializers.values()) == [np.float32(1)]


def test_a_size_is_computed_from_the_shape_of_the_input_that_has_it() -> None:
    g = Graph(20)
    g.bind([Ref("x", np.dtype(np.float32), (3, make_dimension("n")))])
    g.size(make_dimension("2*n + 1"))
    assert [node.kind for node in g.nodes] == ["Shape", "Mul", "Add"]
    assert dict(g.nodes[0].attributes) == {"start": 1, "end": 2}


@pytest.mark.parametrize(
    ("shape", "target", "stored"),
    [
        (("n", 4), ("n", 2, 2), [-1, 2, 2]),
        (("n", "m", 4), ("n", "m", 2, 2), [0, 0, 2, 2]),
        ((2, 6), (3, 4), [3, 4]),
    ],
)
def test_a_reshape_computes_no_size_that_it_can_leave_open(shape, target, stored) -> None:
    g = Graph(20)
    named = [tuple(make_dimension(d) if isinstance(d, str) else d for d in s)
             for s in (shape, target)]  # fmt: skip
    x = Ref("x", np.dtype(np.float32), named[0])
    g.bind([x])
    g.reshape(x, named[1])
    (array,) = g.initializers.values()
    assert array.tolist() == stored


def test_what_must_be_a_weight_says_so() -> None:
    with pytest.raises(CannotWrite, match="a gate is computed by the Program"):
        Graph(20).arrange(Ref("x", np.dtype(np.float32), (2,)), np.sort, "a gate")
