from __future__ import annotations

import numpy as np
import pytest

from parity._compare import compare_calls
from parity._evaluate import decode_array, encode_array
from parity.table import Call


def _ok(**leaves):
    return {"status": "ok", "leaves": [[label, leaf] for label, leaf in leaves.items()]}


def _tensor(values, dtype="float32"):
    return encode_array(np.asarray(values, dtype), dtype)


_CALL = Call("paddle.x")
_ERROR = {"status": "error", "message": "ValueError: no"}


def test_an_array_survives_its_encoding():
    for values in (np.float32([[1, np.nan]]), np.zeros((2, 0)), np.int8(3), np.bool_([True])):
        decoded = decode_array(encode_array(np.asarray(values), "x"))
        np.testing.assert_array_equal(decoded, values)
        assert decoded.dtype == values.dtype


@pytest.mark.parametrize(
    ("theirs", "ours", "difference"),
    [
        (_tensor([1.0, np.nan]), _tensor([1.00001, np.nan]), ""),
        (_tensor([1.0, np.inf]), _tensor([1.0, -np.inf]), r"\[inf\] against \[-inf\]"),
        (_tensor([1.0, 2.0]), _tensor([1.0, 2.1]), r"\[2\.\] against \[2\.1\]"),
        (_tensor([1000.0, 0.0]), _tensor([1000.0, 0.001]), ""),
        (_tensor([1.0]), _tensor([[1.0]]), r"shape \[1\] against \[1, 1\]"),
        (_tensor([1.0]), _tensor([1.0], "float64"), "dtype float32 against float64"),
        (_tensor([1, 2], "int64"), _tensor([1, 3], "int64"), r"\[1, 2\] against \[1, 3\]"),
        ({"text": "None"}, _tensor([0.0]), ""),
        ({"text": "None"}, _tensor([1.0]), "None on one side"),
        ({"text": "'a'"}, {"text": "'b'"}, "'a' against 'b'"),
    ],
)
def test_leaves_agree_or_the_difference_is_said(theirs, ours, difference):
    found = compare_calls(_CALL, _ok(y=theirs), _ok(y=ours))
    if difference:
        pytest.raises(AssertionError, _fail, found).match(difference)
    else:
        assert found == ""


def _fail(message):
    raise AssertionError(message)


def test_structure_must_agree():
    found = compare_calls(_CALL, _ok(a=_tensor(1.0)), _ok(b=_tensor(1.0)))
    assert found == "structure: ['a'] against ['b']"


def test_an_error_on_one_side_is_a_difference():
    assert compare_calls(_CALL, _ERROR, _ok()) == "Paddle: ValueError: no"
    assert compare_calls(_CALL, _ok(), {"status": "crash"}) == "Proa: crash"
    assert compare_calls(_CALL, _ERROR, _ERROR) == "Paddle: ValueError: no"


def test_a_row_of_errors_wants_them_from_both():
    row = Call("paddle.x", error=True)
    assert compare_calls(row, _ERROR, _ERROR) == ""
    assert compare_calls(row, _ERROR, _ok()) == "no error from Proa"
    assert compare_calls(row, _ok(), _ok()) == "no error from Paddle and Proa"


def test_a_random_row_compares_shape_and_dtype_alone():
    row = Call("paddle.x", values=False)
    assert compare_calls(row, _ok(y=_tensor([1.0])), _ok(y=_tensor([5.0]))) == ""
    assert "shape" in compare_calls(row, _ok(y=_tensor([1.0])), _ok(y=_tensor(5.0)))
