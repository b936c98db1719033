from __future__ import annotations

import pytest

import proa
from proa.core import PreconditionError
from proa.nn.initializer.lazy_init import is_lazy


def test_values_are_drawn_when_they_are_asked_for():
    proa.seed(1)
    expected = proa.nn.Linear(2, 3, bias_attr=proa.nn.initializer.Constant(4.0))
    with proa.LazyGuard():
        assert is_lazy()
        layer = proa.nn.Linear(2, 3, bias_attr=proa.nn.initializer.Constant(4.0))
    assert not is_lazy()
    assert layer.weight.tolist() == [[0.0] * 3] * 2
    proa.seed(1)
    for parameter in layer.parameters():
        parameter.initialize()
    assert layer.weight.tolist() == expected.weight.tolist()
    assert layer.bias.tolist() == [4.0] * 3


def test_initializers_that_need_the_parameter_wait_too():
    with proa.LazyGuard():
        layer = proa.nn.Linear(
            2, 2, weight_attr=proa.nn.initializer.Assign([[1.0, 2.0], [3.0, 4.0]])
        )
    layer.weight.initialize()
    assert layer.weight.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_parameter_with_values_is_left_alone():
    layer = proa.nn.Linear(2, 2)
    with pytest.raises(
        PreconditionError, match=r"initialize\(\) of the parameter .* which has its"
    ):
        layer.weight.initialize()
