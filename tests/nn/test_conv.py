"""Arguments of convolutions; values are in test_layer_catalogue.py."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError


def test_default_initial_values():
    layer = nn.Conv2D(40, 60, 5, groups=4)
    weight = layer.weight.numpy()
    assert weight.std() == pytest.approx((2 / (40 * 25)) ** 0.5, rel=0.03)
    assert weight.mean() == pytest.approx(0, abs=2e-3)
    transposed = nn.Conv2DTranspose(40, 60, 5).weight.numpy()
    assert abs(transposed).max() == pytest.approx((6 / (100 * 25)) ** 0.5, rel=0.01)


def test_dtype_and_bias():
    layer = nn.Conv2D(1, 2, 3, dtype="float64", bias=False)
    assert layer.weight.dtype == "float64"
    assert layer.bias is None


@pytest.mark.parametrize("size", [[6, 6], [7, 7]])
def test_the_output_size_of_a_transposed_convolution(size):
    layer = nn.Conv2DTranspose(1, 1, 2, stride=2, output_padding=1)
    size = [s + 2 for s in size] if size == [6, 6] else [9, 9]
    assert layer(proa.ones([1, 1, 4, 4]), output_size=size).shape == [1, 1, *size]


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "message"),
    [
        ((3, 4, 3), {"groups": 2}, InvalidArgumentError, "`groups` is 2 with 3 input and 4"),
        ((4, 3, 3), {"groups": 2}, InvalidArgumentError, "`groups` is 2 with 4 input and 3"),
        ((3, 4, 3), {"groups": 0}, InvalidArgumentError, "`groups` is 0"),
        ((3, 4, [3, 3, 3]), {}, InvalidArgumentError, r"`kernel_size` is \[3, 3, 3\]"),
        ((3, 4, 3), {"stride": 1.5}, InvalidArgumentError, "`stride` is 1.5"),
        ((3, 4, 3), {"padding": "xx"}, InvalidArgumentError, "`padding` is 'xx'"),
        ((3, 4, 3), {"padding_mode": "x"}, InvalidArgumentError, "`padding_mode` is 'x'"),
        (
            (3, 4, 3),
            {"padding_mode": "reflect", "padding": "SAME"},
            InvalidTypeError,
            "`padding` is 'SAME' with mode 'reflect'",
        ),
        ((-3, 4, 3), {}, InvalidArgumentError, r"the shape \[4, -3, 3, 3\]"),
    ],
)
def test_bad_arguments(arguments, settings, error, message):
    with pytest.raises(error, match=message):
        nn.Conv2D(*arguments, **settings)


def test_an_input_with_other_channels_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"float32\[1, 2, 4, 4\]"):
        nn.Conv2D(3, 4, 3)(proa.ones([1, 2, 4, 4]))
