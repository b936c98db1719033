from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.program import Call, record_cond, recording, verify
from proa.program.passes import apply_passes, bind, constant_folding, lift_constants
from tests.program.passes.programs import bound, normal, ops, record, run, same


def affine():
    net = proa.nn.Linear(3, 4)
    return record(lambda x: net(x) * (net.weight.sum() + 1), ("batch", 3))


def test_bound_weights_are_constants_by_reference():
    program, arrays = affine()
    made = bind(program, arrays)
    assert made.captures == []
    assert program.captures != []
    assert {id(a) for a in arrays} <= {id(a) for a in made.constants.values()}
    x = normal(2, 3)
    np.testing.assert_array_equal(run(made, x)[0], run(program, x, *arrays)[0])


def test_captures_are_bound_by_name():
    program, arrays = affine()
    for i, value in enumerate(program.captures):
        value.name = f"w{i}"
    made = bind(program, {"w0": arrays[0]})
    assert [v.name for v in made.captures] == ["w1"]
    same(bind(program, arrays), bind(made, arrays[1:]), normal(2, 3))


def test_arrays_that_do_not_fit_are_refused():
    program, arrays = affine()
    with pytest.raises(InvalidArgumentError, match="1 arrays for a Program with 2 captures"):
        bind(program, arrays[:1])
    with pytest.raises(InvalidArgumentError, match=r"the array for capture .* is float64\[3, 4\]"):
        bind(program, [arrays[0].astype(np.float64), arrays[1]])


def test_gradients_that_constants_do_not_have_are_forgotten():
    frozen = proa.ones([3])
    with recording(as_taped=True) as recorder:
        x = recorder.add_input((3,), np.float32, "x")
        x.stop_gradient = False
        program, state = recorder.finish([x * frozen + x.detach()])
    made = bind(program, [t.numpy() for t in state.captures])
    assert [c.flows for c in program.calls] == [(True, False), (True, False)]
    assert [c.flows for c in made.calls] == [None, (True, False)]


def test_large_constants_are_lifted_out_again():
    program, arrays = affine()
    made = bind(program, arrays)
    lifted, out = lift_constants(made, larger_than=16)
    verify(lifted)
    assert [v.name for v in lifted.captures] == list(out)
    assert [a.shape for a in out.values()] == [(3, 4)]
    assert out[lifted.captures[0].name] is arrays[0]
    x = normal(2, 3)
    np.testing.assert_array_equal(run(lifted, x, *out.values())[0], run(made, x)[0])
    assert lift_constants(lifted, larger_than=16) == (lifted, {})


def test_names_of_lifted_constants_are_distinct():
    made = bound(lambda x: x @ proa.ones([3, 3]).detach() + proa.to_tensor(normal(3)), (2, 3))
    _, out = lift_constants(made, larger_than=0)
    assert len(out) == len(made.constants)
    for value in made.constants:
        value.name = "w"
    assert list(lift_constants(made, larger_than=0)[1])[:2] == ["w", "w_1"]


def test_what_follows_from_constants_is_computed_once():
    program, arrays = affine()
    made, notes = constant_folding(bind(program, arrays))
    assert ops(made) == ["linear", "multiply"]
    assert notes == {"calls on constants computed": 2}
    verify(made)
    same(bind(program, arrays), made, normal(5, 3))
    assert constant_folding(made)[0] is made


def test_what_grows_is_not_folded():
    def wide(x):
        return x + proa.full([200, 200], 2.0)

    made = bound(wide, (200, 200))
    assert ops(constant_folding(made)[0]) == ["full", "add"]
    assert ops(constant_folding(made, largest=1 << 20)[0]) == ["add"]


def test_sizes_that_are_unknown_and_random_numbers_are_not_folded():
    made = bound(lambda x: x + proa.full([x.shape[0], 2], 1.0), ("batch", 2))
    assert ops(constant_folding(made)[0]) == ["full", "add"]
    program, arrays = record(lambda x: proa.nn.functional.dropout(x * 1.0, 0.5), (4,))
    made = bind(program, arrays)
    folded = constant_folding(made)[0]
    assert {"random_split", "drop"} <= {*ops(folded)}


def record_branch(held):
    def fn(x):
        (out,) = record_cond(held.sum() > 0, lambda: [x + 1], lambda: [x - proa.exp(x)])
        return out

    return record(fn, (3,))


@pytest.mark.parametrize(("flag", "expected"), [(1.0, ["add"]), (-1.0, ["exp", "subtract"])])
def test_a_branch_on_a_constant_is_taken(flag, expected):
    program, arrays = record_branch(proa.to_tensor([flag]))
    made, report = apply_passes(bind(program, arrays), ["constant_folding", "dead_code"])
    assert ops(made) == expected
    assert report.steps[0].notes["branches on a constant taken"] == 1
    same(bind(program, arrays), made, normal(3))


def test_the_same_branch_may_be_taken_twice():
    program, arrays = record_branch(proa.to_tensor([1.0]))
    made = bind(program, arrays)
    (call,) = [c for c in made.calls if c.op.name == "if_else"]
    outputs = tuple(type(v)(v.shape, v.dtype) for v in call.outputs)
    made.calls.append(
        Call(
            call.op, (call.inputs[0], *call.outputs[:1], *call.inputs[2:]), call.key, outputs, True
        )
    )
    made.outputs = list(outputs)
    folded = verify(constant_folding(made)[0])
    np.testing.assert_allclose(run(folded, normal(3))[0], normal(3) + 2, rtol=1e-6)
