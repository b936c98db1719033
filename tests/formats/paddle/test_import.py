from __future__ import annotations

import numpy as np
import pytest

from proa.core import ProgramError, UnsupportedError
from proa.formats.paddle._desc import read_program_desc
from proa.formats.paddle._import import graph_to_artifact
from proa.jit import Pipeline
from proa.program import verify
from tests.formats.paddle.models import WEIGHTS, linear, linear_answer, op, program, variable


def convert(ops, inputs, outputs, weights=None):
    graph = read_program_desc(program(ops, inputs, weights or {}, outputs).serialise())
    return graph_to_artifact(graph, weights or {}, {})


def shapes(artifact, kind):
    return [entry["shape"] for entry in artifact.manifest[kind]]


def test_a_graph_becomes_a_program_with_its_weights():
    made = graph_to_artifact(read_program_desc(linear().serialise()), WEIGHTS, {"from": "test"})
    assert shapes(made, "inputs") == [["batch", 3]]
    assert made.manifest["outputs"] == [{"name": "y", "dtype": "float32", "shape": ["batch", 2]}]
    assert made.manifest["captures"] == {"main": ["w", "b"]}
    assert made.manifest["lineage"] == {"from": "test"}
    verify(made.programs["main"])
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    np.testing.assert_allclose(Pipeline(made).run([x])[0], linear_answer(x), rtol=1e-5)


def test_sizes_are_computed_while_the_program_is_made():
    ops = [
        op("shape", {"Input": "x"}, {"Out": "s"}),
        op(
            "slice", {"Input": "s"}, {"Out": "n"}, axes=[0], starts=[0], ends=[1], decrease_axis=[0]
        ),
        op("fill_constant", {}, {"Out": "c"}, shape=[1], value=-1.0, dtype=2),
        op("reshape2", {"X": "x", "ShapeTensor": ["n", "c"]}, {"Out": "y"}, shape=[-1, -1]),
    ]
    made = convert(ops, [variable("x", [-1, 2, -1])], ["y", "s"])
    assert shapes(made, "outputs") == [["batch", "2*x_2"], [3]]
    y, sizes = Pipeline(made).run([np.zeros((3, 2, 5), np.float32)])
    assert (y.shape, sizes.tolist()) == ((3, 10), [3, 2, 5])


def test_unknown_sizes_of_several_inputs_are_their_own_unless_they_must_be_equal():
    pair = [variable("x", [-1, -1]), variable("y", [-1, -1])]
    apart = convert(
        [op("relu", {"X": "x"}, {"Out": "a"}), op("relu", {"X": "y"}, {"Out": "b"})],
        pair,
        ["a", "b"],
    )
    assert shapes(apart, "inputs") == [["batch", "x_1"], ["y_0", "y_1"]]
    added = convert([op("elementwise_add", {"X": "x", "Y": "y"}, {"Out": "a"})], pair, ["a"])
    assert shapes(added, "inputs") == [["batch", "rank2_axis1"], ["batch", "rank2_axis1"]]
    beside = convert([op("concat", {"X": ["x", "y"]}, {"Out": "a"}, axis=1)], pair, ["a"])
    ((_, wide),) = shapes(beside, "outputs")
    assert wide in ("x_1 + y_1", "y_1 + x_1")


def test_all_unknown_ops_are_named():
    ops = [op("shiny", {"X": "x"}, {"Out": "a"}), op("odd", {"X": "a"}, {"Out": "b"})]
    with pytest.raises(UnsupportedError, match=r"(?s)odd, shiny.*op 1 of block 0.*op 2 of block 0"):
        convert(ops, [variable("x", [2])], ["b"])


def test_a_call_that_cannot_be_translated_says_where_and_with_what():
    ops = [op("reshape2", {"X": "x"}, {"Out": "y"}, shape=[7, 7])]
    with pytest.raises(ProgramError, match=r"(?s)op `reshape2` at op 1 .*X: float32\[2, 3\]"):
        convert(ops, [variable("x", [2, 3])], ["y"])
    ops = [op("reshape2", {"X": "x", "Shape": "i"}, {"Out": "y"})]
    with pytest.raises(ProgramError, match="a shape is computed from the elements of a tensor"):
        convert(ops, [variable("x", [2, 3]), variable("i", [1], "int64")], ["y"])
    with pytest.raises(ProgramError, match="variable 'gone' is not defined before"):
        convert([op("relu", {"X": "gone"}, {"Out": "y"})], [variable("x", [2])], ["y"])
    with pytest.raises(ProgramError, match="output 'z' of the model is a result that is not"):
        convert([op("relu", {"X": "x"}, {"Out": "y"})], [variable("x", [2])], ["z"])
    with pytest.raises(ProgramError, match="how many elements it gives depends on what"):
        convert([op("multiclass_nms3", {"BBoxes": "x"}, {"Out": "y"})], [variable("x", [2])], ["y"])
