"""Convolutions as functions, against the layers."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn, static
from proa.core import InvalidArgumentError

ONE = nn.initializer.Constant(0.5)
IMAGE = np.random.default_rng(0).normal(size=(1, 2, 4, 4)).astype("float32")
VOLUME = np.random.default_rng(0).normal(size=(1, 2, 3, 3, 3)).astype("float32")

CASES = {
    "conv3d": (
        lambda x: static.nn.conv3d(x, 2, 2, padding=1, param_attr=ONE, act="relu"),
        lambda x: nn.functional.relu(nn.Conv3D(2, 2, 2, padding=1, weight_attr=ONE)(x)),
        VOLUME,
    ),
    "conv2d_transpose of a filter": (
        lambda x: static.nn.conv2d_transpose(x, 3, filter_size=3, stride=2, param_attr=ONE),
        lambda x: nn.Conv2DTranspose(2, 3, 3, 2, weight_attr=ONE)(x),
        IMAGE,
    ),
    "conv2d_transpose of a size": (
        lambda x: static.nn.conv2d_transpose(x, 3, [9, 10], stride=2, padding=1, param_attr=ONE),
        lambda x: nn.Conv2DTranspose(2, 3, [5, 6], 2, 1, weight_attr=ONE)(x),
        IMAGE,
    ),
    "conv2d_transpose of both": (
        lambda x: static.nn.conv2d_transpose(x, 3, 10, 3, stride=2, param_attr=ONE),
        lambda x: nn.Conv2DTranspose(2, 3, 3, 2, 0, 1, weight_attr=ONE)(x),
        IMAGE,
    ),
    "conv3d_transpose": (
        lambda x: static.nn.conv3d_transpose(x, 4, 5, dilation=2, groups=2, param_attr=ONE),
        lambda x: nn.Conv3DTranspose(2, 4, 2, dilation=2, groups=2, weight_attr=ONE)(x),
        VOLUME,
    ),
    "deform_conv2d": (
        lambda x: static.nn.deform_conv2d(x, proa.zeros([1, 2, 4, 4]), None, 2, 1, weight_attr=ONE),
        lambda x: nn.Conv2D(2, 2, 1, weight_attr=ONE)(x),
        IMAGE,
    ),
}


@pytest.mark.parametrize(("function", "layer", "given"), CASES.values(), ids=CASES.keys())
def test_convolutions(function, layer, given):
    main = static.Program()
    with static.program_guard(main):
        y = function(static.data("x", given.shape))
    (found,) = static.Executor().run(main, {"x": given}, [y])
    np.testing.assert_allclose(found, layer(proa.to_tensor(given)).numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "neither `output_size` nor `filter_size`"),
        ({"output_size": 9, "padding": "SAME"}, "is to follow from padding='SAME'"),
        ({"output_size": 2, "stride": 2}, r"`output_size` \[2, 2\] of sizes \[4, 4\]"),
    ],
)
def test_filters_that_do_not_follow(settings, message):
    with pytest.raises(InvalidArgumentError, match=message):
        static.nn.conv2d_transpose(proa.to_tensor(IMAGE), 3, **settings)
