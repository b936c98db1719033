"""Recurrent cells; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError


def test_initial_states_have_the_batch_of_the_reference():
    cell, x = nn.LSTMCell(3, 4), proa.ones([2, 5, 3])
    assert [s.shape for s in cell.get_initial_states(x)] == [[2, 4], [2, 4]]
    assert cell.get_initial_states([x], batch_dim_idx=1)[1].shape == [5, 4]
    made = cell.get_initial_states(x, [6], "float64", 0.5)
    assert (made.shape, made.dtype.name, float(made.max())) == ([2, 6], "float64", 0.5)
    pair = cell.get_initial_states(x, [[1], [2, 3]], ["int32", "float32"])
    assert [(s.shape, s.dtype.name) for s in pair] == [([2, 1], "int32"), ([2, 2, 3], "float32")]


def test_initial_weights_are_bounded_by_the_size():
    cell = nn.GRUCell(3, 16)
    for parameter in cell.parameters():
        values = parameter.numpy()
        assert np.abs(values).max() <= 0.25
        assert values.std() > 0.05


def test_parameters_that_are_switched_off_stay_fixed():
    cell = nn.LSTMCell(3, 4, weight_hh_attr=False, bias_ih_attr=False)
    assert not cell.bias_ih.numpy().any()
    assert (cell.weight_hh.numpy() == 1).all()
    assert [n for n, p in cell.named_parameters() if p.stop_gradient] == ["weight_hh", "bias_ih"]


def test_a_projection_maps_the_output():
    cell = nn.LSTMCell(3, 4, proj_size=2)
    output, (h, c) = cell(proa.ones([5, 3]))
    assert (output.shape, h.shape, c.shape) == ([5, 2], [5, 2], [5, 4])
    assert cell.state_shape == ((2,), (4,))


ERRORS = [
    (lambda: nn.LSTMCell(3, 0), "LSTMCell: `hidden_size` is 0"),
    (lambda: nn.GRUCell(3, -1), "GRUCell: `hidden_size` is -1"),
    (lambda: nn.SimpleRNNCell(3, 4, "gelu"), "SimpleRNNCell: `activation` is 'gelu'"),
    (lambda: nn.LSTMCell(3, 4, proj_size=4), "LSTMCell: `proj_size` is 4"),
    (lambda: nn.RNNCellBase().get_initial_states(proa.ones([2])), "has no `state_shape`"),
    (lambda: nn.RNNCellBase().state_dtype, "has no `state_dtype`"),
    (lambda: nn.GRUCell(3, 4)(proa.ones([2, 5])), "2 axes: \\[batch, 3\\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(InvalidArgumentError, match=match):
        call()
