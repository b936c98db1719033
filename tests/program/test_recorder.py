from __future__ import annotations

import threading

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, ProgramError, context
from proa.program import Argument, NeedsStatic, recording


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


def test_a_tensor_given_other_values_while_recording_is_a_constant_of_the_call():
    kept, other = proa.zeros([2]), proa.ones([2])
    with recording() as recorder:
        x = recorder.add_input((2,), np.float32, "x")
        before = kept * 1.0
        kept.set_value(np.float32([5, 6]))
        out = kept + x
        other.set_value(kept)
        program, state = recorder.finish([before, out])
    assert (state.captures, state.writes) == ([kept], [kept, other])
    first, second, *written = program.function()(np.float32([1, 1]), np.float32([7, 7]))
    assert (first.tolist(), second.tolist()) == ([7.0, 7.0], [6.0, 7.0])
    assert [w.tolist() for w in written] == [[5.0, 6.0], [5.0, 6.0]]
    assert (kept.tolist(), other.tolist()) == ([0.0, 0.0], [1.0, 1.0])


def test_tensors_can_swap_their_values():
    a, b = proa.zeros([1]), proa.ones([1])
    with recording() as recorder:
        kept = a.clone()
        a.set_value(b)
        b.set_value(kept)
        program, state = recorder.finish([])
    new = program.function()(*[t._data for t in state.captures])
    assert {t.name: n.item() for t, n in zip(state.writes, new, strict=True)} == {
        a.name: 1.0,
        b.name: 0.0,
    }


def test_arguments_that_are_written_are_outputs():
    with recording() as recorder:
        x = recorder.add_input((1,), np.float32, "x")
        x.add_(proa.ones([1]))
        program, state = recorder.finish([])
    assert state.slots[id(state.writes[0])] == Argument(0)
    assert program.function()(np.float32([4]))[0].tolist() == [5.0]


def test_a_request_that_user_code_catches_is_made_all_the_same():
    with pytest.raises(NeedsStatic), recording() as recorder:
        number = recorder.add_input((), np.float32, "number", leaf=0)
        try:
            float(number)
        except Exception:
            number = 1.0
        recorder.finish([])


def test_a_tensor_kept_from_a_recording_that_ended_is_named_where_it_is_used():
    kept = []
    with recording() as recorder:
        kept.append(recorder.add_input((1,), np.float32, "x") + 1)
        recorder.finish([])
    for use in (lambda: kept[0] + 1, kept[0].numpy, lambda: float(kept[0])):
        with pytest.raises(ProgramError, match="was made while a function was being compiled"):
            use()


def test_another_thread_waits_for_a_recording_that_writes_what_it_reads():
    weight = proa.ones([2])
    recording_began, results = threading.Event(), []

    def read():
        recording_began.wait()
        results.extend([(weight * 2).tolist(), weight.tolist(), weight.numpy().tolist()])

    reader = threading.Thread(target=read)
    reader.start()
    with recording() as recorder:
        weight.set_value(recorder.add_input((2,), np.float32, "x"))
        recording_began.set()
        reader.join(timeout=0.2)
        assert reader.is_alive()
        recorder.finish([])
    reader.join()
    assert results == [[2.0, 2.0], [1.0, 1.0], [1.0, 1.0]]
