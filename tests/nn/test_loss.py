"""Losses as layers; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import ProaError

SCORES = np.sin(np.arange(6)).reshape(2, 3).astype(np.float32)


# PT#70348, PT#116349.
def test_a_mean_over_nothing_is_zero_with_zero_gradients():
    scores = proa.to_tensor(SCORES, stop_gradient=False)
    loss = nn.CrossEntropyLoss()(scores, proa.to_tensor([-100, -100]))
    assert float(loss) == 0.0
    loss.backward()
    assert (scores.grad.numpy() == 0).all()


# PT#15508, PT#12670.
def test_a_label_that_is_no_class_raises_unless_it_is_ignored():
    scores = proa.zeros([3, 3])
    loss = nn.CrossEntropyLoss(ignore_index=255, reduction="none")
    found = loss(scores, proa.to_tensor([0, 255, 2])).numpy().reshape(-1)
    np.testing.assert_allclose(found, [np.log(3), 0, np.log(3)], rtol=1e-5)
    with pytest.raises(ProaError, match="-4"):
        loss(scores, proa.to_tensor([0, -4, 2]))


def test_weights_of_the_classes():
    labels = proa.to_tensor([0, 2])
    weight = proa.to_tensor([1.0, 1.0, 3.0])
    losses = nn.CrossEntropyLoss(reduction="none")(proa.to_tensor(SCORES), labels)
    first, second = losses.numpy().reshape(-1)
    found = float(nn.CrossEntropyLoss(weight)(proa.to_tensor(SCORES), labels))
    assert found == pytest.approx((first + 3 * second) / 4, rel=1e-5)


@pytest.mark.parametrize("layer", [nn.MSELoss, nn.L1Loss, nn.CrossEntropyLoss, nn.KLDivLoss])
def test_an_unknown_reduction_is_refused(layer):
    labels = proa.to_tensor([0, 1]) if layer is nn.CrossEntropyLoss else proa.to_tensor(SCORES)
    with pytest.raises(ProaError, match="`reduction`.*'x'"):
        layer(reduction="x")(proa.to_tensor(SCORES), labels)


def test_keywords_reach_the_function():
    loss = nn.MSELoss()
    assert float(loss(input=proa.ones([2]), label=proa.zeros([2]))) == 1.0
