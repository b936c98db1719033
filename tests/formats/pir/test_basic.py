"""Shapes, casts and numbers in a Paddle program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proa.formats.pir import _basic as basic
from proa.formats.pir._graph import Graph, Unwritable
from proa.program import make_dimension

B, T = make_dimension("b"), make_dimension("t")


def _target(g: Graph, name: str) -> list[int] | None:
    """The shape operand of the last op of a name, where it is known."""
    op = next(op for op in reversed(g.ops) if op["#"] == f"1.{name}")
    maker = next(o for o in g.ops if any(r["%"] == op["I"][1]["%"] for r in o["O"]))
    if maker["#"] != "1.full_int_array":
        return None
    return [item["D"] for item in maker["A"][0]["AT"]["D"]]


@pytest.mark.parametrize(
    ("shape", "wanted", "operand"),
    [
        ((B, 6), (B, 2, 3), [0, 2, 3]),
        ((B, 6), (B * 2, 3), [-1, 3]),
        ((B, T, 6), (B, T * 2, 3), [0, -1, 3]),
        ((B, T, 6), (B * T, 6), [-1, 6]),
        ((B, T, 6), (T, B, 6), None),
        ((2, 3), (3, 2), [3, 2]),
    ],
)
def test_reshape_writes_unknown_sizes(shape: Any, wanted: Any, operand: Any) -> None:
    g = Graph()
    made = basic.reshape(g, g.input("x", shape, np.float32), wanted)
    assert made.shape == wanted
    assert _target(g, "reshape") == operand


def test_reshape_to_the_same_shape_is_nothing() -> None:
    g = Graph()
    x = g.input("x", (B, 2), np.float32)
    assert basic.reshape(g, x, (B, 2)) is x
    assert basic.transpose(g, x, [0, 1]) is x
    assert basic.expand(g, x, (B, 2)) is x
    assert basic.cast(g, x, np.float32) is x


def test_expand_keeps_an_unknown_size() -> None:
    g = Graph()
    basic.expand(g, g.input("x", (B, 1), np.float32), (3, B, 4))
    assert _target(g, "expand") == [3, -1, 4]


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (((2, 1), (3,)), (2, 3)),
        (((B, 4), (1, 4)), (B, 4)),
        (((B,), (5,)), (5,)),
        (((), ()), ()),
        (((0, 1), (1, 3)), (0, 3)),
    ],
)
def test_broadcast_shape(shapes: Any, expected: Any) -> None:
    assert basic.broadcast_shape(*shapes) == expected


def test_joins_leave_empty_parts_out() -> None:
    g = Graph()
    x, none = g.input("x", (2, 3), np.float32), g.input("y", (2, 0), np.float32)
    assert basic.concat(g, [none, x], 1) is x
    assert basic.concat(g, [x, x], 1).shape == (2, 6)


def test_reduced_shape() -> None:
    assert basic.reduced_shape((2, 3, 4), [-1, 0], False) == (3,)
    assert basic.reduced_shape((2, 3, 4), [1], True) == (2, 1, 4)


def test_a_size_that_must_be_known() -> None:
    assert basic.known(3, "it") == 3
    with pytest.raises(Unwritable, match="the width is not known"):
        basic.known(B, "the width")


def test_infinities_become_the_ends_of_the_range() -> None:
    assert basic.finite(float("-inf"), np.float32) == -float(np.finfo(np.float32).max)
    assert basic.finite(1.5, np.float32) == 1.5
