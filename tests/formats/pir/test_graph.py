"""A Paddle program while it is written: ops, operands, sizes, constants and blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proa.formats.pir._graph import Graph, Out, Unwritable, attribute
from proa.program import make_dimension

FLOAT = np.float32


def _ops(graph: Graph) -> list[dict[str, Any]]:
    return graph.as_json()["program"]["regions"][0]["blocks"][0]["ops"]


def _named(ops: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [op for op in ops if op["#"] == name]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("b", 1, {"#": "0.a_bool", "D": True}),
        ("i", 3, {"#": "0.a_i32", "D": 3}),
        ("d", 2, {"#": "0.a_f64", "D": 2.0}),
        ("s", "NCHW", {"#": "0.a_str", "D": "NCHW"}),
        ("t", np.dtype("float64"), {"#": "1.a_dtype", "D": "float64"}),
        ("t", None, {"#": "1.a_dtype", "D": "Undefined(ALL_DTYPE)"}),
        ("N", (2, 3), {"#": "1.a_intarray", "D": [2, 3]}),
        ("I", [4], {"#": "0.a_array", "D": [{"#": "0.a_i32", "D": 4}]}),
    ],
)
def test_an_attribute_as_the_file_has_it(kind: str, value: Any, expected: Any) -> None:
    assert attribute(kind, value) == expected


def test_an_attribute_that_is_not_finite_is_refused() -> None:
    with pytest.raises(Unwritable, match="cannot read"):
        attribute("f", float("inf"))


def test_an_op_names_operands_and_types() -> None:
    g = Graph()
    x = g.input("x", (2, 3), FLOAT)
    made = g.call("sum", x, axis=[1], dtype=FLOAT, keepdim=False, out=((2,), FLOAT))
    g.fetch(made, "y", 0)
    ops = _ops(g)
    (total,) = _named(ops, "1.sum")
    (axes,) = _named(ops, "1.full_int_array")
    assert [i["%"] for i in total["I"]] == [x.number, axes["O"][0]["%"]]
    kind = total["O"][0]["TT"]
    assert kind == {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [2], "NCHW", [], 0]}
    assert [op["#"] for op in ops if op["#"] == "p"] == ["p"]
    assert list(g.parameters) == ["empty"]


def test_what_an_op_does_not_take_is_refused() -> None:
    g = Graph()
    x = g.input("x", (2,), FLOAT)
    with pytest.raises(TypeError, match="does not take"):
        g.call("relu", x, slope=1, out=((2,), FLOAT))
    with pytest.raises(TypeError, match="so many operands"):
        g.call("relu", x, x, out=((2,), FLOAT))


def test_rows_of_tensors_are_combined_and_taken_apart() -> None:
    g = Graph()
    x = g.input("x", (4,), FLOAT)
    ((a, b),) = g.call("split", x, sections=[1, 3], axis=0, out=[[((1,), FLOAT), ((3,), FLOAT)]])
    g.fetch(g.call("concat", [b, a], axis=0, out=((4,), FLOAT)), "y", 0)
    ops = _ops(g)
    assert [a.shape, b.shape] == [(1,), (3,)]
    assert [i["%"] for i in _named(ops, "0.combine")[0]["I"]] == [b.number, a.number]
    assert len(_named(ops, "0.split")[0]["O"]) == 2


def test_an_unknown_size_is_computed_from_the_input() -> None:
    g = Graph()
    batch = make_dimension("batch")
    x = g.input("x", (batch, 3), FLOAT)
    shape = g.integers([2 * batch + 1, 3])
    g.fetch(g.call("reshape", x, shape, out=((batch, 3), FLOAT)), "y", 0)
    names = [op["#"] for op in _ops(g)]
    wanted = ("1.shape64", "1.slice", "1.multiply", "1.add", "1.concat")
    assert [n for n in names if n in wanted] == list(wanted)
    data = _named(_ops(g), "1.data")[0]
    assert data["O"][0]["TT"]["D"][1] == [-1, 3]


@pytest.mark.parametrize("text", ["max(0, b - 3)", "floordiv(b, 2)", "mod(b, 2)", "b*b"])
def test_formulas_of_sizes_are_ops(text: str) -> None:
    g = Graph()
    g.input("x", (make_dimension("b"),), FLOAT)
    assert g.dimension(make_dimension(text)).shape == (1,)


def test_a_size_that_no_input_has_is_refused() -> None:
    with pytest.raises(Unwritable, match="no input has the size rows"):
        Graph().dimension(make_dimension("rows"))


def test_constants_are_made_once_and_numbers_need_no_file() -> None:
    g = Graph()
    array = np.arange(3, dtype=np.int64)
    assert g.constant(array) is g.constant(array.copy())
    assert g.full((), 2.0, FLOAT) is g.constant(np.float32(2.0))
    g.constant(np.asarray(np.inf, FLOAT))
    g.constant(np.asarray(2**60 + 1, np.int64))
    held = [a.item() for a in g.parameters.values() if a.ndim == 0]
    assert held == [np.inf, 2**60 + 1]
    count = len(g.parameters)
    assert g.constant(np.zeros((2, 0), FLOAT)).shape == (2, 0)
    assert len(g.parameters) == count


def test_what_a_block_makes_is_not_known_outside() -> None:
    g = Graph()
    flag = g.input("flag", (), np.bool_)
    outer = g.full((2,), 1.0, FLOAT)
    with g.block() as ops:
        inner = g.full((2,), 3.0, FLOAT)
        assert g.full((2,), 1.0, FLOAT) is outer
    assert g.full((2,), 3.0, FLOAT) is not inner
    with g.block() as others:
        pass
    blocks = [([], ops, [inner]), ([], others, [outer])]
    (made,) = g.structured("if", [flag], blocks, [((2,), FLOAT)])
    g.fetch(made, "y", 0)
    (branch,) = _named(_ops(g), "1.if")
    assert [r["#"] for r in branch["regions"]] == ["region_0", "region_1"]
    ends = [r["blocks"][0]["ops"][-1] for r in branch["regions"]]
    assert [e["#"] for e in ends] == ["2.yield", "2.yield"]
    assert [r["blocks"][0]["#"] for r in branch["regions"]] == ["block_1", "block_2"]


def test_ops_that_nobody_needs_are_left_out_with_their_parameters() -> None:
    g = Graph()
    x = g.input("x", (2,), FLOAT)
    weight = g.parameter("w", np.ones(2, FLOAT), trainable=True)
    g.call("add", x, weight, out=((2,), FLOAT))
    g.fetch(g.call("relu", x, out=((2,), FLOAT)), "y", 0)
    assert not _named(_ops(g), "1.add")
    assert "w" not in g.parameters


def test_a_dtype_that_paddle_lacks_is_refused() -> None:
    with pytest.raises(Unwritable, match="no dtype"):
        Graph().call("data", name="x", shape=[1], dtype=FLOAT, out=((1,), np.uint32))


def test_an_output_knows_its_axes() -> None:
    assert Out(1, (2, 3), FLOAT).ndim == 2
