from __future__ import annotations

import pytest

import proa
from proa import static
from proa.core import InvalidTypeError


def test_settings_without_the_normalisation():
    attr = static.WeightNormParamAttr(2, "w", learning_rate=0.5, trainable=False)
    found = vars(attr.plain())
    assert (attr.dim, found["name"], found["learning_rate"]) == (2, "w", 0.5)
    assert "dim" not in found
    assert not found["trainable"]
    assert not found["do_model_average"]


def test_a_layer_refuses_them():
    with pytest.raises(InvalidTypeError, match="a layer is a WeightNormParamAttr"):
        proa.nn.Linear(2, 2, weight_attr=static.WeightNormParamAttr(dim=0))
