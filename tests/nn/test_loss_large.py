"""Losses with weights of their own; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError


def test_grouped_classes():
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0, head_bias=True)
    x = proa.to_tensor(np.sin(np.arange(24.0)).reshape(3, 8), "float32")
    whole = layer.log_prob(x).numpy()
    np.testing.assert_allclose(np.exp(whole).sum(1), np.ones(3), rtol=1e-5)
    assert layer.predict(x).tolist() == whole.argmax(1).tolist()
    label = [1, 6, 15]
    output, loss = layer(x, proa.to_tensor(label))
    np.testing.assert_allclose(output.numpy(), whole[range(3), label], rtol=1e-5)
    np.testing.assert_allclose(float(loss), -output.numpy().mean(), rtol=1e-6)
    loss.backward()
    # Two of the head, two pairs of the clusters: all are trained.
    assert [p.grad is not None for p in layer.parameters()] == [True] * 6
    assert [w.shape for pair in layer.tail_weights for w in pair] == [
        [8, 4],
        [4, 6],
        [8, 2],
        [2, 10],
    ]


ERRORS = [
    (lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [10, 4]), "`cutoffs` is \\[10, 4\\]"),
    (lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, []), "`cutoffs` is \\[\\]"),
    (lambda: nn.HSigmoidLoss(3, 1), "HSigmoidLoss: `num_classes` is 1"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(InvalidArgumentError, match=match):
        call()
