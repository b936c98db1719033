"""Initialisers with given values."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError
from proa.nn.initializer import Assign, Constant


@pytest.mark.parametrize(
    "value", [[[1.0, 2.0]], np.array([[1, 2]]), proa.to_tensor([[1.0, 2.0]])], ids=str
)
def test_values_are_taken_over(value):
    assert nn.Linear(1, 2, weight_attr=Assign(value)).weight.tolist() == [[1.0, 2.0]]


def test_a_constant():
    assert nn.Linear(1, 2, weight_attr=Constant(2)).weight.tolist() == [[2.0, 2.0]]


def test_values_of_another_shape_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"shape \[2\], the parameter \[1, 2\]"):
        nn.Linear(1, 2, weight_attr=Assign([1.0, 2.0]))
