from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.formats.onnx.rows import Row, check, floats

image, free = floats(2, 4, 7, 6), {0: (0, 2, 3)}
w33, w11, deep = floats(4, 4, 3, 3), floats(6, 4, 1, 1), floats(4, 1, 3, 3)
up, grouped = floats(4, 3, 2, 2), floats(4, 2, 3, 3)


def _last(x: Any) -> Any:
    return x.transpose([0, 2, 3, 1])


def _convolutions(x: Any, w: Any, d: Any) -> Any:
    bias = proa.arange(4).astype("float32")
    return (
        F.conv2d(x, w, bias, stride=2, padding=1),
        F.conv2d(x, w, padding=[1, 0, 2, 1], dilation=2),
        F.conv2d(x, w, padding="SAME", stride=2),
        F.conv2d(x, d, bias, padding=1, groups=4),
        F.conv2d(_last(x), w, bias, data_format="NHWC"),
    )


def _enlarging(x: Any, u: Any, g: Any) -> Any:
    return (
        F.conv2d_transpose(x, u, stride=2),
        F.conv2d_transpose(x, g, proa.ones([4]), stride=2, padding=1, output_padding=1, groups=2),
        F.conv2d_transpose(x, g[:2], stride=1, groups=1) if g.shape[0] == 2 else x,
    )


def _pools(x: Any) -> Any:
    return (
        F.max_pool2d(x, 3, 2, 1),
        F.max_pool2d(x, 2, 2, ceil_mode=True),
        F.avg_pool2d(x, 3, 2, 1),
        F.avg_pool2d(x, 3, 2, 1, exclusive=False),
        F.avg_pool2d(x, 2, divisor_override=3),
        F.adaptive_avg_pool2d(x, 1),
        F.adaptive_avg_pool2d(_last(x), 1, data_format="NHWC"),
        F.adaptive_max_pool2d(x, 1),
    )


def _adaptive(x: Any) -> Any:
    return (
        F.adaptive_avg_pool2d(x, [7, 3]),
        F.adaptive_avg_pool2d(x, [3, 4]),
        F.adaptive_max_pool2d(x, [3, 4]),
    )


def _resized(x: Any) -> Any:
    kinds = ({"mode": "nearest"}, {"mode": "bilinear"}, {"mode": "bicubic"})
    kinds += ({"mode": "bilinear", "align_corners": True}, {"mode": "bilinear", "align_mode": 1})
    made = [F.interpolate(x, size=size, **kind) for kind in kinds for size in ([9, 11], [3, 2])]
    made += [F.interpolate(x, scale_factor=[1.5, 2.3], **kind) for kind in kinds]
    return [*made, F.interpolate(x, [1, 1], mode="bilinear"), F.interpolate(x, [3, 4], mode="area")]


# PT#183528: what a window that hangs over is divided by.
square = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
_ROWS = [
    Row("conv2d", _convolutions, (image, w33, deep), free),
    Row("conv2d of known sizes", _convolutions, (image, w33, deep)),
    Row("conv1d", lambda x, w: F.conv1d(x, w, padding=1), (floats(2, 3, 5), floats(4, 3, 3))),
    Row("conv3d", lambda x, w: F.conv3d(x, w), (floats(1, 2, 3, 4, 4), floats(3, 2, 2, 2, 2))),
    Row("conv2d_transpose", _enlarging, (image, up, grouped), free),
    Row("conv2d_transpose to a size", lambda x, w: F.conv2d_transpose(x, w, stride=2,
                                                                      output_size=[15, 13]),
        (image, up)),
    Row("pools", _pools, (image,), free),
    Row("windows that hang over", lambda x: (F.avg_pool2d(x, 3, 2, 1, True, False),
                                             F.avg_pool2d(x, 3, 2, 1, True, True)), (square,)),
    Row("a window behind the end", lambda x: (F.max_pool1d(x, 2, 4, ceil_mode=True),
                                              F.avg_pool1d(x, 2, 4, ceil_mode=True)),
        (np.array([[[1, 2, 3, 4]]], np.float32),)),
    Row("maximum and its place", lambda x: F.max_pool2d(x, 2, return_mask=True), (image,)),
    Row("pools that end at a size", _adaptive, (image,)),
    Row("pooling of channels last",
        lambda x: F.max_pool2d(_last(x), 2, data_format="NHWC"), (image,)),
    Row("resize", _resized, (image,)),
    Row("resize of open sizes", lambda x: F.interpolate(x, scale_factor=2), (image,), free),
    Row("resize to the size of another",
        lambda x, y: (F.interpolate(x, size=y.shape[2:]),
                      F.interpolate(x, size=y.shape[2:], mode="bilinear")),
        (floats(1, 2, 3, 5), floats(1, 1, 6, 8)), {0: (2, 3), 1: (2, 3)}),
    Row("resize of channels last",
        lambda x: F.interpolate(_last(x), [9, 5], mode="bilinear", data_format="NHWC"), (image,)),
]  # fmt: skip


@pytest.mark.parametrize("row", _ROWS, ids=[row.name for row in _ROWS])
def test_a_model_in_onnx_gives_what_the_windows_give(row: Row) -> None:
    check(row)
