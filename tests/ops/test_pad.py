from __future__ import annotations

import proa
import proa.nn.functional as F
from tests.ops.harness import same


def test_zeropad2d_in_both_formats():
    x = proa.ones([1, 1, 1, 1])
    same(F.zeropad2d(x, [1, 0, 0, 1])[0, 0], [[0, 1], [0, 0]])
    same(F.zeropad2d(x, [1, 0, 0, 1], "NHWC")[0, :, :, 0], [[0, 1], [0, 0]])
    assert F.zeropad2d(x, 2).shape == [1, 1, 5, 5]
