from __future__ import annotations

import numpy as np
import pytest

from proa.core import ProgramError
from tests.formats.paddle.models import call

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], np.float32)
Y = np.array([2.0, 4.0, 0.5], np.float32)

# op, inputs, attributes, expected outputs (by slot in `outputs`)
ROWS = [
    ("abs", {"X": X}, {}, [abs(X)]),
    ("elementwise_add", {"X": X, "Y": Y}, {"axis": -1}, [X + Y]),
    ("elementwise_mul", {"X": X, "Y": X[:, 0]}, {"axis": 0}, [X * X[:, :1]]),
    ("elementwise_div", {"X": np.array([7, -7]), "Y": np.array([2, 2])}, {}, [[3, -3]]),
    ("elementwise_pow", {"X": Y, "Y": Y}, {}, [Y**Y]),
    ("pow", {"X": X}, {"factor": 2.0}, [X**2]),
    ("pow", {"X": np.array([3])}, {"factor": 2.0}, [[9]]),
    ("scale", {"X": X}, {"scale": 2.0, "bias": 1.0, "bias_after_scale": False}, [(X + 1) * 2]),
    ("scale", {"X": X, "ScaleTensor": np.float32([3])}, {"scale": 2.0}, [X * 3]),
    ("clip", {"X": X}, {"min": -1.0, "max": 2.0}, [np.clip(X, -1, 2)]),
    ("clip", {"X": np.array([1, 9])}, {"min": 0.0, "max": 5.0}, [[1, 5]]),
    ("cast", {"X": X}, {"out_dtype": "int32"}, [X.astype(np.int32)]),
    ("sum", {"X": [X, X]}, {}, [X * 2]),
    ("reduce_sum", {"X": X}, {"dim": [1], "keep_dim": True}, [X.sum(1, keepdims=True)]),
    ("reduce_sum", {"X": X}, {"dim": [0], "reduce_all": True, "out_dtype": -1}, [X.sum()]),
    ("reduce_mean", {"X": X}, {"dim": [0]}, [X.mean(0)]),
    ("reduce_max", {"X": X}, {"dim": [-1]}, [X.max(-1)]),
    ("mean", {"X": X}, {}, [X.mean()]),
    ("frobenius_norm", {"X": X}, {"dim": [1]}, [np.linalg.norm(X, axis=1)]),
    ("p_norm", {"X": X}, {"porder": 1.0, "axis": 1}, [abs(X).sum(1)]),
    ("p_norm", {"X": X}, {"porder": 2.0, "asvector": True}, [np.linalg.norm(X)]),
    ("squared_l2_norm", {"X": X}, {}, [[(X**2).sum()]]),
    ("arg_max", {"X": X}, {"axis": 1, "dtype": "int64"}, [X.argmax(1)]),
    ("arg_min", {"X": X}, {"axis": 0, "flatten": True}, [X.argmin()]),
    ("cumsum", {"X": X}, {"axis": 1}, [X.cumsum(1)]),
    ("cumsum", {"X": Y}, {"axis": 0, "exclusive": True}, [[0, 2, 6]]),
    ("cumsum", {"X": Y}, {"axis": 0, "reverse": True}, [[6.5, 4.5, 0.5]]),
    ("matmul_v2", {"X": X, "Y": X}, {"trans_y": True}, [X @ X.T]),
    ("matmul", {"X": X, "Y": X}, {"transpose_Y": True, "alpha": 0.5}, [X @ X.T / 2]),
    ("mul", {"X": X.reshape(2, 3, 1), "Y": X.T}, {"x_num_col_dims": 1}, [X @ X.T]),
    (
        "fc",
        {"Input": X, "W": X.T, "Bias": np.float32([1, -50])},
        {"activation_type": "relu"},
        [np.maximum(X @ X.T + np.float32([1, -50]), 0)],
    ),
    ("einsum", {"Operands": [X, Y]}, {"equation": "ij,j->i"}, [X @ Y]),
    ("increment", {"X": np.float32([1])}, {"step": 2.0}, [[3]]),
    ("atan2", {"X1": X, "X2": X}, {}, [np.arctan2(X, X)]),
    ("where", {"Condition": X > 0, "X": X, "Y": -X}, {}, [abs(X)]),
    ("greater_than", {"X": X, "Y": X * 0}, {}, [X > 0]),
    ("isclose", {"Input": X, "Other": X + 1e-9, "Rtol": None}, {"rtol": "1e-05"}, [X == X]),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_ops_of_program_desc(row):
    name, inputs, attributes, expected = row
    given = {slot: value for slot, value in inputs.items() if value is not None}
    ((found,),) = call(name, given, attributes)
    np.testing.assert_allclose(found, expected[0], rtol=1e-5, atol=1e-5)


def test_sorting():
    values, places = call("top_k_v2", {"X": X}, {"k": 2}, ("Out", "Indices"))
    np.testing.assert_array_equal(values[0], [[3, 1], [5, 4]])
    np.testing.assert_array_equal(places[0], [[2, 0], [1, 0]])
    values, places = call("argsort", {"X": Y}, {"descending": True}, ("Out", "Indices"))
    np.testing.assert_array_equal(values[0], [4, 2, 0.5])
    np.testing.assert_array_equal(places[0], [1, 0, 2])


def test_dtypes_are_those_of_the_file():
    assert call("clip", {"X": np.array([1, 9])}, {"min": 0.0, "max": 5.0})[0][0].dtype == np.int64
    assert call("arg_max", {"X": X}, {"axis": 1, "dtype": "int32"})[0][0].dtype == np.int32


def test_what_is_not_covered_says_so():
    with pytest.raises(ProgramError, match="an exclusive or reversed cumulative product"):
        call("cumprod", {"X": X}, {"dim": 0, "reverse": True})
    with pytest.raises(ProgramError, match="how long its result is depends on the elements"):
        call("bincount", {"X": np.array([1, 2])})
