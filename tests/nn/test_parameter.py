"""Parameters outside layers."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.nn.initializer import Constant, Initializer
from proa.utils import unique_name


def test_names_as_paddle_gives_them():
    with unique_name.guard():
        made = [proa.create_parameter([1], "float32") for _ in range(2)]
        assert [p.name for p in made] == ["create_parameter_0.w_0", "create_parameter_1.w_0"]
        assert proa.create_parameter([1], "float32", name="mine").name == "mine"
        assert proa.create_parameter([1], "float32", "mine", attr="attr").name == "attr"


def test_values_and_dtypes():
    bias = proa.create_parameter([2], "float64", is_bias=True)
    assert bias.dtype == "float64"
    assert bias.tolist() == [0.0, 0.0]
    assert not bias.stop_gradient
    filled = proa.create_parameter([2], "bfloat16", default_initializer=Constant(3.0))
    assert filled.tolist() == [3.0, 3.0]
    assert proa.create_parameter([2], "float32", attr=False) is None


def test_shapes_may_be_arrays_and_tensors():
    assert proa.create_parameter(np.array([2, 3]), "float32").shape == [2, 3]
    assert proa.create_parameter(proa.to_tensor([2]), "float32").shape == [2]
    assert proa.create_parameter([], "float32").shape == []


def test_an_initialiser_may_fill_the_parameter_itself():
    class Steps(Initializer):
        def forward(self, param, block=None):
            param.set_value(np.arange(param.size).reshape(param.shape))

    made = proa.create_parameter([2, 2], "float32", default_initializer=Steps())
    assert made.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert made.is_leaf


@pytest.mark.parametrize("shape", [[-1], [1.5], ["a"], "ab"])
def test_sizes_must_be_integers(shape):
    with pytest.raises(InvalidArgumentError, match=r"a parameter of create_parameter_\d+ is to"):
        proa.create_parameter(shape, "float32")


def test_bad_settings():
    with pytest.raises(InvalidTypeError, match="'xx' is not a dtype"):
        proa.create_parameter([1], "xx")
    with pytest.raises(InvalidTypeError, match="a parameter attribute"):
        proa.create_parameter([1], "float32", attr=[1])


def test_the_same_seed_gives_the_same_values():
    proa.seed(7)
    first = proa.create_parameter([3], "float32").numpy()
    second = proa.create_parameter([3], "float32").numpy()
    proa.seed(7)
    np.testing.assert_array_equal(proa.create_parameter([3], "float32").numpy(), first)
    assert (first != second).all()


def test_parameters_from_data():
    made = proa.nn.Parameter([1.0, 2.0], trainable=False)
    assert made.stop_gradient
    assert made.optimize_attr == {"learning_rate": 1.0}
