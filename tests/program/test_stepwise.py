from __future__ import annotations

import re

import numpy as np
import pytest

import proa
from proa.core import OutOfRangeError
from proa.program import make_dimension, recording, run_stepwise


def test_a_program_gives_the_same_op_by_op_with_unknown_sizes():
    weight = proa.to_tensor([2.0, 3.0])
    with recording() as recorder:
        x = recorder.add_input((make_dimension("batch"), 2), np.float32, "x")
        out = proa.reshape(x * weight + proa.to_tensor([1.0, 1.0]), [x.shape[0] * 2])
        program, _ = recorder.finish([out, x])
    for batch in (1, 2):
        first, second = run_stepwise(program, [proa.ones([batch, 2]), weight])
        assert first.tolist() == [3.0, 4.0] * batch
        assert second.shape == [batch, 2]


def test_checks_of_values_are_made_and_name_the_recorded_line():
    with recording() as recorder:
        ids = recorder.add_input((1,), np.int64, "ids")
        program, _ = recorder.finish([proa.gather(proa.ones([3]), ids)])
    run_stepwise(program, [proa.to_tensor([2])])
    with pytest.raises(OutOfRangeError, match="`index` holds 3") as caught:
        run_stepwise(program, [proa.to_tensor([3])])
    assert re.search(r"op `gather` at .*test_stepwise.py:\d+", caught.value.__notes__[0])
