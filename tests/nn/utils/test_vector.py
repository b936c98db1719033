"""Parameters as one vector."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError


def test_there_and_back():
    first, second = nn.Linear(2, 3), nn.Linear(2, 3)
    vector = nn.utils.parameters_to_vector(first.parameters())
    assert vector.shape == [9]
    assert not vector.stop_gradient
    nn.utils.vector_to_parameters(vector, second.parameters())
    np.testing.assert_array_equal(second.weight.numpy(), first.weight.numpy())
    assert second.weight.is_leaf


def test_gradients_flow_through_the_vector():
    layer = nn.Linear(2, 1)
    (
        nn.utils.parameters_to_vector(layer.parameters()) * proa.to_tensor([1.0, 2.0, 3.0])
    ).sum().backward()
    assert layer.weight.grad.tolist() == [[1.0], [2.0]]
    assert layer.bias.grad.tolist() == [3.0]


@pytest.mark.parametrize("size", [8, 10])
def test_a_vector_of_another_length_is_refused(size):
    with pytest.raises(InvalidArgumentError, match=rf"shape \[{size}\](.|\n)*\[9\]"):
        nn.utils.vector_to_parameters(proa.ones([size]), nn.Linear(2, 3).parameters())


def test_no_parameters_are_refused():
    with pytest.raises(InvalidTypeError, match="`parameters` of `parameters_to_vector`"):
        nn.utils.parameters_to_vector([])
    with pytest.raises(InvalidTypeError, match="`vector_to_parameters` is int"):
        nn.utils.vector_to_parameters(proa.ones([1]), 3)
