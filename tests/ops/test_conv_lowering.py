from __future__ import annotations

import numpy as np
import pytest
from jax import lax

from proa.ops import _conv_lowering as lowering
from tests.ops.harness import randn


def plain(x, weight, steps, pads, dilations, groups, last):
    layout = "NHWC" if last else "NCHW"
    return lax.conv_general_dilated(
        x,
        weight,
        steps,
        pads,
        rhs_dilation=dilations,
        dimension_numbers=(layout, "OIHW", layout),
        feature_group_count=groups,
    )


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("outputs", [3, 64])
def test_pointwise_is_the_convolution(outputs, last):
    x = randn(2, 4, 5, 3) if last else randn(2, 3, 4, 5)
    weight = randn(outputs, 3, 1, 1)
    wanted = plain(x, weight, (2, 1), ((0, 0), (0, 0)), (1, 1), 1, last)
    np.testing.assert_allclose(lowering.pointwise(x, weight, (2, 1), last), wanted, atol=1e-12)


def test_large_kernels_stay_convolutions():
    x, weight = randn(1, 2, 9, 9), randn(2, 1, 8, 8)
    assert not lowering.is_depthwise(x, weight, 2, False)
    assert lowering.is_depthwise(x, weight[:, :, :7, :7], 2, False)
    assert not lowering.is_pointwise((1, 1), ((1, 1), (0, 0)), 1)
