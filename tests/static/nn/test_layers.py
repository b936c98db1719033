"""Layers as functions, against the layers."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn, static
from proa.core import InvalidArgumentError, UnsupportedError

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
    "group_norm": (
        lambda x: static.nn.group_norm(x, 3, param_attr=ONE, act="relu"),
        lambda x: nn.functional.relu(nn.GroupNorm(3, 3, weight_attr=ONE)(x)),
        IMAGE,
    ),
    "instance_norm": (
        lambda x: static.nn.instance_norm(x, param_attr=False, bias_attr=False),
        lambda x: nn.functional.instance_norm(x),
        IMAGE,
    ),
    "instance_norm of features": (
        lambda x: static.nn.instance_norm(x.flatten(1), bias_attr=ONE),
        lambda x: 0 * x.flatten(1) + 0.5,
        IMAGE,
    ),
    "bilinear_tensor_product": (
        lambda x: static.nn.bilinear_tensor_product(x[:, 0, 0], x[:, 1, 1], 2, param_attr=ONE),
        lambda x: nn.Bilinear(4, 4, 2, ONE)(x[:, 0, 0], x[:, 1, 1]),
        IMAGE,
    ),
    "prelu": (
        lambda x: static.nn.prelu(x, "channel", param_attr=ONE),
        lambda x: nn.PReLU(3, weight_attr=ONE)(x),
        IMAGE,
    ),
    "sparse_embedding": (
        lambda x: static.nn.sparse_embedding(x, [3, 2], padding_idx=1, param_attr=ONE),
        lambda x: nn.Embedding(3, 2, 1, weight_attr=ONE)(x),
        IDS,
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


def test_spectral_norm_has_a_largest_singular_value_of_one():
    main = static.Program()
    with static.program_guard(main):
        weight = static.data("weight", [4, 2, 3])
        y = static.nn.spectral_norm(weight, dim=1, power_iters=30)
    given = np.random.default_rng(1).normal(size=(4, 2, 3)).astype("float32")
    (found,) = static.Executor().run(main, {"weight": given}, [y])
    rows = np.swapaxes(found, 0, 1).reshape(2, -1)
    np.testing.assert_allclose(np.linalg.norm(rows, 2), 1.0, rtol=1e-4)


@pytest.mark.parametrize("dim", [None, 1])
def test_a_weight_as_length_and_direction(dim):
    main = static.Program()
    attr = static.WeightNormParamAttr(dim=dim, name=f"normed {dim}", initializer=ONE)
    with static.program_guard(main):
        y = static.nn.fc(static.data("x", [1, 4]), 3, weight_attr=attr, bias_attr=False)
        proa.optimizer.SGD(0.1).minimize(y[:, :2].sum())
    v, g = main.all_parameters()
    assert (g.name, v.name) == (f"normed {dim}_g", f"normed {dim}_v")
    before = v.numpy()
    (found,) = static.Executor().run(main, {"x": np.ones([1, 4], "float32")}, [y])
    np.testing.assert_allclose(found, [[2, 2, 2]], rtol=1e-6)
    # A direction moves at right angles to itself; here the weight's columns are alike.
    moved = v.numpy() - before
    np.testing.assert_allclose((moved * before).sum(), 0, atol=1e-6)
    assert (np.abs(moved).max() > 1e-3) == (dim is None)
    assert not np.allclose(g.numpy(), np.sqrt((before**2).sum(None if dim is None else 0)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: static.nn.fc(x, 3, activation="nothing"), "`activation` is 'nothing'"),
        (lambda x: static.nn.prelu(x, "some"), "`mode` is 'some'"),
        (lambda x: static.nn.instance_norm(x, bias_attr=False), "with bias_attr=False"),
        (lambda x: static.nn.instance_norm(x[0]), "instance_norm of 1 axes"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([1, 2]))


def test_tables_that_grow_are_refused():
    with pytest.raises(UnsupportedError, match="`entry` is 5"):
        static.nn.sparse_embedding(proa.ones([1], "int64"), [3, 2], entry=5)
