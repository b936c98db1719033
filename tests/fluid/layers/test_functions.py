"""Functions whose arguments changed; values by hand or by NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.fluid import layers

x = proa.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
row, column = proa.to_tensor([1.0, 2.0, 4.0]), proa.to_tensor([1.0, 2.0])
chances = proa.to_tensor([[0.25, 0.75], [0.5, 0.5]])
ones = proa.nn.initializer.Constant(1.0)
image = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])

CASES = [
    (lambda: layers.reduce_sum(x, dim=1, keep_dim=True), [[6], [15]]),
    (lambda: layers.reduce_mean(x), 3.5),
    (lambda: layers.reduce_max(x, 0), [4, 5, 6]),
    (lambda: layers.reduce_min(x, [0, 1]), 1),
    (lambda: layers.reduce_prod(x, 1), [6, 120]),
    (lambda: layers.reduce_all(x > 1, 1), [False, True]),
    (lambda: layers.reduce_any(x > 5, 1), [False, True]),
    (lambda: layers.elementwise_add(x, row), [[2, 4, 7], [5, 7, 10]]),
    (lambda: layers.elementwise_sub(x, column, axis=0), [[0, 1, 2], [2, 3, 4]]),
    (lambda: layers.elementwise_sub(column, x[:, 0], act="relu"), [0, 0]),
    (lambda: layers.elementwise_mul(x, column, 0), [[1, 2, 3], [8, 10, 12]]),
    (lambda: layers.elementwise_div(x, row), [[1, 1, 0.75], [4, 2.5, 1.5]]),
    (lambda: layers.elementwise_max(x, row), [[1, 2, 4], [4, 5, 6]]),
    (lambda: layers.elementwise_min(x, row), [[1, 2, 3], [1, 2, 4]]),
    (lambda: layers.elementwise_pow(x, column, 0), [[1, 2, 3], [16, 25, 36]]),
    (lambda: layers.elementwise_mod(x, row), [[0, 0, 3], [0, 1, 2]]),
    (lambda: layers.fill_constant([2], "int64", 7), [7, 7]),
    (lambda: layers.reshape(x - 3, [3, -1], act="relu"), [[0, 0], [0, 1], [2, 3]]),
    (lambda: layers.reshape(x, [1], actual_shape=[6]).shape, [6]),
    (lambda: layers.matmul(x, x, transpose_y=True, alpha=2.0), [[28, 64], [64, 154]]),
    (lambda: layers.mul(proa.ones([2, 3, 4]), proa.ones([4, 3, 5]), 1, 2).shape, [2, 5]),
    (lambda: layers.dropout(x, 0.5, is_test=True)[0], [0.5, 1, 1.5]),
    (lambda: layers.one_hot(proa.to_tensor([[1], [0]]), 2), [[0, 1], [1, 0]]),
    (lambda: layers.one_hot(proa.to_tensor([5]), 2, True), [[0, 0]]),
    (lambda: layers.softmax(proa.zeros([2, 2]))[0], [0.5, 0.5]),
    (
        lambda: layers.cross_entropy(chances, proa.to_tensor([[1], [0]])),
        [[-math.log(0.75)], [math.log(2)]],
    ),
    (lambda: layers.cross_entropy(chances, chances, True)[1], [math.log(2)]),
    (lambda: layers.smooth_l1(proa.to_tensor([[0.5, 3.0]]), proa.zeros([1, 2])), [[0.125 + 2.5]]),
    (lambda: layers.fc(x, 2, param_attr=ones), [[6, 6], [15, 15]]),
    (lambda: layers.fc([x, x], 1, param_attr=ones, bias_attr=False), [[12], [30]]),
    (lambda: layers.fc(proa.ones([2, 3, 4]), 1, 2, ones).shape, [2, 3, 1]),
    (lambda: layers.fc(proa.ones([2, 3, 4]), 1, param_attr=ones, act="relu"), [[12], [12]]),
    (lambda: layers.embedding(proa.to_tensor([[1], [0]]), [2, 3], param_attr=ones).shape, [2, 3]),
    (
        lambda: layers.conv2d(image, 1, 2, 2, param_attr=ones, bias_attr=False)[0, 0],
        [[10, 18], [42, 50]],
    ),
    (lambda: layers.pool2d(image, 2, "max", 2)[0, 0], [[5, 7], [13, 15]]),
    (lambda: layers.pool2d(image, global_pooling=True, pool_type="avg").flatten(), [7.5]),
    (lambda: layers.accuracy(chances, proa.to_tensor([[1], [1]]), k=1), 0.5),
    (lambda: layers.cast(x, "int64")[0], [1, 2, 3]),
]


@pytest.mark.parametrize(("call", "expected"), CASES)
def test_results_are_those_of_old(call, expected):
    got = call()
    np.testing.assert_allclose(
        got.numpy() if isinstance(got, proa.Tensor) else got, expected, rtol=1e-6
    )


def test_parameters_of_fc_are_trained():
    weight = proa.nn.initializer.Constant(2.0)
    x = proa.ones([1, 2])
    x.stop_gradient = False
    layers.fc(x, 1, param_attr=weight).sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0]]


def test_wrong_words_are_refused():
    with pytest.raises(InvalidArgumentError, match="`act` is 'no_such'"):
        layers.fc(x, 1, act="no_such")
    with pytest.raises(InvalidArgumentError, match="`pool_type` is 'sum'"):
        layers.pool2d(image, 2, "sum")
