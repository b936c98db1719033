"""Calls that are run for what they do."""

from __future__ import annotations

import builtins
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from proa.core import FailedAssertionError, OutOfRangeError, on_host, told_plainly
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


def test_printing_needs_no_place_in_the_queue_of_computations(capsys, monkeypatch):
    shown = builtins.print

    def slowly(*values):
        time.sleep(0.3)
        shown(*values)

    monkeypatch.setattr(builtins, "print", slowly)
    run = jax.jit(program_with(Printing(["x is", None])).function())
    slow = jax.jit(
        lambda x: x + jax.lax.fori_loop(0, 20, lambda i, m: m @ m * 0, jnp.ones((500, 500)))[0, 0]
    )
    grow = jax.jit(lambda x: x + 1)
    x = grow(run(slow(jnp.zeros(2)))[0]).block_until_ready()
    (x,) = run(slow(x))
    for _ in range(100):
        x = grow(x)
    np.testing.assert_array_equal(x, [102.0, 102.0])
    assert "[1., 1.]" in capsys.readouterr().out


def test_an_assertion_names_its_message():
    check = Assertion("all must be positive")
    check(np.array([True, True]))
    with pytest.raises(FailedAssertionError, match=r"all must be positive \(at .*py:\d+"):
        with told_plainly():
            _in_a_callback(check, np.array([True, False]))


def _in_a_callback(check, value):
    run = jax.jit(lambda x: (jax.debug.callback(on_host(check), x), x)[1])
    jax.block_until_ready(run(value))


def test_a_list_that_outgrows_its_room_is_told():
    RoomCheck(3)(np.array(3))
    with pytest.raises(OutOfRangeError, match="got 4 entries"), told_plainly():
        _in_a_callback(RoomCheck(3), np.array(4))
