from __future__ import annotations

import jax
import numpy as np
import pytest

import proa
from proa.core import ProgramError, UnsupportedError, dispatch
from proa.program import ProgramOp, make_dimension, prune, recording


def record(fn, *shapes):
    with recording() as recorder:
        inputs = [recorder.add_input(s, np.float32, f"x{i}") for i, s in enumerate(shapes)]
        out = fn(*inputs)
        program, _ = recorder.finish(list(out) if isinstance(out, tuple) else [out])
    return program


def test_a_program_is_a_pure_function_of_its_inputs():
    program = record(lambda x, y: (x * 2 + y, x - y), (2, 3), (3,))
    x, y = np.ones((2, 3), np.float32), np.arange(3, dtype=np.float32)
    total, difference = jax.jit(program.function())(x, y)
    np.testing.assert_array_equal(total, x * 2 + y)
    np.testing.assert_array_equal(difference, x - y)


def test_symbolic_sizes_follow_the_arrays():
    program = record(lambda x: proa.reshape(x, [x.shape[0] * 2, 2]), (make_dimension("batch"), 4))
    for batch in (1, 3):
        (out,) = program.function()(np.zeros((batch, 4), np.float32))
        assert out.shape == (batch * 2, 2)


def test_calls_that_no_output_needs_are_dropped():
    def wasteful(x):
        proa.exp(x)
        return x + 1

    program = record(wasteful, (2,))
    assert [call.op.name for call in program.calls] == ["add"]
    assert prune(program).calls == program.calls


def test_the_wrong_number_of_arrays_is_refused():
    with pytest.raises(ProgramError, match="Program of 1 inputs was given 2"):
        record(lambda x: x + 1, (2,)).function()(np.zeros(2), np.zeros(2))


def test_a_program_prints_its_calls():
    text = str(record(lambda x: x + 1, (2,)))
    assert "x0: float32[2]" in text
    assert "add(x0" in text


def test_a_program_as_an_op_is_differentiable_to_any_order():
    op = ProgramOp(record(lambda x: proa.sin(x) * x, (3,)), "wave")
    data = np.array([0.1, 0.7, 2.0], np.float32)
    x = proa.to_tensor(data, stop_gradient=False)
    (out,) = dispatch(op, (x,), (None, ()))
    (first,) = proa.grad(out, x, create_graph=True)
    (second,) = proa.grad(first, x)
    np.testing.assert_allclose(first.numpy(), np.sin(data) + data * np.cos(data), rtol=1e-6)
    np.testing.assert_allclose(second.numpy(), 2 * np.cos(data) - data * np.sin(data), rtol=1e-5)


def test_backward_through_a_program_uses_kept_residuals():
    op = ProgramOp(record(lambda x: proa.exp(x), (2,)), "exponential")
    x = proa.to_tensor([0.0, 1.0], stop_gradient=False)
    (out,) = dispatch(op, (x,), (None, ()))
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp([0.0, 1.0]), rtol=1e-6)
    assert op.kernels == {}


def test_arguments_of_a_call_are_named():
    program = record(
        lambda x: proa.nn.functional.layer_norm(proa.concat([x, x], axis=1), 6), (2, 3)
    )
    (x,) = program.inputs
    concat, norm = program.calls
    assert concat.arguments() == {"x": [x, x], "axis": 1}
    given = norm.arguments()
    assert (given["x"], given["weight"]) == (concat.outputs[0], None)


def test_a_gradient_has_no_named_arguments():
    def slope(x):
        x.stop_gradient = False
        return proa.grad(proa.sin(x).sum(), x)[0]

    call = next(c for c in record(slope, (2,)).calls if c.op.name.endswith("_grad"))
    with pytest.raises(UnsupportedError, match="arguments of a call"):
        call.arguments()
