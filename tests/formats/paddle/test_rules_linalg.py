from __future__ import annotations

import numpy as np
import pytest

from proa.core import ProgramError
from tests.formats.paddle.models import call

A = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)
V = np.array([3.0, 1.0, 2.0], np.float32)

# op, inputs, attributes, output slot, expected
ROWS = [
    ("determinant", {"Input": A}, {}, "Out", np.float32(5)),
    ("inverse", {"Input": A}, {}, "Output", np.linalg.inv(A)),
    ("cholesky", {"X": A}, {"upper": False}, "Out", np.linalg.cholesky(A)),
    ("solve", {"X": A, "Y": A}, {}, "Out", np.eye(2)),
    ("matrix_power", {"X": A}, {"n": 2}, "Out", A @ A),
    ("multi_dot", {"X": [A, A]}, {}, "Out", A @ A),
    ("trace", {"Input": A}, {"offset": 0, "axis1": 0, "axis2": 1}, "Out", np.float32(5)),
    ("allclose", {"Input": A, "Other": A}, {"rtol": "1e-05", "atol": "1e-08"}, "Out", True),
    ("copysign", {"x": V, "y": -V}, {}, "out", -V),
    ("dist", {"X": V, "Y": V * 0}, {"p": 1.0}, "Out", np.float32(6)),
    ("diag_embed", {"Input": V}, {"offset": 0, "dim1": -2, "dim2": -1}, "Out", np.diag(V)),
    ("masked_fill", {"x": V, "mask": V > 1, "value": np.float32(0)}, {}, "out", [0, 1, 0]),
    ("searchsorted", {"SortedSequence": np.sort(V), "Values": V}, {}, "Out", [2, 0, 1]),
    ("histogram", {"X": V}, {"bins": 3, "min": 1, "max": 4}, "Out", [1, 1, 1]),
    ("fill_diagonal_tensor", {"X": A, "Y": V[:2]}, {}, "Out", [[3, 1], [1, 1]]),
    ("nanmedian", {"X": V}, {"axis": [0], "keepdim": False}, "Out", np.float32(2)),
    ("trunc_divide", {"x": -V * 2, "y": V * 0 + 4}, {}, "out", [-1, 0, -1]),
    ("eigvals", {"X": np.diag(V[:2])}, {}, "Out", [3, 1]),
    ("lu", {"X": np.diag(V)}, {"pivots": True}, "Pivots", [1, 2, 3]),
    ("lu_unpack", {"X": np.diag(V), "Pivots": np.int32([1, 2, 3])}, {}, "U", np.diag(V)),
    ("lstsq", {"X": A, "Y": A}, {"rcond": 1e-7, "driver": "gelsy"}, "Solution", np.eye(2)),
    ("matrix_rank", {"X": A[:1].T @ A[:1]}, {"use_default_tol": True}, "Out", 1),
    ("matrix_rank", {"X": np.diag(V)}, {"tol": 1.5, "use_default_tol": False}, "Out", 2),
    ("complex", {"X": V, "Y": V}, {}, "Out", V * (1 + 1j)),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_ops_of_program_desc(row):
    name, inputs, attributes, slot, expected = row
    ((found,),) = call(name, inputs, attributes, (slot,))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_decompositions():
    u, s, vh = call("svd", {"X": A}, {}, ("U", "S", "VH"))
    np.testing.assert_allclose(u[0] * s[0] @ vh[0], A, rtol=1e-5)
    values, vectors = call("eigh", {"X": A}, {"UPLO": "L"}, ("Eigenvalues", "Eigenvectors"))
    np.testing.assert_allclose(A @ vectors[0], vectors[0] * values[0], rtol=1e-4, atol=1e-5)
    best, places = call("cummax", {"x": V[::-1].copy()}, {"axis": 0}, ("out", "indices"))
    np.testing.assert_array_equal(best[0], [2, 2, 3])
    np.testing.assert_array_equal(places[0], [0, 0, 2])


def test_what_is_not_covered_says_so():
    with pytest.raises(ProgramError, match="a reversed|reversed cumulative sum of exponentials"):
        call("logcumsumexp", {"X": V}, {"axis": 0, "reverse": True})
