"""Linear maps and tables."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, OutOfRangeError
from proa.nn._common import activation_function
from proa.nn.initializer import Constant


def test_default_initial_values_of_linear_and_embedding():
    for layer in (nn.Linear(200, 300), nn.Embedding(200, 300)):
        weight = layer.weight.numpy()
        limit = np.sqrt(6 / 500)
        assert np.abs(weight).max() <= limit
        assert weight.std() == pytest.approx(limit / np.sqrt(3), rel=0.02)
    assert (nn.Linear(2, 3).bias.numpy() == 0).all()


@pytest.mark.parametrize(
    "layer", [lambda: nn.Linear(1, 1, False), lambda: nn.Conv2D(1, 1, 1, weight_attr=False)]
)
def test_a_layer_needs_its_weight(layer):
    with pytest.raises(InvalidArgumentError, match=r"`weight_attr` of \w+ is False"):
        layer()


def test_an_input_of_another_width_names_both_shapes():
    with pytest.raises(InvalidArgumentError, match=r"x float32\[1, 3\] and weight float32\[2, 2\]"):
        nn.Linear(2, 2)(proa.ones([1, 3]))


@pytest.mark.parametrize("padding", [1, -4])
def test_the_padding_row_is_zero_and_not_trained(padding):
    table = nn.Embedding(5, 3, padding_idx=padding)
    assert table.padding_idx == 1
    assert (table.weight.numpy()[1] == 0).all()
    table(proa.to_tensor([1, 1, 2])).sum().backward()
    assert table.weight.grad.numpy()[:, 0].tolist() == [0.0, 0.0, 1.0, 0.0, 0.0]


# P PR#79560: paddle 3.3.1 reads foreign memory.
@pytest.mark.parametrize("index", [-1, 5])
def test_an_integer_that_is_no_row_raises(index):
    with pytest.raises(OutOfRangeError):
        nn.Embedding(5, 3)(proa.to_tensor([index]))


def test_a_given_table():
    table = nn.Embedding(2, 2, _weight=np.eye(2), _freeze=True)
    assert table.weight.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert table.weight.stop_gradient


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, 3), InvalidArgumentError, "`num_embeddings` is 0"),
        ((3, -1), InvalidArgumentError, "`embedding_dim` is -1"),
        ((5, 3, 5), OutOfRangeError, r"`padding_idx` is 5(.|\n)*\[-5, 5\)"),
    ],
)
def test_bad_tables(arguments, error, message):
    with pytest.raises(error, match=message):
        nn.Embedding(*arguments)


def test_embedding_dtype_and_settings():
    table = nn.Embedding(2, 2, dtype="float64", weight_attr=Constant(3.0))
    assert table.weight.dtype == "float64"
    assert table.weight.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_activations_by_name():
    assert activation_function("relu", "act", "X") is nn.functional.relu
    assert activation_function(abs, "act", "X") is abs
    with pytest.raises(InvalidArgumentError, match="X: `act` is 'nope'"):
        activation_function("nope", "act", "X")
