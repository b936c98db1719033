from __future__ import annotations

import json

import numpy as np
import pytest

from proa.core import InvalidArgumentError, UnknownNameError
from proa.inference._shape_ranges import RangeCheck, ShapeCollector, read_shapes
from proa.program import make_dimension

SHAPES = [(make_dimension("batch"), 3), ()]


def test_sizes_outside_are_refused_by_name_and_axis():
    check = RangeCheck({"x": ([1, 3], [4, 3])}, ["x", "y"], SHAPES)
    check.check([np.ones((4, 3)), np.ones(())])
    with pytest.raises(InvalidArgumentError, match=r"`x` has shape \[5, 3\]: 5 on axis 0 is out"):
        check.check([np.ones((5, 3)), np.ones(())])


def test_ranges_are_of_inputs_and_hold_their_known_sizes():
    with pytest.raises(UnknownNameError, match="a range was set for 'z'"):
        RangeCheck({"z": ([1], [2])}, ["x", "y"], SHAPES)
    for low, high in (([1, 4], [2, 5]), ([1], [2])):
        with pytest.raises(InvalidArgumentError, match=r"shapes such as \[batch, 3\]"):
            RangeCheck({"x": (low, high)}, ["x", "y"], SHAPES)


def test_a_file_of_shapes_is_widened_by_later_runs(tmp_path):
    path = tmp_path / "shapes.json"
    ShapeCollector(path, ["x"]).note([np.ones((2, 3))])
    collector = ShapeCollector(path, ["x"])
    collector.note([np.ones((1, 5))])
    written = path.stat().st_mtime_ns
    collector.note([np.ones((2, 4))])
    assert path.stat().st_mtime_ns == written
    assert read_shapes(path) == {"x": ([1, 3], [2, 5])}
    assert json.loads(path.read_text()) == {"x": [[1, 3], [2, 5]]}
