from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    UnsupportedError,
)
from proa.inference import DataType, Tensor


def test_a_handle_copies_what_it_is_given_and_gives_copies():
    handle, given = Tensor("x", [-1, 2]), np.ones((3, 2), np.float32)
    assert handle.shape() == [-1, 2]
    handle.copy_from_cpu(given)
    given[:] = 7
    handle.copy_to_cpu()[:] = 8
    assert handle.copy_to_cpu().tolist() == [[1.0, 1.0]] * 3
    assert (handle.shape(), handle.type()) == ([3, 2], DataType.FLOAT32)


def test_data_can_be_shared():
    handle, given = Tensor("x"), np.ones(2, np.int64)
    handle.share_external_data(given)
    given[:] = 5
    assert handle.copy_to_cpu().tolist() == [5, 5]
    handle.share_external_data(proa.ones([3], "bool"))
    assert (handle.shape(), handle.type()) == ([3], DataType.BOOL)
    with pytest.raises(InvalidTypeError, match="`x` was given a list"):
        handle.share_external_data([1])


def test_another_shape_keeps_the_numbers_if_it_holds_as_many():
    handle = Tensor("x")
    handle.reshape([2, 3])
    assert handle.shape() == [2, 3]
    handle.copy_from_cpu(np.arange(6))
    handle.reshape([3, 2])
    assert handle.copy_to_cpu().tolist() == [[0, 1], [2, 3], [4, 5]]
    handle.reshape(4)
    assert handle.shape() == [4]
    with pytest.raises(PreconditionError, match="`x` holds nothing"):
        handle.copy_to_cpu()
    with pytest.raises(InvalidArgumentError, match=r"was to have the shape \[-1, 2\]"):
        handle.reshape([-1, 2])


def test_what_no_input_takes_is_refused():
    handle = Tensor("x")
    with pytest.raises(PreconditionError, match="`x` holds nothing"):
        handle.type()
    with pytest.raises(InvalidTypeError, match="`x` was given <U1"):
        handle.copy_from_cpu(["a"])
    with pytest.raises(UnsupportedError, match="memory of a device by its address"):
        handle.share_external_data_by_ptr_name("x", [1], 0, 0)
    handle.set_lod([])
    assert handle.lod() == []
    with pytest.raises(UnsupportedError, match="levels of detail"):
        handle.set_lod([[0, 2]])
