"""A recording that is left and taken up again."""

from __future__ import annotations

import jax

import proa
from proa.core import run_eagerly
from proa.static._recorder import OpenRecorder


def test_tensors_hold_values_inside_and_arrays_outside():
    recorder, t = OpenRecorder(), proa.zeros([2])
    with recorder.entered():
        t.add_(proa.ones([2]))
        assert not isinstance(t._data, jax.Array)
        with run_eagerly():
            assert t.tolist() == [0.0, 0.0]
            t.set_value([5.0, 5.0])
        assert not isinstance(t._data, jax.Array)
    assert t.tolist() == [5.0, 5.0]
    program, state = recorder.snapshot([])
    assert (state.captures, state.writes) == ([t], [t])
    assert program.function()(t._data)[0].tolist() == [6.0, 6.0]
