"""Settings of parameters."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import InvalidTypeError
from proa.nn._param_attr import as_param_attr
from proa.nn.initializer import Constant

L2 = proa.regularizer.L2Decay(0.1)


def test_settings_reach_the_parameter():
    attr = proa.ParamAttr("w", Constant(2.0), 0.5, L2, False, False, False)
    weight = nn.Linear(1, 1, weight_attr=attr).weight
    assert weight.name == "w"
    assert weight.tolist() == [[2.0]]
    assert weight.optimize_attr == {"learning_rate": 0.5}
    assert weight.regularizer is L2
    assert weight.stop_gradient
    assert not weight.trainable
    assert weight.do_model_average is False
    assert weight.need_clip is False


def test_defaults_as_paddle_has_them():
    weight = nn.Linear(1, 1).weight
    assert (weight.optimize_attr, weight.regularizer) == ({"learning_rate": 1.0}, None)
    assert (weight.need_clip, weight.trainable, weight.do_model_average) == (True, True, True)
    assert weight.is_distributed is False
    assert weight.persistable


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ("name", "name", "name"),
        (L2, "regularizer", L2),
        (None, "name", None),
        (True, "name", None),
    ],
)
def test_what_stands_for_settings(given, field, value):
    assert getattr(as_param_attr(given), field) is value


def test_an_initialiser_stands_for_settings_and_false_for_no_parameter():
    start = Constant(1.0)
    assert as_param_attr(start).initializer is start
    assert as_param_attr(False) is None
    assert nn.Linear(1, 1, bias_attr=False).bias is None


def test_other_types_are_refused():
    with pytest.raises(InvalidTypeError, match=r"a parameter attribute is 3 \(int\)"):
        nn.Linear(1, 1, weight_attr=3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": 3},
        {"initializer": 0.5},
        {"learning_rate": "x"},
        {"regularizer": 0.1},
        {"trainable": 1},
        {"need_clip": None},
    ],
)
def test_each_setting_has_its_type(wrong):
    (name,) = wrong
    with pytest.raises(InvalidTypeError, match=f"ParamAttr: `{name}` is"):
        proa.ParamAttr(**wrong)


def test_printing():
    assert repr(proa.ParamAttr("w")).startswith("ParamAttr(name='w', initializer=None, ")
