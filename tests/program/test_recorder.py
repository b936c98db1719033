import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, ProgramError, context
from proa.program import recording


def test_concrete_tensors_are_captured_and_written_ones_are_outputs():
    weight = proa.to_tensor([1.0, 2.0])
    with recording() as recorder:
        x = recorder.add_input((2,), np.float32, "x")
        weight.set_value(weight + x)
        program, state = recorder.finish([weight * 1.0])
    assert state.captures == [weight]
    assert state.writes == [weight]
    assert weight.tolist() == [1.0, 2.0]
    out, new = program.function()(np.float32([10, 20]), np.float32([1, 2]))
    assert out.tolist() == new.tolist() == [11.0, 22.0]


def test_tensors_made_while_recording_are_constants():
    with recording() as recorder:
        total = proa.to_tensor([0.0, 0.0])
        total += recorder.add_input((2,), np.float32, "x")
        program, state = recorder.finish([total])
    assert (state.captures, state.writes) == ([], [])
    for _ in range(2):
        assert program.function()(np.float32([1, 2]))[0].tolist() == [1.0, 2.0]


def test_gradients_are_slots_of_tensors():
    weight = proa.to_tensor([3.0], stop_gradient=False)
    with recording() as recorder:
        x = recorder.add_input((1,), np.float32, "x")
        (weight * x).sum().backward()
        program, state = recorder.finish([])
    assert weight.grad is None
    ((tensor, _),) = state.grads
    assert tensor is weight
    assert program.function()(np.float32([7]), np.float32([3]))[0].tolist() == [7.0]


def test_a_failure_while_recording_puts_everything_back():
    weight = proa.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(ZeroDivisionError), recording() as recorder:
        x = recorder.add_input((1,), np.float32, "x")
        (weight * x).sum().backward()
        with proa.no_grad():
            weight.set_value(x)
        _ = 1 // 0
    assert (weight.tolist(), weight.grad, context.recorder) == ([1.0], None, None)


def test_values_cannot_be_read_while_recording():
    with (
        pytest.raises(ProgramError, match=r"item\(\) at .*test_recorder.py:\d+ needs the elements"),
        recording() as recorder,
    ):
        recorder.add_input((), np.float32, "x").item()


def test_a_tensor_kept_from_an_earlier_recording_is_named():
    kept = []
    with recording() as recorder:
        kept.append(recorder.add_input((1,), np.float32, "x") + 1)
        recorder.finish([])
    with pytest.raises(ProgramError, match="of an earlier recording"), recording() as recorder:
        _ = kept[0] * recorder.add_input((1,), np.float32, "y")


def test_wrong_shapes_are_found_while_recording():
    with pytest.raises(InvalidArgumentError, match="matmul"), recording() as recorder:
        x = recorder.add_input((2, 3), np.float32, "x")
        proa.matmul(x, x)


def test_ops_of_dynamic_shape_cannot_be_recorded():
    with pytest.raises(ProgramError, match="nonzero"), recording() as recorder:
        proa.nonzero(recorder.add_input((3,), np.float32, "x"))


def test_writes_through_views_of_captured_tensors_are_recorded():
    table = proa.zeros([2, 2])
    with recording() as recorder:
        x = recorder.add_input((2,), np.float32, "x")
        table[0] = x
        program, state = recorder.finish([table.sum()])
    assert state.writes == [table]
    total, new = program.function()(np.float32([1, 2]), np.zeros((2, 2), np.float32))
    assert float(total) == 3.0
    assert new.tolist() == [[1.0, 2.0], [0.0, 0.0]]
