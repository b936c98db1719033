"""Each layer prints, names and computes what was recorded from paddle 3.3.1."""

from __future__ import annotations

import json

import numpy as np
import pytest

import proa
from proa import nn
from tests.nn import catalogue

RECORDED = json.loads(catalogue.RECORDED.read_text(encoding="utf-8"))
INPUTS = dict(catalogue.CASES)

# What paddle 3.3.1 gets wrong; the right values are tested with the functions.
WRONG = {
    # Central differences give our gradient, here almost zero.
    ("GroupNorm(2, 4, affine=False)", "input gradient"),
    # Central differences with fixed u and v give our gradient.
    ("SpectralNorm([3, 4], power_iters=2)", "input gradient"),
    # Paddle forgets `ignore_index` as soon as labels are smoothed.
    ("CrossEntropyLoss(ignore_index=1, reduction='sum', label_smoothing=0.1)", "outputs"),
    ("CrossEntropyLoss(ignore_index=1, reduction='sum', label_smoothing=0.1)", "evaluated"),
    ("CrossEntropyLoss(ignore_index=1, reduction='sum', label_smoothing=0.1)", "input gradient"),
}
_RELU = "SimpleRNN(4, 3, 2, 'bidirect', activation='relu')"
# Central differences give our gradients; Paddle's forget the steps after the end of a sequence.
WRONG |= {
    (_RELU, f"gradient of {name}")
    for layer in (0, 1)
    for name in (f"weight_hh_l{layer}_reverse", f"{layer}.cell_bw.weight_hh")
}


@pytest.mark.parametrize("expression", list(RECORDED))
def test_layer_as_recorded(expression):
    expected = RECORDED[expression]
    seen = catalogue.observe(proa, expression, INPUTS[expression])
    assert seen.keys() == expected.keys()
    for what in ("repr", "full_name", "state", "parameters"):
        assert seen.pop(what) == expected[what]
    for what, found in seen.items():
        if (expression, what) in WRONG:
            continue
        wanted = expected[what]
        if what != "outputs":
            found, wanted = [found], [wanted]
        for (shape, values), (wanted_shape, wanted_values) in zip(found, wanted, strict=True):
            assert shape == wanted_shape, what
            np.testing.assert_allclose(values, wanted_values, rtol=2e-4, atol=2e-6, err_msg=what)


def test_each_layer_has_a_case():
    classes = {
        name
        for name, value in vars(nn).items()
        if isinstance(value, type) and issubclass(value, nn.Layer) and value.__name__ == name
    }
    used = {name for name in classes for expression in RECORDED if f"{name}(" in expression}
    # Paddle's `AdaptiveLogSoftmaxWithLoss` hides half of its parameters; see test_loss_large.py.
    assert classes - used == {"RMSNorm", "ParameterDict", "AdaptiveLogSoftmaxWithLoss"}
