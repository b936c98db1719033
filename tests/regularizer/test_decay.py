"""L1Decay and L2Decay."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

from proa.core import InvalidTypeError, Tensor
from proa.regularizer import L1Decay, L2Decay, WeightDecayRegularizer
from proa.regularizer._decay import penalty_gradient


@pytest.mark.parametrize(
    ("regularizer", "expected"),
    [
        (L1Decay(0.5), [0.5, -0.5, 0.0]),
        (L2Decay(0.5), [1.0, -1.5, 0.0]),
        (L2Decay(), [0.0, 0.0, 0.0]),
    ],
)
def test_called_regularizer_gives_the_gradient_of_the_penalty(regularizer, expected):
    param = Tensor([2.0, -3.0, 0.0])
    assert regularizer(param, param, None).tolist() == expected


def test_penalty_is_the_gradient_of_its_formula():
    # By hand: d/dp (c / 2 * p**2) = c * p, d/dp (c * |p|) = c * sign(p).
    param = jnp.asarray([4.0, -4.0])
    assert penalty_gradient("l2", 0.25, param).tolist() == [1.0, -1.0]
    assert penalty_gradient("l1", 0.25, param).tolist() == [0.25, -0.25]


def test_regularizers_say_what_they_are():
    # As paddle 3.3.1 prints them.
    assert str(L1Decay(0.3)) == "L1Decay, coeff=0.300000"
    assert str(L2Decay(1)) == "L2Decay, coeff=1.000000"
    assert str(WeightDecayRegularizer()) == "WeightDecayRegularizer"


@pytest.mark.parametrize("kind", [L1Decay, L2Decay])
@pytest.mark.parametrize("coeff", ["a", None, True])
def test_strength_must_be_a_number(kind, coeff):
    with pytest.raises(InvalidTypeError, match=f"{kind.__name__}: `coeff` is a "):
        kind(coeff)
