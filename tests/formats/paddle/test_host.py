from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.formats.paddle._host import MAX_ELEMENTS, run_on_host
from proa.program import make_dimension

H = make_dimension("h")
SIZES = np.array([H, 3, 4], dtype=object)

# op, arguments, which are inputs, expected
ROWS = [
    (
        "slice",
        {"input": SIZES, "starts": [0], "ends": [1], "axes": [0], "decrease_axis": [0]},
        "input",
        H,
    ),
    ("slice", {"input": SIZES, "starts": [1], "ends": [9], "axes": [0]}, "input", [3, 4]),
    (
        "strided_slice",
        {"x": np.arange(5), "starts": [4], "ends": [-9], "strides": [-2], "axes": [0]},
        "x",
        [4, 2, 0],
    ),
    ("concat", {"x": [SIZES[:1], np.array([2])], "axis": 0}, "x", [H, 2]),
    ("stack", {"x": [np.array(2), np.array(H, dtype=object)]}, "x", [2, H]),
    ("split", {"x": SIZES, "sections": [1, 2], "axis": 0}, "x", [[H], [3, 4]]),
    ("split_with_num", {"x": np.arange(4), "num": 2, "axis": 0}, "x", [[0, 1], [2, 3]]),
    ("unbind", {"input": SIZES, "axis": 0}, "input", [H, 3, 4]),
    ("squeeze", {"x": np.array([[5]]), "axis": [0]}, "x", [5]),
    ("unsqueeze", {"x": np.array(5), "axis": [0]}, "x", [5]),
    ("reshape", {"x": SIZES, "shape": [3, 1]}, "x", [[H], [3], [4]]),
    ("flatten", {"x": np.ones((2, 1)), "start_axis": 0, "stop_axis": 1}, "x", [1.0, 1.0]),
    ("gather", {"x": SIZES, "index": np.array([2, 0])}, "x index", [4, H]),
    ("arange", {"start": np.array(0), "end": np.array(3), "step": np.array(1)}, "start", [0, 1, 2]),
    ("scale", {"x": SIZES, "scale": 2.0, "bias": 1.0}, "x", [2 * H + 1, 7, 9]),
    (
        "scale",
        {"x": np.array([1.5]), "scale": 2.0, "bias_after_scale": False, "bias": 1.0},
        "x",
        [5.0],
    ),
    ("cast", {"x": SIZES, "dtype": "int32"}, "x", [H, 3, 4]),
    ("full", {"shape": [2], "value": 3.0, "dtype": "int64"}, "", [3, 3]),
    ("full_int_array", {"value": [1, -1]}, "", [1, -1]),
    ("assign_value", {"shape": [1], "dtype": "int64", "values": [7]}, "", [7]),
    ("prod", {"x": SIZES}, "x", 12 * H),
    ("numel", {"x": SIZES}, "x", 3),
    ("add", {"x": SIZES[:1], "y": np.array([1])}, "x y", [H + 1]),
    ("subtract", {"x": np.array([5]), "y": np.array([1])}, "x y", [4]),
    ("multiply", {"x": SIZES[:1], "y": SIZES[1:2]}, "x y", [3 * H]),
    ("floor_divide", {"x": SIZES[:1], "y": np.array([2])}, "x y", [H // 2]),
    ("divide", {"x": np.array([3.0]), "y": np.array([2.0])}, "x y", [1.5]),
    ("remainder", {"x": np.array([7]), "y": np.array([4])}, "x y", [3]),
    ("equal", {"x": np.array([7]), "y": np.array([7])}, "x y", [True]),
    ("logical_not", {"x": np.array([True])}, "x", [False]),
]


def plain(value):
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_sizes_are_computed(row):
    name, arguments, inputs, expected = row
    assert plain(run_on_host(name, arguments, tuple(inputs.split()))) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "inputs"),
    [
        ("relu", {"x": SIZES}, "x"),
        ("add", {"x": SIZES, "y": proa.ones([3])}, "x y"),
        ("add", {"x": np.ones(MAX_ELEMENTS + 1), "y": np.ones(1)}, "x y"),
        ("scale", {"x": SIZES, "scale": 0.5}, "x"),
        ("cast", {"x": SIZES, "dtype": "float32"}, "x"),
        ("divide", {"x": SIZES, "y": np.array([2])}, "x y"),
        ("arange", {"start": np.array(0), "end": SIZES[:1], "step": np.array(1)}, "start end step"),
        ("full", {"shape": [H], "value": 1.0, "dtype": "int64"}, ""),
        ("full", {"shape": [100, 100], "value": 1.0, "dtype": "float32"}, ""),
        ("reshape", {"x": SIZES, "shape": [7]}, "x"),
    ],
)
def test_what_is_data_is_left_to_the_program(name, arguments, inputs):
    assert run_on_host(name, arguments, tuple(inputs.split())) is None
