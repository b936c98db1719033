from __future__ import annotations

import numpy as np
import pytest

from proa.core import OutOfRangeError, ProgramError, set_flags
from proa.formats.paddle._desc import read_program_desc
from proa.formats.paddle._import import graph_to_artifact
from proa.formats.paddle._schema import (
    Attribute,
    AttributeType,
    BlockDesc,
    VariableDesc,
    VariableKind,
    VariableType,
)
from proa.jit import Pipeline
from tests.formats.paddle import test_pir as pir

from .models import op, program, variable


def flow(kind, inputs, outputs, block, **attributes):
    made = op(kind, inputs, outputs, **attributes)
    made.attrs.append(Attribute.make("sub_block", AttributeType.BLOCK, block))
    return made


def full(name, value, dtype=3, shape=(1,)):
    return op("fill_constant", {}, {"Out": name}, shape=list(shape), value=value, dtype=dtype)


def array(name):
    return VariableDesc(name, VariableType(int(VariableKind.DENSE_TENSOR_ARRAY)))


def run(ops, inputs, outputs, blocks, feeds, variables=()):
    made = program(ops, inputs, {}, outputs)
    made.blocks[0].variables.extend(variables)
    for number, (parent, local, body) in enumerate(blocks, 1):
        declared = [variable(name, [1]) for name in local]
        made.blocks.append(BlockDesc(number, parent, declared, body))
    artifact = graph_to_artifact(read_program_desc(made.serialise()), {}, {})
    return [np.asarray(o) for o in Pipeline(artifact).run(feeds)]


PLUS = {"bias": 1.0, "scale": 1.0, "bias_after_scale": True}


def branch(number, condition, factor, out):
    body = [
        op("scale", {"X": "x"}, {"Out": "t"}, scale=factor, bias=0.0, bias_after_scale=True),
        op("assign", {"X": "t"}, {"Out": out}),
    ]
    scope = {"Out": out, "Scope": f"scope{number}"}
    node = flow(
        "conditional_block",
        {"Cond": condition, "Input": "x"},
        scope,
        number,
        is_scalar_condition=True,
    )
    return node, (0, ["t"], body)


def test_two_blocks_and_a_choice_are_a_branch():
    first, then = branch(1, "c", 2.0, "a")
    second, otherwise = branch(2, "n", -1.0, "b")
    ops = [
        full("zero", 0.0, 5),
        op("reduce_mean", {"X": "x"}, {"Out": "m"}, dim=[0], reduce_all=True, keep_dim=False),
        op("greater_than", {"X": "m", "Y": "zero"}, {"Out": "c"}),
        first,
        op("logical_not", {"X": "c"}, {"Out": "n"}),
        second,
        op("cast", {"X": "c"}, {"Out": "mask"}, in_dtype=0, out_dtype=2),
        op("select_input", {"X": ["b", "a"], "Mask": "mask"}, {"Out": "y"}),
    ]
    for sign in (1, -1):
        x = sign * np.array([1, 2, 3], np.float32)
        (y,) = run(ops, [variable("x", [-1])], ["y"], [then, otherwise], [x])
        np.testing.assert_array_equal(y, [2, 4, 6] if sign > 0 else [1, 2, 3])


def test_a_condition_that_is_known_records_no_branch():
    node, block = branch(1, "c", 2.0, "y")
    ops = [full("c", 1.0, 0), node]
    (y,) = run(ops, [variable("x", [2])], ["y"], [block], [np.array([1, 2], np.float32)])
    np.testing.assert_array_equal(y, [2, 4])
    with pytest.raises(ProgramError, match="output 'y' of the model is a result"):
        run([full("c", 0.0, 0), node], [variable("x", [2])], ["y"], [block], [])


def test_a_condition_on_elements_is_refused():
    node, block = branch(1, "c", 2.0, "y")
    node.attrs = [each for each in node.attrs if each.name != "is_scalar_condition"]
    with pytest.raises(ProgramError, match=r"`conditional_block` at op 2 .*tensors have elements"):
        run([full("c", 1.0, 0), node], [variable("x", [2])], ["y"], [block], [])


def counted(limit, body, local=()):
    """`i = 0; while i < limit: body; i += 1`, as Paddle writes it."""
    before = [
        full("i", 0.0),
        op("less_than", {"X": "i", "Y": limit}, {"Out": "go"}),
        flow("while", {"X": ["x"], "Condition": "go"}, {"Out": ["i"], "StepScopes": "s"}, 1),
    ]
    after = [
        op("scale", {"X": "i"}, {"Out": "j"}, **PLUS),
        op("less_than", {"X": "j", "Y": limit}, {"Out": "t"}),
        op("assign", {"X": "j"}, {"Out": "i"}),
        op("assign", {"X": "t"}, {"Out": "go"}),
    ]
    return before, (0, ["j", "t", *local], [*body, *after])


