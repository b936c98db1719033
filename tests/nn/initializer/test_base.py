"""What initialisers share."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import UnsupportedError
from proa.nn.initializer import Constant, Initializer, Normal, Uniform
from proa.nn.initializer._base import fans


def test_a_tensor_is_filled_in_place():
    parameter = nn.Linear(2, 2).weight
    Constant(5.0)(parameter)
    assert parameter.tolist() == [[5.0, 5.0], [5.0, 5.0]]
    assert parameter.is_leaf
    assert not parameter.stop_gradient
    tensor = proa.zeros([2], dtype="bfloat16")
    Constant(3.0)(tensor)
    assert tensor.dtype == "bfloat16"
    assert tensor.tolist() == [3.0, 3.0]


def test_draws_follow_the_seed_and_move_the_stream():
    proa.seed(5)
    drawn = [proa.create_parameter([4], "float32", attr=Normal()).numpy() for _ in range(2)]
    other = proa.create_parameter([4], "float32", attr=Uniform()).numpy()
    proa.seed(5)
    again = [proa.create_parameter([4], "float32", attr=Normal()).numpy() for _ in range(2)]
    np.testing.assert_array_equal(drawn, again)
    assert (drawn[0] != drawn[1]).all()
    state = proa.get_rng_state()
    first = proa.create_parameter([4], "float32", attr=Uniform()).numpy()
    np.testing.assert_array_equal(first, other)
    proa.set_rng_state(state)
    np.testing.assert_array_equal(
        proa.create_parameter([4], "float32", attr=Uniform()).numpy(), first
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_all_floating_dtypes(dtype):
    made = proa.create_parameter([1000], dtype, attr=Uniform(0.0, 1.0))
    assert made.dtype == dtype
    assert made.astype("float64").numpy().mean() == pytest.approx(0.5, abs=0.05)


def test_an_initialiser_of_ones_own():
    class Halves(Initializer):
        def values(self, shape, dtype):
            return np.full(shape, 0.5, dtype)

    assert nn.Linear(1, 1, weight_attr=Halves()).weight.tolist() == [[0.5]]
    with pytest.raises(UnsupportedError, match="Initializer says neither"):
        Initializer()(nn.Linear(1, 1).weight)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((), (1, 1)),
        ((7,), (7, 7)),
        ((3, 5), (3, 5)),
        ((8, 4, 3), (12, 24)),
        ((8, 4, 3, 2), (24, 48)),
    ],
)
def test_fans(shape, expected):
    assert fans(shape) == expected
