"""Initialisers whose spread follows from the shape; spreads as recorded from paddle 3.3.1."""

from __future__ import annotations

import math

import pytest

import proa
from proa.core import InvalidArgumentError
from proa.nn.initializer import (
    KaimingNormal,
    KaimingUniform,
    XavierNormal,
    XavierUniform,
    calculate_gain,
)


@pytest.mark.parametrize(
    ("initializer", "matrix", "kernel", "vector"),
    [
        (XavierNormal(), 0.0629, 0.0284, 0.0143),
        (XavierUniform(), 0.0633, 0.0283, 0.0140),
        (XavierUniform(gain=2.0), 0.1267, 0.0566, 0.0282),
        (XavierUniform(10, 20), 0.2584, 0.2584, 0.257),
        (KaimingNormal(), 0.0999, 0.0366, 0.02),
        (KaimingUniform(), 0.1005, 0.0365, 0.0199),
        (KaimingNormal(None, 0.5, "leaky_relu"), 0.0895, 0.0328, 0.0175),
        (KaimingUniform(nonlinearity="tanh"), 0.1177, 0.0431, 0.0235),
        (KaimingNormal(mode="fan_out"), 0.0816, 0.0447, 0.0202),
        (KaimingUniform(7), 0.5351, 0.5359, 0.5385),
    ],
)
def test_spread(initializer, matrix, kernel, vector):
    for shape, std in (((200, 300), matrix), ((40, 60, 5, 5), kernel), ((5000,), vector)):
        values = proa.create_parameter(list(shape), "float32", attr=initializer).numpy()
        assert values.std() == pytest.approx(std, rel=0.06)
        assert values.mean() == pytest.approx(0, abs=std / 20)


def test_uniform_draws_have_a_bound():
    values = proa.create_parameter([200, 300], "float32", attr=XavierUniform()).numpy()
    assert abs(values).max() == pytest.approx(math.sqrt(6 / 500), rel=1e-3)


def test_empty_and_scalar_parameters():
    for initializer in (XavierNormal(), KaimingUniform()):
        assert proa.create_parameter([0], "float32", attr=initializer).shape == [0]
        assert proa.create_parameter([], "float32", attr=initializer).shape == []


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("sigmoid", None, 1),
        ("conv2d", None, 1),
        ("conv1d_transpose", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("leaky_relu", None, 1.4141428569978354),
        ("leaky_relu", 0.2, 1.3867504905630728),
        ("selu", None, 0.75),
    ],
)
def test_gains(name, param, gain):
    assert calculate_gain(name, param) == pytest.approx(gain, rel=1e-12)


def test_unknown_names_are_refused():
    with pytest.raises(InvalidArgumentError, match="`nonlinearity` is 'xx'"):
        calculate_gain("xx")
    with pytest.raises(InvalidArgumentError, match="KaimingNormal: `mode` is 'x'"):
        KaimingNormal(mode="x")
