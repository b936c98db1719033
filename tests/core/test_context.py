from __future__ import annotations

import threading

import numpy as np

import proa
from proa.core import bump_mode_epoch, context, interceptors, mode_epoch, run_eagerly, user_location
from proa.program import recording


def test_the_mode_belongs_to_a_thread():
    seen = []
    with proa.no_grad(), recording():
        thread = threading.Thread(
            target=lambda: seen.append((context.grad_enabled, context.recorder))
        )
        thread.start()
        thread.join()
    assert seen == [(True, None)]


def test_recording_can_be_suspended():
    with recording() as recorder:
        x = recorder.add_input((2,), np.float32, "x")
        with run_eagerly():
            assert (proa.ones([2]) + 1).tolist() == [2.0, 2.0]
        assert context.recorder is recorder
        recorder.finish([x])


def test_interceptors_see_each_op_and_what_it_gives():
    seen = []

    def watch(op, tensors, key, proceed):
        out = proceed(op, tensors, key)
        seen.append((op.name, out.shape))
        return out

    interceptors.append(watch)
    try:
        proa.ones([2, 3]).sum(axis=0)
    finally:
        interceptors.remove(watch)
    assert seen[-1] == ("sum", [3])


def test_the_place_in_the_users_code_is_named():
    path, _, line = user_location().rpartition(":")
    assert path == __file__
    assert int(line) > 40


def test_a_change_of_mode_is_counted():
    before = mode_epoch[0]
    bump_mode_epoch()
    proa.nn.Dropout().eval()
    assert mode_epoch[0] >= before + 2
