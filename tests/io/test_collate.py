from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import proa.io as io
from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, to_tensor
from proa.io._collate import collate

Pair = namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    ("sample", "dtype", "shape"),
    [
        (1, "int64", (2,)),
        (1.5, "float64", (2,)),
        (True, "bool", (2,)),
        (1j, "complex128", (2,)),
        (np.float32(1), "float32", (2,)),
        (np.int8(1), "int8", (2,)),
        (np.array(3), "int64", (2,)),
        (np.zeros((2, 3), "float32"), "float32", (2, 2, 3)),
        (np.zeros((0, 3), "float16"), "float16", (2, 0, 3)),
    ],
)
def test_leaves_become_arrays(sample, dtype, shape):
    # Dtypes and shapes are those of paddle 3.3.1.
    batch = io.default_collate_fn([sample, sample])
    assert (type(batch), batch.dtype, batch.shape) == (np.ndarray, dtype, shape)


def test_structures_are_followed():
    sample = ((1, 2.0), {"a": "s", "b": [np.ones(2), b"x"]}, Pair(3, 4))
    batch = io.default_collate_fn([sample, sample])
    assert isinstance(batch, list)
    assert [part.tolist() for part in batch[0]] == [[1, 1], [2.0, 2.0]]
    assert batch[1]["a"] == ["s", "s"]
    assert batch[1]["b"][0].tolist() == [[1, 1], [1, 1]]
    assert batch[1]["b"][1] == [b"x", b"x"]
    assert [part.tolist() for part in batch[2]] == [[3, 3], [4, 4]]


def test_tensors_stay_tensors():
    sample = (to_tensor(np.ones(2, "float32")), np.ones(2), "name")
    tensors, arrays, names = io.default_collate_fn([sample, sample])
    assert isinstance(tensors, Tensor)
    assert (tensors.shape, tensors.dtype) == ([2, 2], "float32")
    assert (type(arrays), names) == (np.ndarray, ["name", "name"])
    assert isinstance(io.default_collate_fn([{"x": sample[0]}])["x"], Tensor)


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        ([], InvalidArgumentError, "`batch` is empty"),
        (
            [(0, {"x": np.zeros((2, 3))}), (0, {"x": np.zeros((2, 4))})],
            InvalidArgumentError,
            r"field \[1\]\['x'\] has shape \[2, 3\] in sample 0 and shape \[2, 4\] in sample 1",
        ),
        ([np.zeros(2), np.zeros(3)], InvalidArgumentError, r"the sample itself has shape \[2\]"),
        ([(1,), (1, 2)], InvalidArgumentError, "1 fields in sample 0 and 2 fields in sample 1"),
        ([{"a": 1}, {"b": 1}], InvalidArgumentError, r"keys \['a'\] in sample 0 and keys \['b'\]"),
        ([1, "a"], InvalidTypeError, "is a int in sample 0 and a str in sample 1"),
        (["a", 1], InvalidTypeError, "is a str in sample 0 and a int in sample 1"),
        ([{"a": 1}, [1]], InvalidTypeError, "is a dict in sample 0 and a list"),
        ([(1, 2), 3], InvalidTypeError, "is a tuple in sample 0 and a int"),
        ([(1, None)], InvalidTypeError, r"field \[1\] of sample 0 is a NoneType"),
        ([2**70, 1], InvalidArgumentError, f"beyond 64 bits: {2**70}"),
    ],
)
def test_collate_names_the_field_and_both_samples(batch, error, text):
    with pytest.raises(error, match=f"(?s){text}.*Expected: .*Fix: "):
        io.default_collate_fn(batch)


def test_arrays_of_other_libraries_are_stacked():
    class Foreign:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    assert io.default_collate_fn([Foreign(), Foreign()]).tolist() == [[1, 2], [1, 2]]


def test_convert_keeps_leaves():
    array = np.zeros(2)
    converted = io.default_convert_fn((1, array, {"a": ("b", None)}))
    assert converted == [1, array, {"a": ["b", None]}]
    assert converted[1] is array
    assert io.default_convert_fn("text") == "text"


def test_arrays_are_stacked_where_they_are_told():
    made = []

    def allocate(shape, dtype):
        made.append(np.empty(shape, dtype))
        return made[-1]

    samples = [(np.full(2, i, "int8"), {"a": to_tensor([float(i)])}, i) for i in range(3)]
    first, fields, numbers = collate(samples, [0, 1, 2], allocate=allocate)
    assert first is made[0]
    assert fields["a"] is made[1]
    assert (first.dtype, first.tolist()) == ("int8", [[0, 0], [1, 1], [2, 2]])
    assert fields["a"].tolist() == [[0.0], [1.0], [2.0]]
    assert numbers.tolist() == [0, 1, 2]


def test_dtypes_of_a_field_that_differ():
    batch = io.default_collate_fn([np.ones(2, "int64"), np.ones(2, "float32")])
    assert batch.dtype == np.stack([np.ones(2, "int64"), np.ones(2, "float32")]).dtype
    assert io.default_collate_fn([np.array(["a"]), np.array(["bc"])]).tolist() == [["a"], ["bc"]]
