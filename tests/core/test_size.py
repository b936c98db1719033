from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import proa
from proa.core import Size


def test_a_shape_is_a_list_that_keeps_its_kind():
    shape = proa.ones([2, 3, 4]).shape
    for made, want in (
        (shape, [2, 3, 4]),
        (shape[1:], [3, 4]),
        (shape + [5], [2, 3, 4, 5]),
        ([5] + shape, [5, 2, 3, 4]),
        (shape + (5,), [2, 3, 4, 5]),
        (shape * 2, [2, 3, 4, 2, 3, 4]),
    ):
        assert isinstance(made, Size)
        assert isinstance(made, list)
        assert list(made) == want
    assert shape[0] == 2
    assert shape == [2, 3, 4]
    assert shape == (2, 3, 4)
    assert shape != [2, 3]
    assert shape.numel() == 24
    assert np.zeros(shape).shape == tuple(shape)
    assert json.dumps(shape) == "[2, 3, 4]"
    assert pickle.loads(pickle.dumps(shape)) == shape


def test_it_prints_as_a_plain_list_unless_told_otherwise(monkeypatch):
    shape = proa.ones([2, 3]).shape
    assert repr(shape) == str(shape) == f"{shape}" == "[2, 3]"
    monkeypatch.setattr(Size, "word", "paddle.Size")
    assert repr(shape) == str(shape) == f"{shape}" == "paddle.Size([2, 3])"


def test_it_has_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(proa.ones([2]).shape)


def test_the_size_of_a_tensor_is_a_number_and_can_be_called():
    x = proa.ones([2, 3])
    assert x.size == 6
    assert x.size + 1 == 7
    assert repr(x.size) == "6"
    assert x.size() == [2, 3]
    assert x.size(0) == 2
    assert x.size(-1) == 3
