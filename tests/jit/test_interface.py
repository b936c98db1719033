from __future__ import annotations

import numpy as np
import pytest

from proa.core import ArtifactError, InvalidArgumentError, InvalidTypeError
from proa.formats import read_artifact
from proa.jit import Interface, largest_difference, save
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
    (np.array(2, np.float32), np.array(2, np.float32), 0.0),
    (np.array(np.inf, np.float32), np.array(1, np.float32), np.inf),
]


@pytest.mark.parametrize(("got", "expected", "difference"), PAIRS)
def test_differences_are_in_units_of_the_tolerance(got, expected, difference):
    assert largest_difference([got], [expected]) == difference


def test_the_limit_is_one():
    assert largest_difference([ONE], [ONE + np.float32(5e-5)]) < 1.0
    assert largest_difference([ONE], [ONE + np.float32(5e-4)]) > 1.0


def test_the_limit_follows_the_largest_value():
    large = np.float32([1e4, 0.0])
    assert largest_difference([large + np.float32([0, 0.05])], [large]) < 1.0
    assert largest_difference([large + np.float32([0, 0.5])], [large]) > 1.0
    assert largest_difference([np.float32([0.01])], [np.float32([0.0])]) > 1.0


@pytest.fixture(scope="module")
def interface(tmp_path_factory):
    path = tmp_path_factory.mktemp("interface") / "net"
    sample = np.ones((2, 3), np.float32)
    file = save(lambda x: x * 2, path, [InputSpec([None, 3], name="x")], samples=[sample])
    return Interface(read_artifact(file))


def test_inputs_are_checked_and_unknown_sizes_told(interface):
    assert interface.check_inputs([np.ones((5, 3), np.float32)]) == {"batch": 5}
    with pytest.raises(InvalidArgumentError, match="2 inputs were given"):
        interface.check_inputs([ONE, ONE])
    with pytest.raises(InvalidArgumentError, match=r"input `x` has shape \[5, 4\]: 4 is not 3"):
        interface.check_inputs([np.ones((5, 4), np.float32)])
    with pytest.raises(InvalidTypeError, match="`x` is float64"):
        interface.check_inputs([np.ones((5, 3))])


def test_golden_samples_are_checked_with_whatever_runs_them(interface):
    assert interface.check_golden(lambda arrays: [arrays[0] * 2]) == 0.0
    with pytest.raises(ArtifactError, match="golden sample 0 gives other outputs here: inf"):
        interface.check_golden(lambda arrays: [np.ones(1)])
