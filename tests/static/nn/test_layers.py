"""Layers as functions, against the layers."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn, static
from proa.core import InvalidArgumentError

ONE = nn.initializer.Constant(0.5)
IMAGE = np.random.default_rng(0).normal(size=(2, 3, 4, 4)).astype("float32")
IDS = np.int64([[0, 2], [1, 1]])


def built_norm(x):
    layer = nn.BatchNorm2D(3)
    return nn.functional.relu(layer(x))


CASES = {
    "fc": (
        lambda x: static.nn.fc(x, 5, 2, weight_attr=ONE, activation="tanh"),
        lambda x: nn.functional.tanh(nn.Linear(16, 5, ONE)(x.flatten(2))),
        IMAGE,
    ),
    "fc of two": (
        lambda x: static.nn.fc([x, x], 5, 1, weight_attr=ONE),
        lambda x: nn.Linear(48, 5, ONE)(x.flatten(1)) * 2,
        IMAGE,
    ),
    "embedding": (
        lambda x: static.nn.embedding(x, [3, 2], param_attr=ONE),
        lambda x: nn.Embedding(3, 2, weight_attr=ONE)(x),
        IDS,
    ),
    "conv2d": (
        lambda x: static.nn.conv2d(x, 2, 3, padding=1, param_attr=ONE, act="relu"),
        lambda x: nn.functional.relu(nn.Conv2D(3, 2, 3, padding=1, weight_attr=ONE)(x)),
        IMAGE,
    ),
    "batch_norm": (lambda x: static.nn.batch_norm(x, act="relu"), built_norm, IMAGE),
    "layer_norm": (
        lambda x: static.nn.layer_norm(x, shift=False, begin_norm_axis=2),
        lambda x: nn.LayerNorm([4, 4])(x),
        IMAGE,
    ),
}


@pytest.mark.parametrize(("function", "layer", "given"), CASES.values(), ids=CASES.keys())
def test_layers(function, layer, given):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, *given.shape[1:]], str(given.dtype))
        y = function(x)
    (found,) = static.Executor().run(main, {"x": given}, [y])
    expected = layer(proa.to_tensor(given)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_an_unknown_activation_is_refused():
    with pytest.raises(InvalidArgumentError, match="`activation` is 'nothing'"):
        static.nn.fc(proa.ones([1, 2]), 3, activation="nothing")
