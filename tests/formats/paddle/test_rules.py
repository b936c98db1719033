from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ProgramError
from proa.formats import paddle_ops
from proa.formats.paddle import _read as _read
from proa.formats.paddle._graph import Node
from proa.formats.paddle._rules import (
    DESC_RULES,
    PIR_RULES,
    Unfit,
    find_rule,
    host,
    ints,
    number,
    rule,
    scalar,
    snake,
    tensor,
    whole,
)
from proa.formats.pir._schema import schemas
from proa.program import make_dimension, recording

H = make_dimension("h")


def test_the_usual_ops_are_known():
    known = set(paddle_ops())
    assert known >= {"conv2d", "matmul_v2", "pool2d", "rnn", "lookup_table_v2", "multiclass_nms3"}
    assert find_rule("relu_", "pir") is find_rule("relu", "pir")
    assert find_rule("relu_", "desc") is None
    assert find_rule("elementwise_add", "desc") is find_rule("add", "pir")


def test_inputs_stand_in_the_order_that_the_writer_has():
    for name, schema in schemas().items():
        found = PIR_RULES.get(name)
        given = [entry.name for entry in schema.operands]
        if found is not None and found.positional and len(given) > 1 and not found.variadic:
            assert list(found.positional)[: len(given)] == given, name


def test_slots_and_attributes_are_bound_by_name():
    found = DESC_RULES["conv2d"]
    attributes = {"strides": [1, 1], "paddings": [0, 0], "use_cudnn": True}
    node = Node("conv2d", {"Input": ["a"], "Filter": ["b"]}, {}, attributes, "here")
    assert found.arguments(node, {"a": 1, "b": 2}, "desc") == {
        "input": 1,
        "filter": 2,
        "strides": [1, 1],
        "paddings": [0, 0],
    }
    with pytest.raises(Unfit, match="it has no filter, strides, paddings"):
        found.arguments(Node("conv2d", {"Input": ["a"]}, {}, {}, ""), {"a": 1}, "desc")


def test_an_input_overrules_the_attribute_that_stands_for_it():
    found = DESC_RULES["reshape2"]
    slots = {"X": ["x"], "Shape": [], "ShapeTensor": ["s", "t"]}
    node = Node("reshape2", slots, {}, {"shape": [-1]}, "")
    assert found.arguments(node, {"x": 0, "s": 1, "t": 2}, "desc")["shape"] == [1, 2]


def test_two_rules_for_one_op_are_refused():
    with pytest.raises(ProgramError, match="two rules for 'relu'"):
        rule("relu")(lambda x: x)


def test_names():
    assert [snake(n) for n in ("X", "RoisNum", "rois_num")] == ["x", "rois_num", "rois_num"]


def test_sizes_known_and_unknown():
    assert ints([np.array([2]), np.array([H], dtype=object)]) == [2, H]
    assert ints(proa.to_tensor([3, 4])) == [3, 4]
    assert number(np.array(5)) == 5
    assert scalar(np.array([0.5], np.float32)) == 0.5
    assert scalar("0.25") == 0.25
    assert whole([H, 1]).dtype == object
    assert whole([2, 1]).dtype == np.int64
    with recording() as recorder:
        x = recorder.add_input((H,), np.int64, "x")
        assert host(x) is None
        assert host([x, 1]) is None
        with pytest.raises(Unfit, match="the axis is computed from the elements of a tensor"):
            ints(x, "the axis")
        made = tensor(whole([H, 2]))
        program, _ = recorder.finish([made])
    assert program.function()(np.zeros(7, np.int64))[0].tolist() == [7, 2]
    assert tensor(None) is None
