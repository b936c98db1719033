from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.jit import Pipeline, largest_difference, read_artifact, save
from proa.static import InputSpec

ONE = np.float32([1.0])
PAIRS = [
    (ONE, ONE, 0.0),
    (np.int64([1]), np.int64([2]), np.inf),
    (np.float32([np.nan]), np.float32([np.nan]), 0.0),
    (np.float32([np.nan]), ONE, np.inf),
    (np.float32([np.inf]), np.float32([np.inf]), 0.0),
    (np.zeros((0,), np.float32), np.zeros((0,), np.float32), 0.0),
    (ONE, np.float32([[1.0]]), np.inf),
    (ONE, np.float64([1.0]), np.inf),
]


@pytest.mark.parametrize(("got", "expected", "difference"), PAIRS)
def test_differences_are_in_units_of_the_tolerance(got, expected, difference):
    assert largest_difference([got], [expected]) == difference


def test_the_limit_is_one():
    assert largest_difference([ONE], [ONE + np.float32(5e-5)]) < 1.0
    assert largest_difference([ONE], [ONE + np.float32(5e-4)]) > 1.0


def test_compiled_shapes_are_bounded_and_can_be_dropped(tmp_path):
    path = save(proa.nn.Linear(2, 2), tmp_path / "net", [InputSpec([None, 2])])
    pipeline = Pipeline(read_artifact(path), max_variants=3)
    for batch in range(1, 7):
        pipeline.run([np.ones((batch, 2), np.float32)])
    assert pipeline.num_compiled == 3
    pipeline.trim()
    assert pipeline.num_compiled == 0
