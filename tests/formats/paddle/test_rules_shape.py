from __future__ import annotations

import numpy as np
import pytest

from proa.core import ProgramError
from tests.formats.paddle.models import call

X = np.arange(12, dtype=np.float32).reshape(3, 4)
FAR = 2**31 - 1

# op, inputs, attributes, output slot, expected
ROWS = [
    ("reshape2", {"X": X}, {"shape": [0, 2, -1]}, "Out", X.reshape(3, 2, 2)),
    ("transpose2", {"X": X}, {"axis": [1, 0]}, "Out", X.T),
    ("squeeze2", {"X": X[:1]}, {"axes": [0]}, "Out", X[0]),
    ("unsqueeze2", {"X": X}, {"axes": [0, 2]}, "Out", X[None, :, None]),
    ("flatten_contiguous_range", {"X": X}, {"start_axis": 0, "stop_axis": 1}, "Out", X.ravel()),
    ("flatten2", {"X": X[None]}, {"axis": 2}, "Out", X),
    ("concat", {"X": [X, X]}, {"axis": 1}, "Out", np.concatenate([X, X], 1)),
    ("stack", {"X": [X, X]}, {"axis": 0}, "Y", np.stack([X, X])),
    ("slice", {"Input": X}, {"axes": [1], "starts": [-3], "ends": [FAR]}, "Out", X[:, 1:]),
    (
        "slice",
        {"Input": X, "StartsTensor": np.array([1]), "EndsTensor": np.array([2])},
        {"axes": [0], "starts": [-1], "ends": [-1], "decrease_axis": [0]},
        "Out",
        X[1],
    ),
    (
        "strided_slice",
        {"Input": X},
        {"axes": [0, 1], "starts": [2, 0], "ends": [-9, FAR], "strides": [-2, 3]},
        "Out",
        X[::-2, ::3],
    ),
    ("gather", {"X": X, "Index": np.array([2, 0])}, {"axis": 1}, "Out", X[:, [2, 0]]),
    ("gather_nd", {"X": X, "Index": np.array([[1, 2]])}, {}, "Out", X[1, 2:3]),
    ("index_select", {"X": X, "Index": np.array([1])}, {"dim": 1}, "Out", X[:, 1:2]),
    (
        "scatter",
        {"X": X, "Ids": np.array([1]), "Updates": -X[:1]},
        {"overwrite": True},
        "Out",
        np.stack([X[0], -X[0], X[2]]),
    ),
    (
        "take_along_axis",
        {"Input": X, "Index": np.array([[1], [0], [2]])},
        {"Axis": 1},
        "Result",
        np.float32([[1], [4], [10]]),
    ),
    ("expand_v2", {"X": X[:1]}, {"shape": [2, -1]}, "Out", X[[0, 0]]),
    ("expand_as_v2", {"X": X[:1]}, {"target_shape": [3, 4]}, "Out", X[[0, 0, 0]]),
    ("tile", {"X": X}, {"repeat_times": [2, 1]}, "Out", np.tile(X, (2, 1))),
    ("flip", {"X": X}, {"axis": [1]}, "Out", X[:, ::-1]),
    ("roll", {"X": X}, {"shifts": [1], "axis": [1]}, "Out", np.roll(X, 1, 1)),
    ("roll", {"X": X}, {"shifts": [1], "axis": []}, "Out", np.roll(X, 1)),
    ("repeat_interleave", {"X": X}, {"Repeats": 2, "dim": 1}, "Out", np.repeat(X, 2, 1)),
    (
        "repeat_interleave",
        {"X": X, "RepeatsTensor": np.array([1, 0, 2])},
        {"Repeats": 0, "dim": 0},
        "Out",
        X[[0, 2, 2]],
    ),
    ("shape", {"Input": X}, {}, "Out", np.int32([3, 4])),
    ("tril_triu", {"X": X}, {"diagonal": 0, "lower": False}, "Out", np.triu(X)),
    ("diag_v2", {"X": X[0]}, {"offset": 0}, "Out", np.diag(X[0])),
    ("one_hot_v2", {"X": np.array([1, 0])}, {"depth": 2}, "Out", np.float32([[0, 1], [1, 0]])),
    ("fill_any_like", {"X": X}, {"value": 2.0, "dtype": -1}, "Out", X * 0 + 2),
    (
        "fill_constant_batch_size_like",
        {"Input": X},
        {"shape": [-1, 2], "value": 1.5, "dtype": "float32"},
        "Out",
        np.full((3, 2), 1.5, np.float32),
    ),
    (
        "fill_constant",
        {},
        {"shape": [99, 99], "value": 1.0, "str_value": "3", "dtype": "int64"},
        "Out",
        np.full((99, 99), 3),
    ),
    (
        "assign_value",
        {},
        {"shape": [2], "dtype": "float32", "fp32_values": [1.0, 2.5]},
        "Out",
        np.float32([1, 2.5]),
    ),
    ("eye", {}, {"num_rows": 2, "num_columns": -1}, "Out", np.eye(2, dtype=np.float32)),
    (
        "sequence_mask",
        {"X": np.array([1, 2])},
        {"maxlen": 2, "out_dtype": "int64"},
        "Y",
        np.array([[1, 0], [1, 1]]),
    ),
    (
        "set_value",
        {"Input": X},
        {"axes": [1], "starts": [0], "ends": [2], "steps": [1], "shape": [1], "values": [7.0]},
        "Out",
        np.where(np.arange(4) < 2, np.float32(7), X),
    ),
    (
        "set_value",
        {"Input": X, "ValueTensor": X[0]},
        {"axes": [0], "starts": [1], "ends": [2], "steps": [1], "decrease_axes": [0]},
        "Out",
        X[[0, 0, 2]],
    ),
    (
        "linspace",
        {"Start": np.float32([0]), "Stop": np.float32([1]), "Num": np.int32([3])},
        {"dtype": "float32"},
        "Out",
        np.float32([0, 0.5, 1]),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_ops_of_program_desc(row):
    name, inputs, attributes, slot, expected = row
    ((found,),) = call(name, inputs, attributes, (slot,))
    assert np.asarray(found).dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "attributes", "slot", "sizes"),
    [
        ("split", {"num": 2, "axis": 1}, "Out", [2, 2]),
        ("split", {"sections": [1, 3], "axis": 1}, "Out", [1, 3]),
        ("unbind", {"axis": 0}, "Out", [4, 4, 4]),
        ("unstack", {"axis": 1}, "Y", [3, 3, 3, 3]),
    ],
)
def test_ops_of_many_results(name, attributes, slot, sizes):
    (found,) = call(name, {"X": X}, attributes, (slot,))
    assert [each.shape[-1] for each in found] == sizes


def test_grids():
    (found,) = call("meshgrid", {"X": [X[0], X[0, :2]]})
    np.testing.assert_array_equal(found[0], np.repeat(X[0][:, None], 2, 1))


def test_what_is_not_covered_says_so():
    bounds = {"axes": [0], "starts": [0], "ends": [1], "steps": [1]}
    value = {"shape": [1], "values": [1.0]}
    with pytest.raises(ProgramError, match="an assignment to a part with new axes"):
        call("set_value", {"Input": X}, {**bounds, **value, "none_axes": [0]})
    with pytest.raises(ProgramError, match="the length of a mask is the largest element"):
        call("sequence_mask", {"X": np.array([1])}, {"maxlen": -1})
    with pytest.raises(ProgramError, match="2 starts of slices for 1 axes"):
        call("slice", {"Input": X}, {"axes": [0], "starts": [0, 1], "ends": [1]})
    with pytest.raises(ProgramError, match="random numbers: a Program in a file"):
        call("gaussian_random", {}, {"shape": [2]})
