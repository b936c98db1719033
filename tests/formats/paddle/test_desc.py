from __future__ import annotations

import pytest

from proa.formats.paddle._desc import read_program_desc
from proa.formats.paddle._graph import Block
from proa.formats.paddle._schema import Attribute, AttributeType, BlockDesc, ProgramDesc
from tests.formats.paddle.models import linear, op, program, variable


def test_inputs_weights_calls_and_outputs_are_found():
    graph = read_program_desc(linear().serialise())
    assert [(v.name, v.shape, v.dtype) for v in graph.inputs] == [("x", (-1, 3), "float32")]
    assert [(v.name, v.shape) for v in graph.weights] == [("w", (3, 2)), ("b", (2,))]
    assert [node.op for node in graph.block.nodes] == ["matmul_v2", "elementwise_add", "relu"]
    first = graph.block.nodes[0]
    assert (first.slots, first.outputs) == ({"X": ["x"], "Y": ["w"]}, {"Out": ["m"]})
    assert first.attributes == {"trans_x": False, "trans_y": False}
    assert first.where == "op 1 of block 0"
    assert graph.outputs == [("y", "y")]


def test_numbers_are_those_that_somebody_wrote():
    stack = ['  File "train.py", line 3, in <module>', "    y = f(x)"]
    stack.append('  File "/site-packages/paddle/nn.py", line 9, in f')
    made = op("cast", {"X": "x"}, {"Out": "y"}, out_dtype=3, in_dtype=5, rate=0.1, rates=[1e-5])
    made.attrs.append(Attribute.make("op_callstack", AttributeType.STRINGS, stack))
    graph = read_program_desc(program([made], [variable("x", [2])], {}, ["y"]).serialise())
    (node,) = graph.block.nodes
    assert node.attributes == {
        "out_dtype": "int64",
        "in_dtype": "float32",
        "rate": 0.1,
        "rates": [1e-05],
    }
    assert node.where == 'op 1 of block 0, File "train.py", line 3, in <module>'


def test_blocks_stand_in_attributes():
    made = program([op("while", {"X": "x"}, {"Out": "y"})], [variable("x", [2])], {}, ["y"])
    made.blocks[0].ops[1].attrs.append(Attribute.make("sub_block", AttributeType.BLOCK, 1))
    made.blocks.append(BlockDesc(1, 0, [], [op("relu", {"X": "x"}, {"Out": "y"})]))
    (node,) = read_program_desc(made.serialise()).block.nodes
    inner = node.attributes["sub_block"]
    assert isinstance(inner, Block)
    assert inner.nodes[0].where == "op 0 of block 1"
    made.blocks[1].parent_idx = 1
    with pytest.raises(ValueError, match="block 1 stands inside block 1"):
        read_program_desc(made.serialise())
    del made.blocks[1]
    with pytest.raises(ValueError, match="refers to block 1 of 1"):
        read_program_desc(made.serialise())


def test_odd_programs_are_refused():
    with pytest.raises(ValueError, match="holds no block"):
        read_program_desc(ProgramDesc().serialise())
    with pytest.raises(ValueError, match="fetches nothing"):
        read_program_desc(program([], [variable("x", [2])], {}, []).serialise())
    odd = variable("x", [2])
    odd.type.dense_tensor.tensor.data_type = 99
    with pytest.raises(ValueError, match="variable 'x' has dtype number 99"):
        read_program_desc(program([], [odd], {}, ["x"]).serialise())
    odd.type.dense_tensor = None
    with pytest.raises(ValueError, match="variable 'x' is no tensor"):
        read_program_desc(program([], [odd], {}, ["x"]).serialise())
