"""Attributes that are parameters, buffers and sub-layers."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    MissingAttributeError,
    PreconditionError,
    UnknownNameError,
)
from proa.nn._layer_members import snake_case
from proa.utils import unique_name


def test_plain_tensors_become_buffers_that_are_not_saved():
    layer = nn.Layer()
    layer.t = proa.ones([2])
    assert list(layer._buffers) == ["t"]
    assert list(layer.state_dict()) == []
    layer.t = proa.zeros([2])
    assert layer.t.tolist() == [0.0, 0.0]


def test_a_buffer_that_is_replaced_stays_saved():
    layer = nn.Layer()
    layer.register_buffer("b", proa.ones([2]))
    layer.b = proa.zeros([2])
    assert list(layer.state_dict()) == ["b"]
    layer.b = None
    assert layer.b is None
    assert list(layer.state_dict()) == []


def test_a_parameter_takes_the_place_of_a_buffer_or_value():
    layer = nn.Layer()
    layer.a, layer.b = proa.ones([1]), 3
    layer.a, layer.b = layer.create_parameter([1]), layer.create_parameter([1])
    assert list(layer._parameters) == ["a", "b"]
    assert not layer._buffers
    assert "b" not in layer.__dict__


def test_deleted_members_are_gone():
    layer = nn.Linear(2, 2)
    layer.act = nn.ReLU()
    layer.note = 1
    for name in ("weight", "act", "note"):
        delattr(layer, name)
        assert not hasattr(layer, name)
    assert list(layer.state_dict()) == ["bias"]
    with pytest.raises(AttributeError):
        del layer.note


def test_members_are_listed_by_dir():
    layer = nn.Linear(2, 2)
    layer.t, layer.act = proa.ones([1]), nn.ReLU()
    assert {"weight", "bias", "t", "act", "forward"} <= set(dir(layer))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("weight", 3, r"'weight' is a Parameter of the layer and was given a int"),
        ("weight", proa.ones([2, 2]), r"'weight' is a Parameter .* given a Tensor"),
        ("weight", nn.ReLU(), r"'weight' is a Parameter .* given a ReLU"),
        ("buffer", 3, r"'buffer' is a Tensor of the layer and was given a int"),
        ("act", 3, r"'act' is a Layer of the layer and was given a int"),
    ],
)
def test_a_member_is_not_overwritten_by_something_else(name, value, message):
    layer = nn.Linear(2, 2)
    layer.act = nn.ReLU()
    layer.register_buffer("buffer", proa.ones([1]))
    before = getattr(layer, name)
    with pytest.raises(InvalidTypeError, match=message):
        setattr(layer, name, value)
    assert getattr(layer, name) is before


def test_missing_attributes_and_early_members():
    with pytest.raises(MissingAttributeError, match=r"'Linear' object has no attribute 'nope'"):
        nn.Linear(1, 1).nope

    class Early(nn.Layer):
        def __init__(self):
            self.fc = nn.Linear(1, 1)

    with pytest.raises(PreconditionError, match=r"Early .* before Layer.__init__(.|\n)*super"):
        Early()


@pytest.mark.parametrize("name", ["", "a.b", "bias", "forward"])
def test_names_that_cannot_be_used(name):
    layer = nn.Linear(1, 1)
    tensor, parameter = proa.ones([1]), layer.create_parameter([1])
    with pytest.raises(UnknownNameError, match="is to be called"):
        layer.register_buffer(name, tensor)
    with pytest.raises(UnknownNameError, match="is to be called"):
        layer.add_sublayer(name, nn.ReLU())
    if name != "bias":
        with pytest.raises(UnknownNameError, match="is to be called"):
            layer.add_parameter(name, parameter)


def test_members_of_the_wrong_type_are_refused():
    layer = nn.Layer()
    with pytest.raises(InvalidTypeError, match=r"'p' is a Parameter .* int"):
        layer.add_parameter("p", 3)
    with pytest.raises(InvalidTypeError, match=r"'s' is a Layer .* int"):
        layer.add_sublayer("s", 3)
    with pytest.raises(InvalidTypeError, match=r"'b' is a Tensor .* int"):
        layer.register_buffer("b", 3)
    with pytest.raises(InvalidTypeError, match=r"name of a Layer is 3"):
        layer.add_sublayer(3, nn.ReLU())


def test_properties_of_a_layer_still_work():
    class Half(nn.Layer):
        @property
        def scale(self):
            return self.scale_

        @scale.setter
        def scale(self, value):
            self.scale_ = value * 2

    layer = Half()
    layer.scale = proa.ones([1])
    assert layer.scale.tolist() == [2.0]


# As recorded from paddle 3.3.1.
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("ReLU", "re_lu"),
        ("PReLU", "p_re_lu"),
        ("Conv2DTranspose", "conv2d_transpose"),
        ("LSTMCell", "lstm_cell"),
        ("MaxUnPool1D", "max_un_pool1d"),
        ("BCEWithLogitsLoss", "bce_with_logits_loss"),
        ("Foo_Bar2D", "foo__bar2d"),
        ("ABCNet", "abc_net"),
        ("myNet", "my_net"),
    ],
)
def test_class_names_in_parameter_names(name, written):
    assert snake_case(name) == written


def test_names_follow_scope_and_order():
    with unique_name.guard():
        layers = [nn.Layer(), nn.Layer("abc"), nn.Layer("abc")]
        assert [layer.full_name() for layer in layers] == ["layer_0", "abc_0", "abc_1"]
        made = [layers[1].create_parameter([1], is_bias=bias) for bias in (False, True, False)]
        assert [p.name for p in made] == ["abc_0.w_0", "abc_0.b_0", "abc_0.w_1"]
        assert layers[0].create_tensor("t").name == "layer_0.t"
        with unique_name.guard("pre_"):
            assert nn.Linear(1, 1).weight.name == "pre_pre_linear_0.w_0"


def test_parameters_take_the_default_dtype():
    proa.set_default_dtype("float64")
    try:
        assert nn.Linear(1, 1).weight.dtype == "float64"
        assert nn.Layer().create_parameter([1], dtype="bfloat16").dtype == "bfloat16"
    finally:
        proa.set_default_dtype("float32")


def test_created_parameters():
    layer = nn.Layer()
    assert layer.create_parameter([2], attr=False) is None
    np.testing.assert_array_equal(layer.create_parameter([2], is_bias=True).numpy(), [0, 0])
    assert layer.create_parameter([0, 3]).shape == [0, 3]
    with pytest.raises(InvalidArgumentError, match=r"the shape \[-1, 2\]"):
        layer.create_parameter([-1, 2])
