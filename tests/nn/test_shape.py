"""Layers that change the shape."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import ProaError


def test_flatten():
    x = proa.ones([2, 3, 4])
    assert nn.Flatten()(x).shape == [2, 12]
    assert nn.Flatten(0, 1)(x).shape == [6, 4]
    with pytest.raises(ProaError):
        nn.Flatten(5)(x)


def test_unflatten():
    assert nn.Unflatten(1, [2, -1])(proa.ones([3, 4])).shape == [3, 2, 2]
    assert repr(nn.Unflatten(1, (2, 2), "u")) == "Unflatten(axis=1, shape=(2, 2), name=u)"
    with pytest.raises(ProaError):
        nn.Unflatten(1, [3, 3])(proa.ones([3, 4]))
