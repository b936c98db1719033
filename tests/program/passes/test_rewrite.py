from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ProgramError, get_op
from proa.program import record_cond, verify
from proa.program.passes._rewrite import (
    Builder,
    Graph,
    attribute,
    call_key,
    inline,
    is_random,
    sub_programs,
    with_attributes,
)
from tests.program.passes.programs import bound, normal, ops, record, run


def test_a_graph_knows_makers_and_users():
    program = bound(lambda x: proa.exp(x) * proa.exp(x), (2,))
    graph = Graph.of(program)
    first, second, product = program.calls
    assert graph.makers[first.outputs[0]] is first
    assert graph.users[program.inputs[0]] == [first, second]
    assert graph.is_private(first, [product])
    assert not graph.is_private(product, [])
    assert not graph.is_private(first, [])


def test_scalars_and_weights_are_known():
    program = bound(lambda x: x * 2.5 + proa.ones([2]).detach(), (2,))
    graph = Graph.of(program)
    assert 2.5 in {graph.scalar(v) for v in program.constants}
    assert graph.scalar(program.inputs[0]) is None
    assert not graph.is_weight(program.inputs[0])
    assert all(graph.is_weight(v) for v in program.constants)


def test_new_calls_have_inferred_shapes_and_defaults():
    program = bound(lambda x: x + 1, (2, 3))
    builder = Builder(program)
    (x,) = program.inputs
    y = builder.call("softmax", x)
    z = builder.call("concat", [x, y], axis=1)
    parts = builder.call_many("split", z, num_or_sections=2, axis=1)
    made = verify(builder.finish([parts[1]]))
    assert z.shape == (2, 6)
    values = np.exp(normal(2, 3))
    np.testing.assert_allclose(
        run(made, normal(2, 3))[0], values / values.sum(1, keepdims=True), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("arrays", "attributes", "what"),
    [
        (1, {"axes": 1}, "softmax.*1 arrays.*axes"),
        (2, {}, "softmax.*2 arrays"),
    ],
)
def test_calls_that_no_op_takes_are_refused(arrays, attributes, what):
    program = bound(lambda x: x + 1, (2, 3))
    with pytest.raises(ProgramError, match=what):
        Builder(program).call("softmax", *program.inputs * arrays, **attributes)
    with pytest.raises(ProgramError, match="`transpose` with 1 arrays"):
        call_key(get_op("transpose"), program.inputs, {})


def test_attributes_are_read_and_changed():
    program = bound(lambda x: proa.transpose(x, [1, 0]), (2, 2))
    (call,) = program.calls
    assert attribute(call, "perm") == (1, 0)
    assert attribute(call, "axis") is None
    assert attribute(with_attributes(call, perm=(0, 1)), "perm") == (0, 1)
    assert attribute(call, "perm") == (1, 0)


def branched(x):
    return record_cond(x.sum() > 0, lambda: [proa.exp(x)], lambda: [proa.rand([3]) + x])[0]


def test_programs_inside_are_found():
    program, _ = record(branched, (3,))
    (call,) = [c for c in program.calls if c.op.name == "if_else"]
    assert [ops(p)[-1] for p in sub_programs(call)] == ["exp", "add"]
    assert sub_programs(program.calls[0]) == []
    assert is_random(call)


def test_a_program_may_stand_in_two_places():
    inner = bound(lambda x: proa.exp(x) + 1.5, (3,))
    outer = bound(lambda x: x * 2.0, (3,))
    builder = Builder(outer)
    first = inline(builder, inner, outer.inputs)
    second = inline(builder, inner, first)
    made = verify(builder.finish(second))
    expected = np.exp(np.exp(normal(3)) + 1.5) + 1.5
    np.testing.assert_allclose(run(made, normal(3))[0], expected, rtol=1e-5)
