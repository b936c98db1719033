"""Calls that are run for what they do."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from proa.core import FailedAssertionError, OutOfRangeError, told_plainly
from proa.program import Assertion, Printing, RoomCheck, prune, record_effect, recording


def program_with(effect):
    with recording() as recorder:
        x = recorder.add_input((2,), np.dtype("float32"), "x")
        record_effect(effect, [x])
        program, _ = recorder.finish([x * 2])
    return program


def test_printing_is_kept_and_prints(capsys):
    program = prune(program_with(Printing(["x is", None])))
    jax.jit(program.function())(np.float32([1, 2]))
    jax.effects_barrier()
    out = capsys.readouterr().out
    assert out.startswith("x is Tensor(shape=[2]")
    assert "[1., 2.]" in out


def test_an_assertion_names_its_message():
    check = Assertion("all must be positive")
    check(np.array([True, True]))
    with pytest.raises(FailedAssertionError, match=r"all must be positive \(at .*py:\d+"):
        with told_plainly():
            _in_a_callback(check, np.array([True, False]))


def _in_a_callback(check, value):
    run = jax.jit(lambda x: (jax.debug.callback(check, x), x)[1])
    jax.block_until_ready(run(value))


def test_a_list_that_outgrows_its_room_is_told():
    RoomCheck(3)(np.array(3))
    with pytest.raises(OutOfRangeError, match="got 4 entries"), told_plainly():
        _in_a_callback(RoomCheck(3), np.array(4))