def test_a_loop_changes_variables_outside_of_it():
    body = [
        op("scale", {"X": "x"}, {"Out": "z"}, scale=2.0, bias=1.0, bias_after_scale=True),
        op("assign", {"X": "z"}, {"Out": "x"}),
    ]
    before, block = counted("n", body, ["z"])
    inputs = [variable("x", [-1]), variable("n", [1], "int64")]
    for turns, expected in ((0, [1, 0]), (3, [15, 7])):
        feeds = [np.array([1, 0], np.float32), np.array([turns])]
        (x,) = run(before, inputs, ["x"], [block], feeds)
        np.testing.assert_array_equal(x, expected)


def test_a_state_that_no_turn_reads_may_begin_as_something_else():
    body = [op("assign", {"X": "x"}, {"Out": "last"})]
    before, block = counted("n", body)
    ops = [full("last", 1.77e27, 6), *before]
    inputs = [variable("x", [2]), variable("n", [1], "int64")]
    (last,) = run(ops, inputs, ["last"], [block], [np.ones(2, np.float32), np.array([2])])
    np.testing.assert_array_equal(last, [1, 1])


def test_a_state_of_another_shape_is_named():
    body = [op("concat", {"X": ["x", "x"]}, {"Out": "z"}, axis=0)]
    body.append(op("assign", {"X": "z"}, {"Out": "x"}))
    before, block = counted("n", body, ["z"])
    inputs = [variable("x", [2]), variable("n", [1], "int64")]
    with pytest.raises(ProgramError, match=r"`while` at op 4 .*changes `x` from float32\[2\]"):
        run(before, inputs, ["x"], [block], [])


ROWS = [
    op("lod_array_length", {"X": "rows"}, {"Out": "length"}),
    op("scale", {"X": "i"}, {"Out": "f"}, **PLUS),
    op("write_to_array", {"X": "f", "I": "length"}, {"Out": "rows"}),
]


def test_an_array_filled_in_a_loop_over_a_size_is_a_tensor():
    before, block = counted("n", ROWS, ["length", "f"])
    sizes = [
        op("shape", {"Input": "x"}, {"Out": "shape"}),
        op("cast", {"X": "shape"}, {"Out": "n"}, in_dtype=2, out_dtype=3),
    ]
    after = [op("tensor_array_to_tensor", {"X": "rows"}, {"Out": "y"}, axis=0, use_stack=True)]
    for extent in (1, 3):
        feeds = [np.zeros(extent, np.float32)]
        ops, inputs = [*sizes, *before, *after], [variable("x", [-1])]
        (y,) = run(ops, inputs, ["y"], [block], feeds, [array("rows")])
        np.testing.assert_array_equal(y, np.arange(1, extent + 1)[:, None])


def test_an_array_of_unknown_length_is_read_by_place_and_checked():
    before, block = counted("n", ROWS, ["length", "f"])
    ops = [
        *before,
        full("one", 1.0),
        op("read_from_array", {"X": "rows", "I": "one"}, {"Out": "y"}),
        op("lod_array_length", {"X": "rows"}, {"Out": "count"}),
    ]
    inputs = [variable("x", [1]), variable("n", [1], "int64")]
    set_flags({"FLAGS_max_list_length": 8})
    try:

        def rows(turns):
            feeds = [np.zeros(1, np.float32), np.array([turns])]
            return run(ops, inputs, ["y", "count"], [block], feeds, [array("rows")])

        second, count = rows(5)
        assert (second.tolist(), count.tolist()) == ([2], [5])
        with pytest.raises(OutOfRangeError, match="got 9 entries"):
            rows(9)
    finally:
        set_flags({"FLAGS_max_list_length": 256})


def test_what_is_no_array_is_refused():
    read = op("read_from_array", {"X": "x", "I": "i"}, {"Out": "y"})
    with pytest.raises(ProgramError, match="x is no array of tensors"):
        run([full("i", 0.0), read], [variable("x", [1])], ["y"], [], [])


def test_a_region_overwrites_variables_outside_of_it():
    """`while i < 3: i += 1; x = x + x`, as the newer form has it without a state."""
    body = [
        pir.op("1.increment_", [3], [pir.result(10, [], "0.t_i64")], value=("0.a_f64", 1.0)),
        pir.op("1.add", [2, 2], [pir.result(11, [-1])]),
        pir.op("1.assign_out_", [11, 2], [pir.result(12, [-1])]),
        pir.op("1.less_than", [3, 4], [pir.result(13, [], "0.t_bool")]),
        pir.op("1.assign_out_", [13, 5], [pir.result(14, [], "0.t_bool")]),
        pir.op("2.yield", [5], []),
    ]
    ops = [
        pir.data("given", 1, [-1]),
        pir.op("1.assign", [1], [pir.result(2, [-1])]),
        pir.full(3, {"D": 0.0}, "int64"),
        pir.full(4, {"D": 3.0}, "int64"),
        pir.op("1.less_than", [3, 4], [pir.result(5, [], "0.t_bool")]),
        pir.op("1.while", [5], [], [pir.region(body)]),
        pir.fetch(2, 0, "x"),
        pir.fetch(3, 1, "i"),
    ]
    x, i = pir.run(ops, np.array([1, 2], np.float32))
    assert (x.tolist(), i.item()) == ([8, 16], 3)
