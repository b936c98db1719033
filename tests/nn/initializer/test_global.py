"""Initialisers for all layers."""

from __future__ import annotations

import pytest

from proa import nn
from proa.core import InvalidTypeError
from proa.nn.initializer import Constant, set_global_initializer


@pytest.fixture
def halves():
    set_global_initializer(Constant(0.5), Constant(0.25))
    yield
    set_global_initializer(None)


# As recorded from paddle 3.3.1: also in place of a layer's own default.
def test_they_go_before_defaults_and_after_settings(halves):
    linear = nn.Linear(1, 1)
    assert (linear.weight.item(), linear.bias.item()) == (0.5, 0.25)
    assert nn.Conv2D(1, 1, 1).weight.item() == 0.5
    assert nn.LayerNorm(1).weight.item() == 0.5
    assert nn.Linear(1, 1, weight_attr=Constant(3.0)).weight.item() == 3.0


def test_they_can_be_taken_back(halves):
    set_global_initializer(None)
    assert nn.LayerNorm(1).weight.item() == 1.0


def test_other_types_are_refused():
    with pytest.raises(InvalidTypeError, match="`weight_init` is a float"):
        set_global_initializer(0.5)
    with pytest.raises(InvalidTypeError, match="`bias_init` is a int"):
        set_global_initializer(None, 3)
