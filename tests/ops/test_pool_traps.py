"""Pooling where others went wrong; each test names the report."""

from __future__ import annotations

import proa
import proa.nn.functional as F
from tests.ops.harness import same


def test_border_windows_divide_by_input_and_padding_only():
    # PT#183528, ORT PR#29629, ORT#16203.
    x = proa.arange(1, 17, dtype="float32").reshape([1, 1, 4, 4])
    counted = F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, exclusive=False)
    same(counted[0, 0], [[14 / 9, 10 / 3, 2], [19 / 3, 11, 6], [4.5, 7.5, 4]])
    excluded = F.avg_pool2d(x, 3, 2, 1, ceil_mode=True)
    same(excluded[0, 0], [[3.5, 5, 6], [9.5, 11, 12], [13.5, 15, 16]])


def test_window_behind_the_input_is_dropped():
    # onnx/onnx#4958, ORT#16351.
    x = proa.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])
    same(F.max_pool1d(x, 2, 4, ceil_mode=True), [[[2.0]]])
    same(F.avg_pool1d(x, 2, 4, ceil_mode=True), [[[1.5]]])
    same(F.max_pool1d(x, 3, 2, ceil_mode=True), [[[3.0, 4.0]]])
